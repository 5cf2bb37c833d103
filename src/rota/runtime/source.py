"""A run source: where the runs of a worker come from and where their ends go.

A worker is the same with a store and with a server behind it; only its source differs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease
from rota.model.logs.log import LogChunk
from rota.model.runs.run import Begun, Lease
from rota.runtime.attempts.attempt import Attempt, Ending, ResolvedJob

if TYPE_CHECKING:
    from rota.runtime.attempts.services import RunServices
    from rota.runtime.attempts.table import AttemptTable
    from rota.runtime.dispatch.courier import Courier
    from rota.runtime.dispatch.give_back import PrefetchReturn
    from rota.runtime.heartbeat import Heartbeat
    from rota.runtime.logs.masking import Masker
    from rota.runtime.service import Service
    from rota.runtime.values.loader import ValueLoader

Report = TypeVar("Report")
"""The report of how a run ended, in the type of the source."""

Exchanged = tuple[list[str], list[Lease], bool]
"""Runs whose lease was lost when they were reported, new leases, whether there may be more.

A tuple without a name: it is made for each run when a worker is idle.
"""


class RunExchange(Protocol[Report]):
    """The exchange of a courier with a source: reports ends and takes new runs."""

    @property
    def worker_id(self) -> str: ...

    @property
    def batch(self) -> int:
        """Most reports in one exchange."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether the reports made since the last exchange are as many as the next one takes."""
        ...

    @property
    def find_work(self) -> Callable[[Lease], ResolvedJob]:
        """Finds the definition and the function of a lease; raises the reason when it cannot."""
        ...

    def report_of(self, call: Attempt, ending: Ending, /) -> Report | None:
        """Return the report of an ended attempt; None when another worker owns the run now."""
        ...

    def refusal_of(self, lease: Lease, error: Exception, /) -> Report | None:
        """Return the report of a lease that cannot be started here; None when none is needed."""
        ...

    def exchange(self, reports: list[Report], want: int, ahead: int, /) -> Exchanged:
        """Report ended runs and take up to `want` new ones; `ahead` of them wait for a slot.

        Raises StoreUnavailable. Then nothing is known of the reports, and they are sent again.
        """
        ...

    def forbids_prefetch(self) -> bool:
        """Whether no runs may be held ready beyond the slots now."""
        ...

    def note_stall(self, why: str | None, /) -> None:
        """Record that exchanges fail again and again, and why; None when that is over."""
        ...


class Beat(NamedTuple):
    """The status of a worker in a heartbeat."""

    held: Sequence[HeldLease]
    progress: Sequence[HandlerProgress]
    running: int
    left_behind: int
    is_draining: bool
    drains: bool
    """The last order of the source: to take nothing new, or to work."""
    presence: str | None


class HeartbeatSource(Protocol):
    """The part of a source that the heartbeat uses."""

    def presence(self) -> str | None:
        """Return how others can see this process, besides its heartbeats."""
        ...

    def heartbeat(self, beat: Beat, /) -> HeartbeatReply:
        """Renew the lease of the worker; return what has become of the runs it holds."""
        ...

    def changes(self, beat: Beat, /) -> HeartbeatReply:
        """Return what has become of the runs that the worker holds; somebody changed one."""
        ...


class LogSink(Protocol):
    """A receiver of log lines."""

    def log(self, chunks: list[LogChunk], *, is_repeated: bool) -> None:
        """Deliver lines; if they were sent before, lines that are there already do no harm."""
        ...


class WorkerParts(NamedTuple):
    """The parts of a worker that a source wakes and calls."""

    calls: AttemptTable
    courier: Courier
    heartbeat: Heartbeat
    prefetch_return: PrefetchReturn


class RunSource(HeartbeatSource, LogSink, Protocol):
    """The source of runs that a worker needs."""

    @property
    def runs(self) -> RunExchange[Any]: ...

    @property
    def services(self) -> RunServices:
        """The run services for handlers."""
        ...

    @property
    def loader(self) -> ValueLoader | None:
        """Loads large values; None if the source does so itself."""
        ...

    @property
    def masker(self) -> Masker:
        """Hides the secrets of this process in log lines."""
        ...

    @property
    def hold_s(self) -> float:
        """Return how long prefetched runs must last at the present pace, so that no slot waits."""
        ...

    @property
    def queues(self) -> Sequence[str]:
        """The queues that runs come from."""
        ...

    def attach(self, parts: WorkerParts, /) -> Sequence[Service]:
        """Learn whom to wake; return services of the source that the worker starts and stops."""
        ...

    def register(self, worker_id: str, *, dead: Sequence[str] = ()) -> float:
        """Announce the worker under this id; runs of workers known to be dead go back first.

        Return when it was sent (clock.elapsed_s): the lease counts from then.
        """
        ...

    def start(self) -> None:
        """Begin to listen; the worker is registered and claims next."""
        ...

    def stop(self) -> None:
        """Wake nothing any more; the worker has drained and stops its services next."""
        ...

    def retire(self, *, has_told: bool) -> None:
        """Take the worker off the list if the source can be reached; otherwise its lease expires.

        `has_told`: nothing runs here any more, and all ends are on record.
        """
        ...

    def begin(self, begun: Sequence[Begun], /) -> None:
        """Put on record that these runs have begun; raises StoreUnavailable."""
        ...

    def give_back(self, strays: Sequence[HeldLease], /) -> None:
        """Release runs that are on record as ours and that never arrived."""
        ...
