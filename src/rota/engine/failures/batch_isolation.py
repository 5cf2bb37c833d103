"""Batch isolation: what raises in a batch is taken out of it, and the others go on.

A transaction does its batch at once and pays for no savepoints. If that raises, it is done once
more, carefully: one by one, each in a part of its own, so that what raised is found and fails
alone, with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from rota.errors import BadInput, RotaError, UnknownWorker
from rota.notices import emit_rarely
from rota.store.base import PartFailed, Tx

T = TypeVar("T")
Item = TypeVar("Item")
Write = Callable[[Callable[[Tx], T]], T]

MAX_WORDS = 500


def write_apart(
    write: Write[T], work: Callable[[Tx], T], *, who: str, again: Write[T] | None = None
) -> T:
    """Do the work; if it raises, once more with what it is made of apart, written by `again`.

    What raises even so is nobody's own fault. It is raised here, for a caller who rests then.
    """
    try:
        return write(work)
    except Exception as error:
        if not _may_be_one(error):
            raise
        emit_rarely("batch.split", who, service=who, error=words(error))
        return (again or write)(carefully(work))


def split(tx: Tx, work: Callable[[Tx], T]) -> T:
    """The same within a transaction that does more: at once in a part, else carefully."""
    try:
        return tx.part(lambda: work(tx))
    except PartFailed:
        return carefully(work)(tx)


def _may_be_one(error: Exception) -> bool:
    """Whether one of a batch may be the cause; other errors of ours are answers to the caller."""
    if isinstance(error, RotaError):
        return isinstance(error, BadInput) and not isinstance(error, UnknownWorker)
    return True


def carefully(work: Callable[[Tx], T]) -> Callable[[Tx], T]:
    """The work in a careful transaction; one on SQLite is shared, and others need not be so."""

    def careful(tx: Tx) -> T:
        was, tx.is_careful = tx.is_careful, True
        try:
            return work(tx)
        finally:
            tx.is_careful = was

    return careful


def each_apart(
    tx: Tx,
    items: Iterable[Item],
    work: Callable[[Item], T],
    *,
    instead: Callable[[Item, Exception], T],
) -> list[T]:
    """What the work gives for each; for one that raises, what is done instead."""
    found: list[T] = []
    for item in items:
        try:
            found.append(tx.part(lambda item=item: work(item)))  # type: ignore[misc]
        except PartFailed as failed:
            found.append(instead(item, failed.error))
    return found


def beside(tx: Tx, work: Callable[[], T], *, what: str) -> T | None:
    """Something that must not keep a run from ending; in a careful transaction it may fail."""
    if not tx.is_careful:
        return work()
    try:
        return tx.part(work)
    except PartFailed as failed:
        set_aside(what, failed.error)
        return None


def set_aside(what: str, error: Exception) -> None:
    """Tell people of something that was left as it is, because it cannot be read or written."""
    emit_rarely("item.set_aside", what, what=what, error=words(error))


def words(error: Exception) -> str:
    """An error in words that every database can keep."""
    kind = "" if isinstance(error, RotaError) else f"{type(error).__name__}: "
    return keepable(f"{kind}{error}")[:MAX_WORDS]


def keepable(text: str) -> str:
    """Without zero bytes and halves of characters, which not every database can keep."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
