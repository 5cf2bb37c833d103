"""The forms of bodies and answers: camelCase, strict on the way in, whole on the way out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

import msgspec

from rota.clock import to_ms, to_text
from rota.errors import BadInput

T = TypeVar("T")
Moment = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date-time"})]
"""A time in UTC, always with its milliseconds: as text it sorts as it does in time."""
PAGE = 50
MOST = 500
"""Items of a page."""


class Body(msgspec.Struct, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a client sends; a field that is not known is refused by name."""


class NoteBody(Body):
    """Why, for those who wonder."""

    note: str | None = None


class Document(msgspec.Struct, kw_only=True, rename="camel"):
    """What a client gets."""


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True, rename="camel"):
    """Some of many; `next` is what to send as `cursor` for those that follow."""

    items: list[T]
    next: str | None = None


def when(ms: int | None) -> Moment | None:
    """Milliseconds of the store as a time in UTC."""
    return None if ms is None else then(ms)


def then(ms: int) -> Moment:
    """The same for what is always there."""
    return to_text(ms)


def moment_ms(name: str, moment: datetime | None) -> int | None:
    """As the store counts; a moment without a zone could be any of many."""
    if moment is None:
        return None
    if moment.tzinfo is None:
        raise BadInput(f"{name} needs a zone: write 2026-01-31T08:00:00Z")
    return to_ms(moment)
