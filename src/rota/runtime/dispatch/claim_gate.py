"""The claim gate: maintenance windows, quotas and lanes that keep a worker from starting runs.

Claims themselves check nothing: without a window, a quota or a lane they cost nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from rota.clock import elapsed_s
from rota.engine.admission.draining_windows import DrainingWindow, draining_windows
from rota.engine.admission.lanes import lanes_in_use
from rota.engine.admission.quotas import most_running
from rota.engine.wakeup_keys import windows_key
from rota.rules.admission.lanes import NO_LANES, Lanes
from rota.runtime.options import WorkerScope
from rota.runtime.service import Service
from rota.store.base import Store, Tx

MARGIN_S = 0.005
"""The database's clock is known to a few milliseconds: close a little early, open a little late."""


class ClosedSpan(msgspec.Struct, frozen=True, kw_only=True):
    """A maintenance window in terms of this host's monotonic clock."""

    job: str | None
    queue: str | None
    from_s: float
    until_s: float


class ClosedSpans:
    """All maintenance windows that a worker knows, present and future."""

    def __init__(
        self,
        closings: Sequence[ClosedSpan] = (),
        *,
        has_quota: bool = False,
        lanes: Lanes = NO_LANES,
    ) -> None:
        self._closings = tuple(closings)
        self.has_quota = has_quota
        """Whether the namespace limits how many of its runs are carried out at once."""
        self.lanes = lanes
        """Lanes of runs of the worker's jobs that were in the way of others."""

    def __bool__(self) -> bool:
        return bool(self._closings) or self.has_quota or bool(self.lanes)

    @property
    def ends_s(self) -> float | None:
        """When the first of them ends."""
        return min((each.until_s for each in self._closings), default=None)

    def begin_within(self, now_s: float, ahead_s: float) -> bool:
        """Whether a window begins within `ahead_s`; windows that have begun do not count."""
        return any(now_s < each.from_s <= now_s + ahead_s for each in self._closings)

    def shut(self, now_s: float) -> frozenset[tuple[str | None, str | None]]:
        """Return the jobs and queues that are closed now; None stands for all of them."""
        spans = self._closings
        return frozenset(
            (each.job, each.queue) for each in spans if each.from_s <= now_s < each.until_s
        )


class ClaimGate(Service):
    """Looks when windows or lanes have changed, when a window has ended, and now and then."""

    interval_s = 10.0

    def __init__(
        self, store: Store, scope: WorkerScope, *, obey: Callable[[ClosedSpans], None]
    ) -> None:
        super().__init__()
        self.hears = windows_key(scope.namespace)
        self._store = store
        self._scope = scope
        self._obey = obey
        self._closings = ClosedSpans()

    def serve(self, scope: WorkerScope) -> None:
        """Look for lanes of these queues and jobs from now on."""
        self._scope = scope
        self.wake()

    def tick(self) -> bool:
        began_s = elapsed_s()
        spans, most, lanes = self._store.read(self._look)
        closings = ClosedSpans(
            [_closing(each, (began_s + elapsed_s()) / 2) for each in spans],
            has_quota=most is not None,
            lanes=lanes,
        )
        if closings or self._closings:
            self._closings = closings
            self._obey(closings)
        return False

    def _look(self, tx: Tx) -> tuple[tuple[DrainingWindow, ...], int | None, Lanes]:
        scope = self._scope
        windows = draining_windows(tx, namespace=scope.namespace)
        return windows, most_running(tx, scope.namespace), _lanes(tx, scope)

    def pause_s(self) -> float:
        pause_s = super().pause_s()
        ends_s = self._closings.ends_s
        return pause_s if ends_s is None else min(pause_s, max(0.0, ends_s - elapsed_s()))


def closings_now(tx: Tx, scope: WorkerScope) -> ClosedSpans:
    """Return what a claim in this very transaction has to obey."""
    now_s = elapsed_s()
    windows = draining_windows(tx, namespace=scope.namespace)
    most = most_running(tx, scope.namespace)
    return ClosedSpans(
        [_closing(each, now_s) for each in windows],
        has_quota=most is not None,
        lanes=_lanes(tx, scope),
    )


def _lanes(tx: Tx, scope: WorkerScope) -> Lanes:
    return lanes_in_use(
        tx, namespace=scope.namespace, queues=scope.queues, jobs=scope.jobs, takes=scope.takes
    )


def _closing(drain: DrainingWindow, now_s: float) -> ClosedSpan:
    return ClosedSpan(
        job=drain.job,
        queue=drain.queue,
        from_s=now_s + drain.begins_in_ms / 1000 - MARGIN_S,
        until_s=now_s + drain.ends_in_ms / 1000 + MARGIN_S,
    )
