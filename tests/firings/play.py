"""Schedulers that are killed while their clock jumps both ways, over a given number of instants."""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.engine.schedules.fire import next_look
from rota.engine.wakeup_keys import LOOK
from rota.ids import new_id
from rota.model.schedules.definitions import Cron, Every, Schedule
from rota.store.base import Store
from rota.store.open import open_store
from tests.firings.checker import Checked, check
from tests.firings.clock import SharedClock
from tests.firings.serve import define_noop
from tests.support.calls import eventually
from tests.support.processes import Program

START_MS = 1_800_000_000_500
SECOND = 1_000
SCHEDULERS = 4
# Forward for longer than the grace: then it is the rule for missed firings that finds them.
GRACE_S = 5
JUMPS_S = (-15, -3, 1, 2, 5, 8, 12)
BACK = 3
"""So many jumps back at least."""
CALM_S = (0.02, 0.12)
LAST_S = 300.0
TRIGGERS = (
    (SECOND, Every(every="1s")),
    (SECOND, Cron(expression="* * * * * *")),
    (2 * SECOND, Every(every="2s")),
    (5 * SECOND, Cron(expression="*/5 * * * * *")),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    schedules: int
    seconds: int
    """Of the clock that jumps."""
    kills: int


SHORT = Sizes(schedules=80, seconds=60, kills=8)
FULL = Sizes(schedules=400, seconds=400, kills=80)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    checked: Checked
    kills: int
    kills_at_work: int
    """In the middle of a look: after its first statement and before its commit."""
    jumps_back: int
    jumps_ahead: int
    took_s: float


class Crew:
    """The seats of the schedulers; one that is killed is followed by another."""

    def __init__(self, url: str, clock_path: Path, folder: Path) -> None:
        self._env = {"ROTA_URL": url}
        self._clock_path = clock_path
        self._folder = folder
        self._started = 0
        self.seats = [self._start(seat) for seat in range(SCHEDULERS)]
        for program in self.seats:
            program.wait_for("worker.started")

    def kill(self, seat: int) -> None:
        self.seats[seat].kill()
        self.seats[seat] = self._start(seat)

    def close(self) -> None:
        for program in self.seats:
            program.clean_up()

    def _start(self, seat: int) -> Program:
        self._started += 1
        argv = [sys.executable, "-m", "tests.firings.serve", str(self._clock_path), str(seat)]
        log = self._folder / f"scheduler-{self._started}.log"
        return Program(argv, log=log, env=self._env)


def play(url: str, sizes: Sizes, seed: int, folder: Path, say: Callable[[str], None]) -> Report:
    """Put the schedules on record, let go, kill and jump, and check when all is fired."""
    began_s = time.monotonic()
    clock_path = folder / "clock"
    clock = SharedClock.at(clock_path, START_MS)
    store = open_store(url, clock=clock)
    try:
        spans = _put(store, sizes.schedules)
        with _crew(url, clock_path, folder) as crew:
            nemesis = _Nemesis(store, clock, crew, random.Random(seed))
            nemesis.rage(sizes, say)
            end_ms = nemesis.calm()
        checked = check(url, spans, after=START_MS, until=end_ms)
    finally:
        store.close()
    return Report(
        checked=checked,
        kills=nemesis.kills,
        kills_at_work=nemesis.kills_at_work,
        jumps_back=nemesis.jumps_back,
        jumps_ahead=nemesis.jumps_ahead,
        took_s=time.monotonic() - began_s,
    )


def _put(store: Store, count: int) -> dict[str, int]:
    """Schedules by name, and how many milliseconds are between their instants."""
    define_noop(store)
    tables = CompiledSchedules(rules_version(), lambda: 0.5)
    spans = {}
    for number in range(count):
        name = f"s{number}"
        spans[name], trigger = TRIGGERS[number % len(TRIGGERS)]
        schedule = Schedule(
            trigger=trigger, grace=f"{GRACE_S}s", catchup="all", catchup_limit=100_000
        )
        store.write(
            lambda tx, name=name, schedule=schedule: schedules.put(  # type: ignore[misc]
                tx, name, schedule, namespace="default", job="noop", origin="code", who="test",
                compiled=tables, new_id=new_id,
            )
        )  # fmt: skip
    return spans


@contextmanager
def _crew(url: str, clock_path: Path, folder: Path) -> Iterator[Crew]:
    crew = Crew(url, clock_path, folder)
    try:
        yield crew
    finally:
        crew.close()


class _Nemesis:
    """Jumps and kills, as its seed says; half of the kills wait for a victim at work."""

    def __init__(self, store: Store, clock: SharedClock, crew: Crew, chance: random.Random) -> None:
        self._store = store
        self._clock = clock
        self._crew = crew
        self._chance = chance
        self._newest = START_MS
        self.kills = self.kills_at_work = self.jumps_back = self.jumps_ahead = 0

    def rage(self, sizes: Sizes, say: Callable[[str], None]) -> None:
        """Until the clock has shown the last second and everybody is killed who is to be."""
        end_ms, step_ms = START_MS + sizes.seconds * SECOND, sizes.seconds * SECOND // sizes.kills
        self._clock.go()
        jumps: list[int] = []
        while self._newest < end_ms or self.kills < sizes.kills or self.jumps_back < BACK:
            # All in turn, in an order of chance: some must go back, and on the whole it goes on.
            jumps = jumps or self._chance.sample(JUMPS_S, len(JUMPS_S))
            self._jump(jumps.pop() * SECOND + self._chance.randrange(SECOND))
            time.sleep(self._chance.uniform(*CALM_S))
            while self._newest > START_MS + self.kills * step_ms and self.kills < sizes.kills:
                self._kill()
                if self.kills % 10 == 0:
                    say(f"  {self.kills} kills, {(self._newest - START_MS) // SECOND} s")

    def calm(self) -> int:
        """Stop the clock half a second past the newest second it has shown, and wait."""
        self._newest = max(self._newest, self._clock())
        end_ms = (self._newest // SECOND + 1) * SECOND + SECOND // 2
        self._clock.stop(end_ms)
        self._store.write(lambda tx: tx.notify((LOOK,)))
        eventually(self._is_quiet, LAST_S)
        return end_ms

    def _is_quiet(self) -> bool:
        found = self._store.read(next_look)
        return found is not None and found.wait_ms > 0

    def _jump(self, ms: int) -> None:
        before = self._clock.jump(ms)
        self._newest = max(self._newest, before, before + ms)
        self.jumps_back += ms < 0
        self.jumps_ahead += ms > 0
        # Others may wake them at any time, as a changed schedule does.
        self._store.write(lambda tx: tx.notify((LOOK,)))

    def _kill(self) -> None:
        seat = self._chance.randrange(SCHEDULERS)
        if self._chance.random() < 0.5:
            self._wait_for_a_look(seat)
        self.kills_at_work += self._clock.is_busy(seat)
        self._crew.kill(seat)
        self._clock.mark(seat, is_busy=False)
        self.kills += 1

    def _wait_for_a_look(self, seat: int) -> None:
        end_s = time.monotonic() + 3.0
        while not self._clock.is_busy(seat) and time.monotonic() < end_s:
            os.sched_yield()


def told(report: Report) -> str:
    """One line with all figures."""
    checked = report.checked
    return (
        f"{checked.instants:,} instants, {checked.runs:,} runs: {len(checked.doubled)} doubled, "
        f"{len(checked.missing)} missing, {len(checked.strange)} strange; {report.kills} kills "
        f"({report.kills_at_work} in the middle of a look), {report.jumps_ahead} jumps ahead, "
        f"{report.jumps_back} back, {report.took_s:.0f} s"
    )
