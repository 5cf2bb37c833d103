"""The forms of bodies and answers: camelCase, strict on the way in, whole on the way out."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Generic, TypeVar

import msgspec

from rota.clock import to_ms, to_text
from rota.errors import BadInput
from rota.ids import is_id

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


def page_start(cursor: str | None) -> str | None:
    """The id that a page begins after, where the `next` of a page is one."""
    if cursor is not None and not is_id(cursor):
        raise no_page(cursor)
    return cursor


def no_page(cursor: str) -> BadInput:
    """Says that this is not what an answer of ours gave."""
    return BadInput(f"cursor={cursor!r:.64} is not the `next` of a page")


def when(ms: int | None) -> Moment | None:
    """Milliseconds of the store as a time in UTC."""
    return None if ms is None else then(ms)


def then(ms: int) -> Moment:
    """The same for what is always there."""
    return to_text(ms)


def moment_ms(name: str, moment: datetime | None) -> int | None:
    """As the store counts."""
    return None if moment is None else given_ms(name, moment)


def given_ms(name: str, moment: datetime) -> int:
    """The same for what must be given; a moment without a zone could be any of many."""
    if moment.tzinfo is None:
        raise BadInput(f"{name} needs a zone: write 2026-01-31T08:00:00Z")
    return to_ms(moment)
