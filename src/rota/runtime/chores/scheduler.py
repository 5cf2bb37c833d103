"""The scheduler: fires schedules exactly when due; sleeps until the next one is.

Every worker process has one, and any number of them may be awake at once: the store ensures that
each instant is fired once. A transaction begins before the instant, earlier the more there is to
do, and commits when the instant has come.
"""

from __future__ import annotations

import math
import random
import time

from rota.clock import elapsed_s
from rota.engine.failures.batch_isolation import write_apart
from rota.engine.runs.find import now_ms
from rota.engine.schedules.backfills.fill import fill
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.schedules.fire import FireResult, fire, next_look
from rota.engine.schedules.stale import FIRST, find_stale, look_again, wake_waiting
from rota.engine.wakeup_keys import LOOK
from rota.engine.workers.chores import take_chore
from rota.ids import new_id
from rota.notices import emit
from rota.runtime.chores.lifecycle import Chore
from rota.runtime.service import Service
from rota.store.base import Store, Tx
from rota.store.kinds import dialect_named

BATCH = 1_000
FILLS = 20
PAGE = 20_000
"""Schedules per page when rules are compared, once a day."""
REST_S = 0.05
"""The pause between two pages: nobody waits for them."""
LONGEST_LEAD_S = 0.25
CROWD = 20
"""From this many schedules on, the work itself begins before their time."""
COST_S = 0.00012
"""The cost of one schedule, until it was measured."""
WITHIN_MS = 2
"""Schedules due this soon after the first are fired with it."""
SPACING_S = 0.01
"""The pause between two looks under load: schedules due meanwhile share one look."""
POLITE_S = (0.02, 0.06)
"""How much longer a process waits the next time after another one was faster."""
EARLY_S = 0.005
ROUNDING_S = 0.0005
WATCH_S = ROUNDING_S + 0.001
PEEK_S = 0.0001
"""The pause between reads of the database's clock, which has whole milliseconds."""
DAY_MS = 86_400_000


class Scheduler(Service):
    """Looks when a schedule is due, when one has changed, and now and then."""

    interval_s = 5.0
    hears = LOOK

    def __init__(self, store: Store) -> None:
        super().__init__()
        self._store = store
        self._compiled = CompiledSchedules(rules_version(), random.random)
        self._cost_s = COST_S
        self._look_s = 0.0
        self._due_s: float | None = None
        self._crowd = 0
        self._looked_s = 0.0
        self._delay_s = 0.0

    def tick(self) -> bool:
        if not self._is_time():
            self._store.read(self._ask)
        if not self._is_time():
            return False
        self._looked_s = elapsed_s()
        fired = write_apart(
            lambda work: self._store.write(work, joinable=True), self._look, who=self.name
        )
        self._delay_s = 0.0 if fired.looked or self._is_early() else random.uniform(*POLITE_S)
        for name, why in fired.broken:
            emit("schedule.broken", schedule=name, error=why)
        return fired.looked == BATCH

    def pause_s(self) -> float:
        pause_s = super().pause_s()
        if self._due_s is None:
            return pause_s
        now_s = elapsed_s()
        wait_s = self._due_s + self._delay_s - self._lead_s() - now_s
        # A pause between two looks: schedules due meanwhile share a transaction.
        rest_s = self._looked_s + SPACING_S - now_s
        return min(pause_s, max(wait_s, rest_s, 0.0))

    def _is_time(self) -> bool:
        return (
            self._due_s is not None and self._due_s + self._delay_s - self._lead_s() <= elapsed_s()
        )

    def _lead_s(self) -> float:
        """How long before its time to begin."""
        dialect = dialect_named(self._store.dialect)
        lead_s = min(dialect.lead_limit_s, max(dialect.lead_s, 1.5 * self._look_s))
        if self._crowd >= CROWD:
            lead_s += min(LONGEST_LEAD_S, 1.2 * self._crowd * self._cost_s)
        return lead_s

    def _is_early(self) -> bool:
        """Whether the due time is just ahead by the database's clock: no process was faster."""
        return self._due_s is not None and 0 < self._due_s - elapsed_s() < EARLY_S

    def _ask(self, tx: Tx) -> None:
        """Set when the next look is due, on the clock of this host; only durations travel."""
        began_s = elapsed_s()
        look = next_look(tx, within_ms=WITHIN_MS)
        middle_s = (began_s + elapsed_s()) / 2
        self._due_s = None if look is None else middle_s + look.wait_ms / 1000
        self._crowd = 0 if look is None else look.crowd

    def _look(self, tx: Tx) -> FireResult:
        began_s = elapsed_s()
        fired = fire(
            tx,
            limit=BATCH,
            compiled=self._compiled,
            new_id=new_id,
            ahead_ms=self._ahead_ms(began_s),
        )
        self._measure(fired.looked, elapsed_s() - began_s)
        filled = fill(tx, limit=FILLS, compiled=self._compiled, new_id=new_id)
        self._ask(tx)
        if 0 < fired.looked < CROWD:
            self._look_s += 0.3 * (elapsed_s() - began_s - self._look_s)
        if fired.early_ms > 0:
            _hold(tx, fired.due, until_s=began_s + fired.early_ms / 1000 + ROUNDING_S)
        return fired if fired.looked else FireResult(looked=filled)

    def _ahead_ms(self, now_s: float) -> int:
        if self._due_s is None or self._lead_s() == 0:
            return 0
        return max(0, math.ceil((self._due_s - now_s) * 1000)) + WITHIN_MS

    def _measure(self, looked: int, took_s: float) -> None:
        if looked >= CROWD:
            self._cost_s += 0.3 * (took_s / looked - self._cost_s)


def _hold(tx: Tx, due: int, *, until_s: float) -> None:
    """Wait before the commit, which must not come before the due time.

    This host knows the time to 1.5 ms; the rest is watched on the database's clock.
    """
    time.sleep(max(0.0, until_s - WATCH_S - elapsed_s()))
    while elapsed_s() < until_s and now_ms(tx) < due:
        time.sleep(PEEK_S)


class StaleScheduleScan(Chore):
    """Finds changes whose wake-ups were lost, and schedules computed with other rules."""

    interval_s = 10.0
    chore = "reckon"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._version = rules_version()

    def batch(self) -> bool:
        self._store.write(wake_waiting)
        if self._store.write(self._takes_rules):
            after: str | None = FIRST
            while after is not None and not self._stopping:
                after = self._page(after)
                time.sleep(REST_S)
        return False

    def _page(self, after: str) -> str | None:
        """Check a page: only read, unless some schedules are stale; with new rules all are."""
        stale, following = self._store.read(
            lambda tx: find_stale(tx, rules_version=self._version, after=after, limit=PAGE)
        )
        for start in range(0, len(stale), BATCH):
            part = stale[start : start + BATCH]
            self._store.write(lambda tx, part=part: look_again(tx, part))  # type: ignore[misc]
        return following

    def _takes_rules(self, tx: Tx) -> bool:
        """Whether to apply the rules now: at once for a new version, else once a day."""
        return take_chore(tx, f"rules {self._version}", interval_ms=DAY_MS)
