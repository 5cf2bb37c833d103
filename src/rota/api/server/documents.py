"""The forms of bodies and answers of routes that are written by hand."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.clock import Moment as Instant
from rota.clock import to_text

Moment = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""A time in UTC, always with its milliseconds: as text it sorts as it does in time."""


class Document(msgspec.Struct, kw_only=True, rename="camel"):
    """The answer of a route that is written by hand."""


def when(ms: int | None) -> Moment | None:
    """Milliseconds of the store as a time in UTC."""
    return None if ms is None else then(ms)


def then(ms: int) -> Moment:
    """Milliseconds that are always there, as a time in UTC."""
    return to_text(ms)


def text_or_none(instant: Instant | None) -> Moment | None:
    """An instant of a view, in a document that is no view itself."""
    return None if instant is None else instant.text()
