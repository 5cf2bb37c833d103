"""What a store offers the engine: transactions, named statements, wake-ups.

A transaction is a function sent to the store, so that SQLite can commit many
of them together; it may run twice after a deadlock and must have no effect outside.
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
"""Told a key, it looks at the store soon; it must return at once."""


class Tx(Protocol):
    """A transaction in progress; statements are known by name, parameters by keyword."""

    memo: dict[Any, Any]
    """What this process remembers of rows of this store that never change."""
    fresh: dict[Any, Any]
    """What was written in this transaction and need not be read again in it: a cache, which
    anybody may clear."""
    drafts: dict[str, dict[str, Any]]
    """Details of audit entries, by id, whose caller writes one entry for all."""
    is_careful: bool
    """Something in it has raised before: batches are done one by one, each in a `part`."""
    wake_count: int
    """How often it was told whom to wake; a transaction may be shared, and others add to it."""

    def one(self, name: str, /, **params: Any) -> Row | None:
        """The first row, or None."""
        ...

    def all(self, name: str, /, **params: Any) -> list[Row]:
        """All rows, in no promised order unless the statement sorts."""
        ...

    def tuples(self, name: str, /, **params: Any) -> list[tuple[Any, ...]]:
        """All rows, each with its columns in the order in which the statement names them.

        Half the time of `all`, for rows of which there are as many as runs.
        """
        ...

    def execute(self, name: str, /, **params: Any) -> int:
        """The number of rows changed."""
        ...

    def insert(self, name: str, rows: Sequence[msgspec.Struct], /, **params: Any) -> None:
        """Many rows, whose fields the statement takes in their order; then come the parameters."""
        ...

    def execute_all(self, asks: Sequence[Ask]) -> None:
        """Statements that need not see each other's changes; in one trip where trips cost time."""
        ...

    def notify(self, queues: Collection[str]) -> None:
        """Wake whoever waits for these queues once this transaction is committed."""
        ...

    def offer(self, runs: Mapping[str, str]) -> None:
        """As notify, with the key of each run: one that is taken before the commit wakes nobody."""
        ...

    def taken(self, run_ids: Iterable[str]) -> None:
        """These runs are claimed."""
        ...

    def part(self, work: Callable[[], T]) -> T:
        """Do something whose failure leaves the rest of the transaction as it was.

        PartFailed when it raised for a reason of its own and was taken back. What is no fault of
        a value (the store is away, a deadlock, a missing right) is raised as it is.
        """
        ...

    def raw(self, text: str, params: Any = None, /) -> list[Row]:
        """A statement of the user's own, in the words and marks of the driver."""
        ...


class PartFailed(Exception):
    """A part of a transaction raised and was taken back."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class Watch(Protocol):
    """A subscription to wake-ups; they may be early or lost, a poll is the truth."""

    def close(self) -> None: ...


class JoinedWork(Protocol):
    """What a participant did in somebody's transaction, waiting to hear how that ended."""

    def committed(self) -> None:
        """The transaction is committed."""
        ...

    def fail(self) -> None:
        """It was rolled back; nothing happened."""
        ...


class CommitParticipant(Protocol):
    """Adds its own work to a transaction of this process that wakes it.

    An idle worker claims what it is told of in the very commit that tells it, and so
    saves a commit of its own (half a millisecond on SQLite; ADR 3).
    """

    def join(self, tx: Tx, keys: Collection[str]) -> JoinedWork | None:
        """Called before the commit, with the keys it notifies; None to stay off. Must not block."""
        ...


class Presence(Protocol):
    """Whether processes live, seen faster than by their leases; a hint, fences carry the safety."""

    is_certain: bool
    """Who is gone is dead; otherwise only a connection of its may be."""

    def mine(self) -> str | None:
        """How others can see this process; None when they cannot, or cannot yet."""
        ...

    def gone(self, presences: Collection[str]) -> set[str]:
        """Those that are not there any more; one that cannot be judged from here is there."""
        ...


class ScopedStore(Protocol):
    """The store as far as some namespaces go."""

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
        """Why this process cannot use it any more, if that is so."""
        ...

    @property
    def presence(self) -> Presence: ...

    def facts(self) -> Mapping[str, str | int]:
        """What is known about the place where it keeps things, beside what it can be asked."""
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

        Urgent work (a heartbeat) does not queue behind others for a connection.
        Lone work promises to make one statement only, which is a transaction by itself.
        Joinable work lets commit participants join it on any store: it is short, and ours.
        """
        ...

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run `work` on a consistent snapshot; it must not write."""
        ...

    def scoped(self, namespaces: Collection[str]) -> ScopedStore:
        """The same for work on these namespaces: the database itself refuses rows of others.

        Where it cannot (SQLite, or a login that may not), it is the store as it is.
        """
        ...

    def join_commits(self, participant: CommitParticipant) -> Watch:
        """Let the participant join the transactions of this process before they commit."""
        ...

    def watch(self, wake: Wake, *, heard: Wake | None = None) -> Watch:
        """Call `wake(queue)` soon after a commit that notified; '*' means look everywhere.

        What a thread hears that does nothing but listen goes to `heard`, if there is one, which
        may use the store itself and so spare waking another thread.
        """
        ...

    def rotate(self, *, keep_good_ms: int, keep_bad_ms: int) -> None:
        """Make storage for the days to come and drop what is wholly past retention."""
        ...

    def close(self) -> None: ...
