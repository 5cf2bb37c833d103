"""Batch isolation: an item that raises is taken out of its batch, and the others go on.

A transaction does its batch at once and pays for no savepoints. If that raises, it is done once
more, carefully: one by one, each in a part of its own, so that the item that raised is found and
fails alone, with its reason.
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
    """Do the work; if it raises, do it again with its items apart, written by `again`.

    An error in the second try has no single item as its cause. It is raised, and the caller then
    pauses.
    """
    try:
        return write(work)
    except Exception as error:
        if not _may_be_one(error):
            raise
        emit_rarely("batch.split", who, service=who, error=words(error))
        return (again or write)(carefully(work))


def split(tx: Tx, work: Callable[[Tx], T]) -> T:
    """Do the work in a part of a larger transaction: at once, or carefully if that raises."""
    try:
        return tx.part(lambda: work(tx))
    except PartFailed:
        return carefully(work)(tx)


def _may_be_one(error: Exception) -> bool:
    """Whether one item of a batch may be the cause; other Rota errors are answers to the caller."""
    if isinstance(error, RotaError):
        return isinstance(error, BadInput) and not isinstance(error, UnknownWorker)
    return True


def carefully(work: Callable[[Tx], T]) -> Callable[[Tx], T]:
    """Return the work with the transaction marked careful meanwhile; on SQLite it is shared."""

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
    """Return the result of the work for each item; for one that raises, the result of `instead`."""
    results: list[T] = []
    for item in items:
        try:
            results.append(tx.part(lambda item=item: work(item)))  # type: ignore[misc]
        except PartFailed as failed:
            results.append(instead(item, failed.error))
    return results


def beside(tx: Tx, work: Callable[[], T], *, what: str) -> T | None:
    """Do work that must not keep a run from ending; in a careful transaction it may fail."""
    if not tx.is_careful:
        return work()
    try:
        return tx.part(work)
    except PartFailed as failed:
        set_aside(what, failed.error)
        return None


def set_aside(what: str, error: Exception) -> None:
    """Report an item that was left as it is, because it cannot be read or written."""
    emit_rarely("item.set_aside", what, what=what, error=words(error))


def words(error: Exception) -> str:
    """Return an error as text that every database can keep."""
    kind = "" if isinstance(error, RotaError) else f"{type(error).__name__}: "
    return keepable(f"{kind}{error}")[:MAX_WORDS]


def keepable(text: str) -> str:
    """Replace zero bytes and lone surrogates, which not every database can keep."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()
