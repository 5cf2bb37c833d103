"""Artifacts: values too large for the rows of runs, and the short texts that stand for them.

Where JSON text would be, a row holds a pointer: `@d:DIGEST` for a value in a table of the
database, `@a:DAY:DIGEST` for an object in the artifact store. No JSON begins with an @, so
that the two are never taken for each other.
"""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple

LARGE = 65_536
"""A value of more characters than this is kept apart."""
MARK = "@"
_STAND_IN = '{"$artifact":"sha256:'


class Pointer(NamedTuple):
    """Where a value is, and what it must be."""

    place: Literal["d", "a"]
    """d: the database; a: the artifact store."""
    digest: str
    """SHA-256 of the value, which is also its name."""
    day: str = ""
    """In the artifact store: the day it was written, 2026-11-16. Nothing is written to a day that
    is over, so that old days can be tidied up while others write."""

    def __str__(self) -> str:
        day = f"{self.day}:" if self.place == "a" else ""
        return f"{MARK}{self.place}:{day}{self.digest}"


def is_pointer(text: str | None) -> bool:
    return text is not None and text.startswith(MARK)


def read_pointer(text: str) -> Pointer:
    """The parts of a pointer that we wrote."""
    head, *day, digest = text.removeprefix(MARK).split(":")
    return Pointer("a" if head == "a" else "d", digest, "".join(day))


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def stand_in(text: str) -> str:
    """JSON for people, of a value that is not looked up."""
    if not is_pointer(text):
        return text
    return f'{_STAND_IN}{read_pointer(text).digest}"}}'


def missing_digest(text: str) -> str | None:
    """Which value it is, if the text only stands in for one."""
    return text.removeprefix(_STAND_IN).rstrip('"}') if text.startswith(_STAND_IN) else None
