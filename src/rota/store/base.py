"""The interface of a store for the engine: transactions, named statements, wake-ups.

A transaction is a function sent to the store, so that SQLite can commit many of them together; it
may run twice after a deadlock and must have no effect outside.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from rota.errors import StoreLost

T = TypeVar("T")
Ask = tuple[str, dict[str, Any]]
"""The name of a statement, and its parameters."""
Row = Mapping[str, Any]
Wake = Callable[[str], None]
"""Called with a wake-up key, to look at the store soon; must not block."""


class Tx(Protocol):
    """A transaction in progress; statements are called by name, parameters by keyword."""

    memo: dict[Any, Any]
    """Values that this process remembers of rows of this store that never change."""
    fresh: dict[Any, Any]
    """A cache of rows written in this transaction; anybody may clear it."""
    drafts: dict[str, dict[str, Any]]
    """Details of audit entries, by id, whose caller writes one entry for all."""
    is_careful: bool
    """Whether a part of it has raised: batches are then done row by row, each in a `part`."""
    wake_count: int
    """How often wake-ups were requested; others may add to a shared transaction."""

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row, or None."""
        ...

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """Return all rows, in no promised order unless the statement sorts."""
        ...

    def tuples(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        """Return all rows as tuples, with columns in the order of the statement.

        Half the time of `all`, for rows of which there are as many as runs.
        """
        ...

    def execute(self, name: str, /, **params: Any) -> int:
        """Execute a statement and return the number of rows changed."""
        ...

    def insert(self, name: str, rows: Sequence[msgspec.Struct], /, **params: Any) -> None:
        """Insert many rows; the statement takes their fields in order, then the parameters."""
        ...

    def execute_all(self, asks: Sequence[Ask]) -> None:
        """Execute statements that do not need each other's changes, in one trip if possible."""
        ...

    def notify(self, queues: Collection[str]) -> None:
        """Wake the watchers of these queues once this transaction is committed."""
        ...

    def offer(self, runs: Mapping[str, str]) -> None:
        """Notify with the key of each run: a run that is claimed before the commit wakes nobody."""
        ...

    def taken(self, run_ids: Iterable[str]) -> None:
        """Note that these runs are claimed."""
        ...

    def part(self, work: Callable[[], T]) -> T:
        """Do something whose failure leaves the rest of the transaction as it was.

        PartFailed when it raised for a reason of its own and was rolled back. Errors that no value
        causes (the store is away, a deadlock, a missing permission) are raised as they are.
        """
        ...

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        """Execute a statement of the user's own, in the words and marks of the driver."""
        ...


class PartFailed(Exception):
    """A part of a transaction raised and was rolled back."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Watch(Protocol):
    """A subscription to wake-ups; they may be early or lost, a poll is the truth."""

    def close(self) -> None: ...


class JoinedWork(Protocol):
    """The work of a participant in another transaction, which is told how that ended."""

    def committed(self) -> None:
        """The transaction is committed."""
        ...

    def fail(self) -> None:
        """The transaction was rolled back; nothing happened."""
        ...


class CommitParticipant(Protocol):
    """Adds its own work to a transaction of this process that wakes it.

    An idle worker claims new runs in the very commit that brings them, and so saves a commit of its
    own (half a millisecond on SQLite; ADR 3).
    """

    def join(self, tx: Tx, keys: Collection[str]) -> JoinedWork | None:
        """Join before the commit, with the keys it notifies; None to stay off. Must not block."""
        ...


class Presence(Protocol):
    """Whether processes live, seen faster than by their leases; a hint, fences carry the safety."""

    is_certain: bool
    """Whether a process that is gone is dead; otherwise perhaps only its connection is."""

    def mine(self) -> str | None:
        """Return how others can see this process; None when they cannot, or cannot yet."""
        ...

    def gone(self, presences: Collection[str]) -> set[str]:
        """Return the presences that are gone; one that cannot be judged from here is not gone."""
        ...


class ScopedStore(Protocol):
    """A store limited to some namespaces."""

    def write(self, work: Callable[[Tx], T]) -> T: ...

    def read(self, work: Callable[[Tx], T]) -> T: ...


class Store(Protocol):
    """A database that holds everything Rota knows."""

    dialect: str
    url: str
    login: str | None
    """The kind of our login (access.rights): `server`, `worker`, `reader`; None for the owner."""

    @property
    def lost(self) -> StoreLost | None:
        """Return why this process cannot use the store any more; None if it can."""
        ...

    @property
    def presence(self) -> Presence: ...

    def facts(self) -> Mapping[str, str | int]:
        """Return facts about the place where the store keeps its data."""
        ...

    def write(
        self,
        work: Callable[[Tx], T],
        *,
        urgent: bool = False,
        lone: bool = False,
        joinable: bool = False,
    ) -> T:
        """Run `work` in a transaction; when this returns, its effects are on disk.

        Urgent work (a heartbeat) does not queue behind others for a connection. Lone work promises
        to execute one statement only, which is a transaction of its own. Joinable work lets commit
        participants join it on any store: it is short, and ours.
        """
        ...

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run `work` on a consistent snapshot; it must not write."""
        ...

    def scoped(self, namespaces: Collection[str]) -> ScopedStore:
        """Return the store limited to these namespaces: the database itself refuses rows of others.

        Where it cannot (SQLite, or a login without that permission), return the store as it is.
        """
        ...

    def join_commits(self, participant: CommitParticipant) -> Watch:
        """Let the participant join the transactions of this process before they commit."""
        ...

    def watch(self, wake: Wake, *, heard: Wake | None = None) -> Watch:
        """Call `wake(queue)` soon after a commit that notified; '*' means look everywhere.

        A thread that only listens calls `heard` instead, if given, which may use the store itself
        and so spare waking another thread.
        """
        ...

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Make storage for the days to come and drop days that are wholly past retention."""
        ...

    def close(self) -> None: ...
