"""Artifacts: values too large for the rows of runs, and the short texts that stand for them.

In place of JSON text, a row holds a pointer: `@d:DIGEST` for a value in a table of the database,
`@a:DAY:DIGEST` for an object in the artifact store. No JSON begins with an @, so that the two
cannot be confused.
"""

from __future__ import annotations

import hashlib
from typing import Literal, NamedTuple

LARGE = 65_536
"""A value of more characters than this is stored apart."""
MARK = "@"
_STAND_IN = '{"$artifact":"sha256:'


class Pointer(NamedTuple):
    """The place of a value, and the digest that it must have."""

    place: Literal["d", "a"]
    """d: the database; a: the artifact store."""
    digest: str
    """SHA-256 of the value, which is also its name."""
    day: str = ""
    """In the artifact store: the day it was written, such as 2026-11-16. Nothing is written to a
    past day, so that old days can be tidied up while others write.
    """

    def __str__(self) -> str:
        day = f"{self.day}:" if self.place == "a" else ""
        return f"{MARK}{self.place}:{day}{self.digest}"


def is_pointer(text: str | None) -> bool:
    return text is not None and text.startswith(MARK)


def read_pointer(text: str) -> Pointer:
    """Return the parts of a pointer that we wrote."""
    head, *day, digest = text.removeprefix(MARK).split(":")
    return Pointer("a" if head == "a" else "d", digest, "".join(day))


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def stand_in(text: str) -> str:
    """Return JSON for people; a value that is not looked up is shown by its digest."""
    if not is_pointer(text):
        return text
    return f'{_STAND_IN}{read_pointer(text).digest}"}}'


def missing_digest(text: str) -> str | None:
    """Return the digest of the value that a text stands for, or None."""
    return text.removeprefix(_STAND_IN).rstrip('"}') if text.startswith(_STAND_IN) else None
