"""What a server answers, and the same as the views that a local call gives."""

from __future__ import annotations

from datetime import datetime
from typing import Generic, TypeVar

import msgspec

from rota.clock import to_ms

T = TypeVar("T")
PERCENT = 100


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Some of many."""

    items: list[T]
    next: str | None = None


class Answer(msgspec.Struct, kw_only=True, rename="camel"):
    """What a server sends; fields that a newer one adds are left alone."""


class SessionAnswer(Answer):
    """Whose token it is."""

    who: str
    namespace: str
    roles: tuple[str, ...]
    queues: tuple[str, ...] | None = None


def ms_or_none(when: datetime | None) -> int | None:
    """As the store counts."""
    return None if when is None else to_ms(when)
