"""The answers of a server, and their conversion to the views of a local call."""

from __future__ import annotations

from typing import Generic, TypeVar

import msgspec

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    items: list[T]
    next: str | None = None


class Answer(msgspec.Struct, kw_only=True, rename="camel"):
    """The answer of a server; fields that a newer server adds are ignored."""


class SessionAnswer(Answer):
    """The owner of a token."""

    who: str
    namespace: str
    roles: tuple[str, ...]
    queues: tuple[str, ...] | None = None
