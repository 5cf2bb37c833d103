"""A run source: where the runs of a worker come from and where their ends go.

A worker is the same whether a store or a server is behind it; what differs is its source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from rota.engine.workers.heartbeat import HandlerProgress, HeartbeatReply, HeldLease
from rota.model.log import LogChunk
from rota.model.run import Begun, Lease
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
"""How a run ended, in the words that a source wants to hear."""

Exchanged = tuple[list[str], list[Lease], bool]
"""Runs that were somebody else's when their end was told, new leases, whether there may be more.

A tuple without a name: it is made for each run when a worker is idle.
"""


class RunExchange(Protocol[Report]):
    """What a courier asks of a source: it tells how runs ended and takes new ones."""

    @property
    def worker_id(self) -> str: ...

    @property
    def batch(self) -> int:
        """How many reports one exchange takes at most."""
        ...

    @property
    def is_full(self) -> bool:
        """Whether the reports made since the last exchange are as many as the next one takes."""
        ...

    @property
    def find_work(self) -> Callable[[Lease], ResolvedJob]:
        """Finds the definition and the function of a lease; raises what keeps it from them."""
        ...

    def report_of(self, call: Attempt, ending: Ending, /) -> Report | None:
        """How the end of an attempt is told; None when the run is somebody else's now."""
        ...

    def refusal_of(self, lease: Lease, error: Exception, /) -> Report | None:
        """How it is told that a lease cannot be started here; None when nobody wants to hear it."""
        ...

    def exchange(self, reports: list[Report], want: int, ahead: int, /) -> Exchanged:
        """Tell how runs ended and take up to `want` new ones; `ahead` of them wait for a slot.

        Raises StoreUnavailable. Then nothing is known of the reports, and they are told again.
        """
        ...

    def forbids_prefetch(self) -> bool:
        """Whether nothing may be held ready beyond the slots now."""
        ...

    def note_stall(self, why: str | None, /) -> None:
        """Put on record that exchanges fail again and again, and why; None when that is over."""
        ...


class Beat(NamedTuple):
    """What a worker says of itself in a heartbeat."""

    held: Sequence[HeldLease]
    progress: Sequence[HandlerProgress]
    running: int
    left_behind: int
    is_draining: bool
    drains: bool
    """What the source asked of it last: to take nothing new, or to work."""
    presence: str | None


class HeartbeatSource(Protocol):
    """What the heartbeat asks of a source."""

    def presence(self) -> str | None:
        """How others can see this process, beside its heartbeats."""
        ...

    def heartbeat(self, beat: Beat, /) -> HeartbeatReply:
        """Renew the lease of the worker, and hear what has become of what it holds."""
        ...

    def changes(self, beat: Beat, /) -> HeartbeatReply:
        """Hear what has become of what the worker holds; somebody has changed something."""
        ...


class LogSink(Protocol):
    """Where log lines go."""

    def log(self, chunks: list[LogChunk], *, is_repeated: bool) -> None:
        """Deliver them; if they were sent before, those that are there do no harm."""
        ...


class WorkerParts(NamedTuple):
    """The parts of a worker that a source wakes and asks."""

    calls: AttemptTable
    courier: Courier
    heartbeat: Heartbeat
    prefetch_return: PrefetchReturn


class RunSource(HeartbeatSource, LogSink, Protocol):
    """All that a worker needs to know of what is behind it."""

    @property
    def runs(self) -> RunExchange[Any]: ...

    @property
    def services(self) -> RunServices:
        """What handlers may ask."""
        ...

    @property
    def loader(self) -> ValueLoader | None:
        """Brings large values; None if the source does so by itself."""
        ...

    @property
    def masker(self) -> Masker:
        """Hides the secrets of this process in log lines."""
        ...

    @property
    def hold_s(self) -> float:
        """How long the runs held ready last at the present pace, so that no slot has to wait."""
        ...

    @property
    def queues(self) -> Sequence[str]:
        """The queues that runs come from."""
        ...

    def attach(self, parts: WorkerParts, /) -> Sequence[Service]:
        """Learn whom to wake; gives the services of its own that the worker starts and stops."""
        ...

    def register(self, worker_id: str, *, dead: Sequence[str] = ()) -> float:
        """Announce the worker under this id; runs of workers known to be dead go back first.

        Gives when it was sent (clock.elapsed_s): its lease counts from then.
        """
        ...

    def start(self) -> None:
        """Begin to listen; the worker is registered and claims next."""
        ...

    def stop(self) -> None:
        """Wake nobody any more; the worker has drained and stops its services next."""
        ...

    def retire(self, *, has_told: bool) -> None:
        """Take the worker off the list, if that can be said now; its lease ends by itself.

        `has_told`: nothing runs here any more, and all ends are on record.
        """
        ...

    def begin(self, begun: Sequence[Begun], /) -> None:
        """Put on record that these have begun; raises StoreUnavailable."""
        ...

    def give_back(self, strays: Sequence[HeldLease], /) -> None:
        """Release runs that are on record as ours and that we never heard of."""
        ...
