"""What a store offers the engine: transactions, named statements, wake-ups.

A transaction is a function sent to the store, so that SQLite can commit many
of them together; it may run twice after a deadlock and must have no effect outside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, Protocol, TypeVar

T = TypeVar("T")
Row = Mapping[str, Any]


class Tx(Protocol):
    """A transaction in progress; statements are known by name, parameters by keyword."""

    def one(self, name: str, /, **params: Any) -> Row | None:
        """The first row, or None."""
        ...

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """All rows, in no promised order unless the statement sorts."""
        ...

    def execute(self, name: str, /, **params: Any) -> int:
        """The number of rows changed."""
        ...

    def notify(self, queues: Collection[str]) -> None:
        """Wake whoever waits for these queues once this transaction is committed."""
        ...


class Watch(Protocol):
    """A subscription to wake-ups; they may be early or lost, a poll is the truth."""

    def close(self) -> None: ...


class Store(Protocol):
    """A database that holds everything Rota knows."""

    dialect: str
    url: str

    def write(self, work: Callable[[Tx], T], *, urgent: bool = False) -> T:
        """Run `work` in a transaction; when this returns, its effects are on disk.

        Urgent work (a heartbeat) does not queue behind others for a connection.
        """
        ...

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run `work` on a consistent snapshot; it must not write."""
        ...

    def watch(self, wake: Callable[[str], None]) -> Watch:
        """Call `wake(queue)` soon after a commit that notified; '*' means look everywhere."""
        ...

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Make storage for the days to come and drop what is wholly past retention."""
        ...

    def close(self) -> None: ...
