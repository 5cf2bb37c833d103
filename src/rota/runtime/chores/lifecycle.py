"""Background chores: promote due runs, reap dead workers, expire late runs, count, prune.

Any process may do them; the store keeps two processes from harming each other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rota.engine.admission.lanes import move_to_lane, obstacles
from rota.engine.failures.batch_isolation import write_apart
from rota.engine.identity.audit_chain import seal
from rota.engine.insight.statistics import add, next_part
from rota.engine.prune import Retention, prune
from rota.engine.runs.expire import expire, time_out
from rota.engine.runs.promote import promote
from rota.engine.wakeup_keys import DUE
from rota.engine.workers.chores import take_chore
from rota.engine.workers.presence import give_up, sightings
from rota.engine.workers.reap import reap
from rota.notices import emit
from rota.runtime.service import Service
from rota.store.base import Store, Tx

T = TypeVar("T")
BATCH = 500
MOST_BATCHES = 200
"""Most batches in one go: rows that cannot be written come again in each batch."""


class Promoter(Service):
    """Queues scheduled runs when their time comes; sleeps until the next one is due."""

    interval_s = 1.0
    hears = DUE

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._next_in_s: float | None = None

    def tick(self) -> bool:
        promoted = write_apart(
            lambda work: self._store.write(work, joinable=True),
            lambda tx: promote(tx, limit=BATCH),
            who=self.name,
        )
        wait_ms = promoted.next_in_ms
        self._next_in_s = None if wait_ms is None else max(0.0, wait_ms / 1000)
        return promoted.count == BATCH

    def pause_s(self) -> float:
        pause_s = super().pause_s()
        return pause_s if self._next_in_s is None else min(pause_s, self._next_in_s)


class Chore(Service):
    """Work that one process per interval does for all processes."""

    chore = ""

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store

    def tick(self) -> bool:
        if not self.is_mine():
            return False
        self._do_all()
        return False

    def _do_all(self) -> None:
        """Do batches until none is left or the limit is reached; the next interval continues."""
        for _ in range(MOST_BATCHES):
            if self._stopping or not self.batch():
                break

    def batch(self) -> bool:
        """Do one bounded batch; True when there may be more."""
        raise NotImplementedError

    def is_mine(self) -> bool:
        """Whether to do it now.

        By a single statement: a process that freezes between two would hold the row for five
        seconds, and all that wait for it with it. Two of them in a row were a gap in reaping, and
        its amnesty kept the runs of dead workers for another lease.
        """
        return self._store.write(self._take, lone=True)

    def _take(self, tx: Tx) -> bool:
        return take_chore(tx, self.chore, interval_ms=round(self.interval_s * 700))

    def write(self, work: Callable[[Tx], T]) -> T:
        """Write a batch; if that raises, write row by row, so that a broken row blocks no other."""
        return write_apart(self._store.write, work, who=self.name)


class Reaper(Chore):
    """Gives the runs of dead workers back to their queues.

    After a gap of more than half a lease in which nobody reaped, for instance because the database
    was away, no lease is ended for one whole lease: living workers get the time to renew.
    """

    interval_s = 1.0
    chore = "reap"

    def __init__(self, store: Store, *, lease_ms: int) -> None:
        super().__init__(store)
        # Three late looks are normal on a busy machine; with very short leases they are no gap.
        self._gap_ms = max(lease_ms // 2, round(self.interval_s * 3000))

    def tick(self) -> bool:
        if self.is_mine():
            self._give_up()
            self._do_all()
        return False

    def _take(self, tx: Tx) -> bool:
        interval_ms = round(self.interval_s * 700)
        return take_chore(tx, self.chore, interval_ms=interval_ms, gap_ms=self._gap_ms)

    def _give_up(self) -> None:
        """Void the leases of processes that are seen to be gone; two reads while none is."""
        fleet = self._store.read(sightings)
        presence = self._store.presence
        vanished = presence.gone({each.presence for each in fleet})
        if vanished or any(each.missing_ms is not None for each in fleet):
            verdict = self._store.write(
                lambda tx: give_up(tx, vanished, is_certain=presence.is_certain)
            )
            if verdict.dead:
                emit("workers.gone", workers=verdict.dead)

    def batch(self) -> bool:
        count = self.write(lambda tx: reap(tx, limit=BATCH))
        if count:
            emit("runs.reaped", count=count)
        return count == BATCH


class Expirer(Chore):
    """Closes runs that waited too long."""

    interval_s = 1.0
    chore = "expire"

    def batch(self) -> bool:
        late = self.write(lambda tx: time_out(tx, limit=BATCH))
        return self.write(lambda tx: expire(tx, limit=BATCH)) == BATCH or late == BATCH


class LaneMover(Chore):
    """Moves runs that some worker cannot start, and that stand before others, into lanes."""

    interval_s = 1.0
    chore = "lanes"

    def batch(self) -> bool:
        moved = [
            self.write(lambda tx, obstacle=obstacle: move_to_lane(tx, obstacle))  # type: ignore[misc]
            for obstacle in self._store.read(obstacles)
        ]
        return any(moved)


class AuditChainer(Chore):
    """Appends audit entries to the hash chains."""

    interval_s = 2.0
    chore = "seal"

    def batch(self) -> bool:
        return self._store.write(lambda tx: seal(tx, limit=BATCH)) >= BATCH


class StatisticsRollup(Chore):
    """Counts ended runs with a delay: reads without locks, then adds in a short transaction."""

    interval_s = 10.0
    chore = "count"

    def batch(self) -> bool:
        part = self._store.read(next_part)
        if part is None:
            return False
        is_added = self._store.write(lambda tx: add(tx, part))
        return is_added and not part.is_last


class Pruner(Chore):
    """Deletes rows past retention, and creates partitions for the days to come."""

    interval_s = 300.0
    chore = "prune"

    def __init__(self, store: Store, retention: Retention) -> None:
        super().__init__(store)
        self._retention = retention

    def batch(self) -> bool:
        keep = self._retention
        self._store.rotate(keep_good_ms=keep.success_ms, keep_bad_ms=keep.failure_ms)
        return self._store.write(lambda tx: prune(tx, keep, limit=BATCH)) >= BATCH


def chores(store: Store, retention: Retention, *, lease_ms: int) -> list[Service]:
    """Return all these chores; the caller starts, wakes and stops them."""
    return [
        Promoter(store),
        Reaper(store, lease_ms=lease_ms),
        Expirer(store),
        LaneMover(store),
        AuditChainer(store),
        StatisticsRollup(store),
        Pruner(store, retention),
    ]
