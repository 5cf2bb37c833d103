"""The forms of bodies and answers for routes that are written by hand."""

from __future__ import annotations

from typing import Annotated

import msgspec

from rota.clock import to_text

Moment = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""A time in UTC, always with its milliseconds, so that its text sorts in order of time."""


class Document(msgspec.Struct, kw_only=True, rename="camel"):
    """The answer of a route that is written by hand."""


def when(ms: int | None) -> Moment | None:
    """Return milliseconds of the store as a time in UTC; None for None."""
    return None if ms is None else then(ms)


def then(ms: int) -> Moment:
    """Return milliseconds of the store as a time in UTC, for a field that is always set."""
    return to_text(ms)
