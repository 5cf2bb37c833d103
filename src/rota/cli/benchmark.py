"""The measurements of `rota bench`: one process, no-op runs, a temporary namespace."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any, NamedTuple

from rota.app import App, Job, Run
from rota.cli.output import is_fancy
from rota.cli.safe_text import console
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.engine.forget import forget_jobs, forget_runs
from rota.engine.runs.find import counts
from rota.errors import RotaError
from rota.ids import new_id
from rota.model.states import LIVE
from rota.runtime.options import WorkerOptions

CHUNK = 1000
LATENCY_RUNS = 200
WARM_UPS = 20
LOOK_S = 0.02

Advance = Callable[[str, int], None]
"""Called with the name of a phase and the number of its runs that are done."""


class Figures(NamedTuple):
    """The measured figures."""

    runs: int
    slots: int
    bulk_submit_per_s: float
    drain_per_s: float
    end_to_end_per_s: float
    latency_p50_ms: float
    latency_p99_ms: float


class Bench:
    """An app with one job that records when it started."""

    def __init__(self, url: str) -> None:
        self.app = App(url, namespace=f"bench-{new_id()[-12:]}")
        self.run_ids: list[str] = []
        self.starts: list[float] = []
        self.started = Event()

        @self.app.job(retries=0)
        def noop(number: int) -> None:  # noqa: ARG001  # a payload like any other
            self.starts.append(time.perf_counter())
            self.started.set()

        self.job: Job[[int], None] = noop

    def submit(self, count: int) -> None:
        for at in range(0, count, CHUNK):
            batch = self.job.submit_many(range(at, min(count, at + CHUNK)))
            self.run_ids += [run.id for run in batch]

    def live(self) -> int:
        """Return how many runs of the benchmark have not ended; history is left out."""
        far = 2**62
        by_state = self.app.store.read(
            lambda tx: counts(tx, namespace=self.app.namespace, since=far)
        )
        return sum(number for state, number in by_state.items() if state in LIVE)

    def wait_until_done(self, phase: str, count: int, advance: Advance) -> None:
        """Wait in-process first: queries to the store would distort the measurement."""
        before = len(self.starts)
        while len(self.starts) < count:
            advance(phase, len(self.starts) - before)
            time.sleep(LOOK_S)
        while self.live():
            time.sleep(LOOK_S)

    def latency_s(self) -> float:
        self.started.clear()
        began_s = time.perf_counter()
        run: Run[None] = self.job.submit(0)
        self.run_ids.append(run.id)
        if not self.started.wait(30):
            raise RotaError("a run was not started within 30 s; is the store overloaded?")
        latency = self.starts[-1] - began_s
        run.wait("30s")
        return latency

    def clean_up(self) -> None:
        namespace = self.app.namespace
        for at in range(0, len(self.run_ids), CHUNK):
            ids = self.run_ids[at : at + CHUNK]
            self.app.store.write(lambda tx, ids=ids: forget_runs(tx, ids, namespace=namespace))  # type: ignore[misc]
        self.app.store.write(lambda tx: forget_jobs(tx, namespace=namespace))
        self.app.close()


def measure(url: str, *, runs: int, slots: int | None) -> Figures:
    """Run the whole benchmark and remove its traces."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    options = WorkerOptions(slots=slots or WorkerOptions().slots)
    bench = Bench(url)
    try:
        with _progress(runs) as advance:
            return _measure(bench, runs, options, advance)
    finally:
        bench.clean_up()


def _measure(bench: Bench, runs: int, options: WorkerOptions, advance: Advance) -> Figures:
    bench.app.define([bench.job])
    advance("bulk submit", 0)
    submit_s = _timed(lambda: bench.submit(runs))
    worker = bench.app.worker(options)
    worker.start()
    try:
        drain_s = _timed(lambda: bench.wait_until_done("drain", runs, advance))

        def both() -> None:
            bench.submit(runs)
            bench.wait_until_done("end to end", 2 * runs, advance)

        both_s = _timed(both)
        advance("latency", 0)
        latencies = [bench.latency_s() for _ in range(WARM_UPS + LATENCY_RUNS)][WARM_UPS:]
    finally:
        worker.stop()
    cuts = statistics.quantiles(latencies, n=100)
    return Figures(
        runs=runs,
        slots=options.slots,
        bulk_submit_per_s=round(runs / submit_s, 1),
        drain_per_s=round(runs / drain_s, 1),
        end_to_end_per_s=round(runs / both_s, 1),
        latency_p50_ms=round(cuts[49] * 1000, 3),
        latency_p99_ms=round(cuts[98] * 1000, 3),
    )


def _timed(work: Callable[[], Any]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


@contextmanager
def _progress(runs: int) -> Iterator[Advance]:
    if not is_fancy(sys.stderr):
        yield lambda phase, done: None  # noqa: ARG005  # nobody looks
        return
    from rich.progress import Progress

    with Progress(console=console(stderr=True), transient=True) as bar:
        line = bar.add_task("", total=runs)
        yield lambda phase, done: bar.update(line, description=phase, completed=done)
