"""The list of chores for a process that does them."""

from __future__ import annotations

from rota.runtime.attempts.table import AttemptTable
from rota.runtime.chores.alerts import AlertSender
from rota.runtime.chores.artifacts import Sweeper
from rota.runtime.chores.breakers import BreakerProber
from rota.runtime.chores.labels import LabelSweeper
from rota.runtime.chores.lifecycle import chores
from rota.runtime.logs.flusher import LogIndexer
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.runtime.values.backends import ArtifactBackend
from rota.store.base import Store


def all_chores(
    store: Store, options: WorkerOptions, artifacts: ArtifactBackend | None, calls: AttemptTable
) -> list[Service]:
    """Return all services that keep the runs of a store going, for all of its workers."""
    # Late: a program that only submits need not know cron and zones.
    from rota.runtime.chores.alert_watch import AlertWatcher  # noqa: PLC0415
    from rota.runtime.chores.anchors import anchorers  # noqa: PLC0415
    from rota.runtime.chores.dependencies import DependencyReleaser  # noqa: PLC0415
    from rota.runtime.chores.scheduler import Scheduler, StaleScheduleScan  # noqa: PLC0415

    return [
        *chores(store, options.retention, lease_ms=options.lease_ms),
        Sweeper(store, options.retention, artifacts),
        LabelSweeper(store, options.retention),
        BreakerProber(store),
        AlertSender(store, options),
        AlertWatcher(store, options),
        # Prefetch holds more than the slots only while runs are short.
        LogIndexer(store, lambda: len(calls) > options.slots),
        Scheduler(store),
        StaleScheduleScan(store),
        DependencyReleaser(store),
        *anchorers(store, options),
    ]
