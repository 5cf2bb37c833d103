"""The nemesis: carries out the plan of faults, heals them, and records what it did when."""

from __future__ import annotations

import contextlib
import heapq
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple, Protocol

import psycopg

from chaos.faults import Fault
from chaos.pair import Pair
from chaos.site import Seat, Site
from chaos.sizes import MOST_OUT

TICK_S = 0.05
AGAIN_S = 0.2
STEP_S = 0.3
PATIENCE_S = 180.0


def now_ms() -> int:
    """Return the clock of the machine, which the database shares."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Death:
    """A worker that was killed, when, and how: `kill_worker`, `kill_child` or `vanish`."""

    kind: str
    worker_id: str
    at_ms: int


class Outage(NamedTuple):
    """A time in which nothing could be committed, and the fault that caused it."""

    kind: str
    went_ms: int
    back_ms: int


@dataclass(slots=True)
class Deeds:
    """The record of what the nemesis did."""

    counts: Counter[str] = field(default_factory=Counter)
    deaths: list[Death] = field(default_factory=list)
    outages: list[Outage] = field(default_factory=list)
    """The times when PostgreSQL was away, until it could be written to again."""
    restarts: Counter[str] = field(default_factory=Counter)
    """Processes that ended on their own and were restarted, as a service manager does."""


class Stage(Protocol):
    """The system that the nemesis disturbs."""

    def go_on(self, share: float) -> None:
        """Allow this share of the work to be submitted by now."""
        ...

    def tell(self, line: str) -> None:
        """Report progress."""
        ...


class Nemesis:
    """Carries out a plan with `run`; afterwards everything is healthy again."""

    def __init__(self, site: Site) -> None:
        self.deeds = Deeds()
        self._site = site
        self._heals: list[tuple[float, int, Callable[[], object]]] = []
        self._order = count()

    def run(self, plan: Sequence[Fault], stage: Stage) -> None:
        """Carry out all faults one after the other, and report progress to the stage."""
        for done, fault in enumerate(plan):
            pauses = max(1, round(fault.pause_s / STEP_S))
            for step in range(pauses):
                # The work comes with the faults, so that every one of them meets some.
                stage.go_on((done + (step + 1) / pauses) / (len(plan) + 1))
                self._rest(fault.pause_s / pauses)
            stage.tell(f"fault {done + 1} of {len(plan)}: {fault.kind}")
            if getattr(self, f"_{fault.kind}")(fault) is not False:
                self.deeds.counts[fault.kind] += 1
        self._rest(0.0, until_healed=True)

    def keep(self) -> None:
        """Restart processes that ended on their own, except clients that are done."""
        for seat in (*self._site.workers, *self._site.clients):
            if not seat.is_well or not seat.has_ended:
                continue
            if seat in self._site.clients and seat.program.popen.returncode == 0:
                continue
            self.deeds.restarts[seat.name] += 1
            seat.start()

    def _rest(self, pause_s: float, *, until_healed: bool = False) -> None:
        end_s = time.monotonic() + pause_s
        while (until_healed and self._heals) or time.monotonic() < end_s:
            self._heal_due()
            self.keep()
            time.sleep(TICK_S)

    def _heal_due(self) -> None:
        while self._heals and self._heals[0][0] <= time.monotonic():
            heapq.heappop(self._heals)[2]()

    def _later(self, seat: Seat, hold_s: float, heal: Callable[[], bool | None]) -> None:
        """Heal a process after a while; repeat while `heal` returns False."""
        seat.is_well = False

        def do() -> None:
            if heal() is False:
                self._later(seat, AGAIN_S, heal)
            else:
                seat.is_well = True

        self._heal_in(hold_s, do)

    def _heal_in(self, hold_s: float, heal: Callable[[], object]) -> None:
        heapq.heappush(self._heals, (time.monotonic() + hold_s, next(self._order), heal))

    def _victim(self, fault: Fault, seats: Sequence[Seat]) -> Seat | None:
        """Return a healthy, living process, waiting for one. None if all are done."""
        end_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < end_s:
            well = [seat for seat in seats if seat.is_well and not seat.has_ended]
            out = sum(not seat.is_well for seat in self._site.workers)
            if well and (out < MOST_OUT or well[0] in self._site.clients):
                return well[int(fault.chance * len(well))]
            self._rest(TICK_S)
        return None

    def _worker(self, fault: Fault, *, wired: bool = False) -> Seat:
        seats = [seat for seat in self._site.workers if seat.wire or not wired]
        seat = self._victim(fault, seats)
        if seat is None:
            raise TimeoutError("no worker came back within three minutes")
        return seat

    def _note_death(self, fault: Fault, seat: Seat) -> None:
        """Record a death before the kill, since the worker cannot be looked up in an outage."""
        with contextlib.suppress(psycopg.Error):
            family = [each.pid for each in seat.program.family()]
            rows = self._site.ask("select id from rota.worker where pid = any(%s)", (family,))
            self.deeds.deaths += [
                Death(kind=fault.kind, worker_id=str(row[0]), at_ms=now_ms()) for row in rows
            ]

    def _kill_worker(self, fault: Fault) -> None:
        """Kill the supervisor; the worker under it dies with it."""
        seat = self._worker(fault)
        self._note_death(fault, seat)
        seat.program.kill()
        self._later(seat, fault.hold_s, seat.start)

    def _kill_child(self, fault: Fault) -> None:
        """Kill the worker only; its supervisor starts another one."""
        seat = self._worker(fault)
        self._note_death(fault, seat)
        for child in seat.program.family():
            with contextlib.suppress(Exception):  # it may end in between
                child.kill()

    def _vanish(self, fault: Fault) -> None:
        """Simulate a lost machine: its network is silent, and nobody closes its connections."""
        seat = self._worker(fault, wired=True)
        wire = seat.wire
        if wire is None:
            raise AssertionError("a seat without a wire cannot vanish")
        self._note_death(fault, seat)
        wire.is_silent = True
        seat.program.kill()

        def heal() -> None:
            wire.is_silent = False
            wire.cut()
            seat.start()

        self._later(seat, fault.hold_s, heal)

    def _stop_worker(self, fault: Fault) -> None:
        seat = self._worker(fault)
        seat.send_all(signal.SIGSTOP)
        self._later(seat, fault.hold_s, lambda: seat.send_all(signal.SIGCONT))

    _pause_worker = _stop_worker

    def _restart_worker(self, fault: Fault) -> None:
        """Stop a worker with TERM and start a new one; kill it if it does not end."""
        seat = self._worker(fault)
        seat.program.send(signal.SIGTERM)
        end_s = time.monotonic() + self._site.sizes.worker.get("drain_ms", 25_000) / 1000 + 10

        def heal() -> bool:
            if not seat.has_ended and time.monotonic() < end_s:
                return False
            seat.start()
            return True

        self._later(seat, AGAIN_S, heal)

    def _kill_client(self, fault: Fault) -> bool:
        """Kill a client; False when all clients are done."""
        if all(seat.is_well and seat.has_ended for seat in self._site.clients):
            return False
        seat = self._victim(fault, self._site.clients)
        if seat is None:
            raise TimeoutError("no client came back within three minutes")
        seat.program.kill()
        self._later(seat, fault.hold_s, seat.start)
        return True

    def _cut(self, fault: Fault) -> None:
        """Reset the connections of one worker or client."""
        seats = [seat for seat in (*self._site.workers, *self._site.clients) if seat.wire]
        seat = self._victim(fault, seats)
        if seat is not None and seat.wire is not None:
            seat.wire.cut()

    def _silence(self, fault: Fault) -> None:
        seat = self._worker(fault, wired=True)
        wire = seat.wire
        if wire is None:
            raise AssertionError("a seat without a wire cannot be silenced")
        wire.is_silent = True

        def heal() -> None:
            wire.is_silent = False
            wire.cut()

        self._later(seat, fault.hold_s, heal)

    def _crash_postgres(self, fault: Fault) -> None:
        """Stop PostgreSQL at once, in immediate mode, or by KILL of all its processes."""
        if self._site.servers.pair is not None:
            self._whole_pair()
        server = self._site.servers.primary
        went_ms = now_ms()
        if fault.chance < 0.5:
            server.stop("immediate")
        else:
            server.kill()
        time.sleep(fault.hold_s)
        server.start()
        self._note_outage(fault, went_ms)

    def _crash_pooler(self, fault: Fault) -> None:
        """KILL the pooler: its client and server connections vanish without notice."""
        bouncer = self._site.servers.bouncer
        if bouncer is None:
            raise AssertionError("there is no pooler here")
        went_ms = now_ms()
        bouncer.kill()
        time.sleep(fault.hold_s)
        bouncer.start()
        self._note_outage(fault, went_ms)

    def _fail_over(self, fault: Fault) -> None:
        """KILL the primary, in some cases while commits hang, which then never took place."""
        pair = self._whole_pair()
        if fault.chance < 0.4:
            went_ms = now_ms()
            pair.silence()
            self._rest(fault.hold_s)
            self.deeds.outages.append(Outage("silence_before_fail_over", went_ms, now_ms()))
        went_ms = now_ms()
        self._site.fail_over()
        self._note_outage(fault, went_ms)

    def _silence_standby(self, fault: Fault) -> None:
        """Silence the standby: commits hang, and later faults hit hanging commits."""
        pair = self._whole_pair()
        went_ms = now_ms()
        pair.silence()

        def heal() -> None:
            pair.speak()
            self._note_outage(fault, went_ms)

        self._heal_in(fault.hold_s, heal)

    def _whole_pair(self) -> Pair:
        """Return both servers once the standby follows, so that a promoted one has everything."""
        pair = self._site.servers.pair
        if pair is None:
            raise AssertionError("there is no standby here")
        end_s = time.monotonic() + PATIENCE_S
        while not pair.is_whole:
            if time.monotonic() > end_s:
                raise TimeoutError("no standby followed within three minutes")
            self._rest(TICK_S)
        return pair

    def _note_outage(self, fault: Fault, went_ms: int) -> None:
        self.deeds.outages.append(Outage(fault.kind, went_ms, now_ms()))
