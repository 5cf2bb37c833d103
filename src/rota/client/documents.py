"""What a server answers, and the same as the views that a local call gives."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


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
