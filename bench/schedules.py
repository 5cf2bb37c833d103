"""The lateness of schedules: each second, a thousand a second beside many, ten thousand at once.

`python -m bench.schedules`. Lateness is from the instant to the start of the handler, or to the
commit that queued the run.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from pathlib import Path

import click

from bench.apart import tell
from bench.measures import Figures
from bench.schedule_load import dialect_of, filling, load, run_sql
from bench.sizes import FULL_SCHEDULES, LEAST_SCHEDULES, QUICK_SCHEDULES, ScheduleSizes, chosen
from rota import App
from rota.cli.serve.serving import SWITCH_INTERVAL_S
from rota.engine.schedules import definitions as schedules
from rota.engine.schedules.compiled import CompiledSchedules, rules_version
from rota.ids import new_id
from rota.model.schedules.definitions import Every, Schedule
from rota.runtime.attempts.context import current_run
from rota.runtime.chores import scheduler
from rota.store.open import open_store
from tests.support.postgres import PostgresServer

LIMIT_S = 120.0
LOADED_PER_S = 60_000
"""The least loading speed; the first instant must not come before the last schedule is stored."""
WRITTEN_PER_S = 2_500
"""The least speed for schedules that are written beside a worker."""
SETTINGS = {
    "shared_buffers": "512MB",
    "max_wal_size": "8GB",
    "wal_level": "minimal",  # loading ten million schedules is not what is measured
    "max_wal_senders": "0",
    "track_commit_timestamp": "on",  # when a run was queued is when its transaction ended
}
TABLES = CompiledSchedules(rules_version(), lambda: 0.5)
COMMITTED = "extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000"
SCHEDULER_THREADS = ("rota-timed", "rota-reckoner")


class Timed(scheduler.Scheduler):
    """Notes when its looks have ended, for databases that keep no times of commits."""

    ends_ms: list[float] = []  # noqa: RUF012  # one worker in this process

    def tick(self) -> bool:
        more = super().tick()
        self.ends_ms.append(time.time() * 1000)
        return more


class Shop:
    """A worker with one job that notes how late it is."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.dialect = dialect_of(url)
        self.app = App(url)
        self.late_ms: list[float] = []
        self._lock = threading.Lock()

        @self.app.job(name="tick", retries=0)
        def tick(sent_ms: float = 0.0) -> None:
            now_ms = time.time() * 1000  # the clock of the database, which is on this machine
            origin = current_run().call.lease.origin
            since_ms = json.loads(origin)["scheduledFor"] if origin else sent_ms
            with self._lock:
                self.late_ms.append(now_ms - since_ms)

        self.job = tick
        scheduler.Scheduler = Timed  # type: ignore[misc]  # workers make theirs by this name
        self.worker = self.app.worker()
        self.worker.start()

    def put(self, name: str, schedule: Schedule) -> None:
        self.app.store.write(
            lambda tx: schedules.put(
                tx, name, schedule, namespace="default", job="tick", origin="api", who="bench",
                compiled=TABLES, new_id=new_id,
            )
        )  # fmt: skip

    def take(self) -> list[float]:
        """Return the latenesses since the last call."""
        with self._lock:
            taken, self.late_ms = self.late_ms, []
        return taken

    def queued(self, since_ms: int, until_ms: int) -> list[float]:
        """Return the times from each instant to the commit of its firing."""
        span = f"instant >= {since_ms} and instant < {until_ms}"
        if self.dialect == "postgres":
            rows = run_sql(self.url, f"select {COMMITTED} - instant from rota.firing where {span}")
            return [float(row[0]) for row in rows]
        rows = run_sql(self.url, f"select decided_at, instant from rota.firing where {span}")
        ends = [*Timed.ends_ms, time.time() * 1000]
        return [ends[bisect_left(ends, decided)] - instant for decided, instant in rows]

    def close(self) -> None:
        self.worker.stop()
        self.app.close()


def every_second(shop: Shop, sizes: ScheduleSizes) -> Figures:
    """Measure a schedule of every second, and plain submits between its instants."""
    shop.put("second", Schedule(trigger=Every(every="1s")))
    wait_for(lambda: len(shop.late_ms) >= sizes.seconds)
    shop.app.store.write(lambda tx: schedules.remove(tx, "second", namespace="default"))
    figures = spread("second", shop.take())
    for sent in range(1, sizes.submits + 1):
        shop.job.submit(sent_ms=time.time() * 1000)
        wait_for(lambda sent=sent: len(shop.late_ms) >= sent)  # type: ignore[misc]
        time.sleep(0.02)
    return figures | spread("submit", shop.take())


def herd(shop: Shop, sizes: ScheduleSizes) -> Figures:
    """Measure many at one instant: until all are queued, and until all have run."""
    at_ms = round(time.time() + 1 + sizes.herd / WRITTEN_PER_S) * 1000
    run_sql(shop.url, filling(shop.url, "herd", sizes.herd, cycle_s=80_000, at=f"{at_ms}"))
    shop.put("bell", Schedule(trigger=Every(every="1d")))  # wakes the scheduler
    wait_for(lambda: len(shop.late_ms) >= sizes.herd)
    return {
        "herd_queued_ms": max(shop.queued(at_ms, at_ms + 1)),
        "herd_started_ms": max(shop.take()),
    }


def crowd(url: str, sizes: ScheduleSizes) -> Figures:
    """Measure a thousand each second beside many: all at the whole second, like cron lines."""
    stored = sizes.stored[dialect_of(url)]
    cycle_s = max(1, stored // sizes.per_second)
    open_store(url).close()
    first_ms = round(time.time() + 2 * sizes.idle_s + stored / LOADED_PER_S) * 1000
    shift = cycle_s - first_ms // 1000 % cycle_s
    began_s = time.monotonic()
    at = f"{first_ms} + ((n.n % {cycle_s} + {shift}) % {cycle_s}) * 1000"
    load(url, stored, cycle_s=cycle_s, at=at)
    figures = {"schedules_stored": float(stored), "schedules_load_s": time.monotonic() - began_s}
    if time.time() * 1000 > first_ms - 1000 * sizes.idle_s:
        raise SystemExit(f"  {stored:,} schedules took too long to load: {figures}")
    shop = Shop(url)
    try:
        # Past what a worker does once when it starts, such as comparing the rules of all schedules.
        time.sleep(max(2.0, first_ms / 1000 - time.time() - sizes.idle_s - 2))
        figures |= idle(max(1.0, min(sizes.idle_s, first_ms / 1000 - time.time() - 2)))
        last_ms = first_ms + 1000 * sizes.seconds
        time.sleep(max(0.0, last_ms / 1000 - time.time()) + 2)
        wait_for(lambda: len(shop.late_ms) > 0)
        late_ms = shop.queued(first_ms, last_ms)
        figures["crowd_fired_share"] = len(late_ms) / (sizes.per_second * sizes.seconds)
        return figures | spread("crowd_queued", late_ms) | spread("crowd", shop.take())
    finally:
        shop.close()


def idle(seconds: float) -> Figures:
    """Measure the idle load of a core: the scheduler's threads, and the whole worker."""
    before, began_s = (_cpu_s(), _process_s()), time.monotonic()
    time.sleep(seconds)
    after, took_s = (_cpu_s(), _process_s()), time.monotonic() - began_s
    own, whole = (100 * (now - then) / took_s for now, then in zip(after, before, strict=True))
    return {"scheduler_idle_percent": own, "worker_idle_percent": whole}


def _cpu_s() -> float:
    ids = [each.native_id for each in threading.enumerate() if each.name in SCHEDULER_THREADS]
    stats = [Path(f"/proc/self/task/{each}/schedstat").read_text() for each in ids]
    return sum(int(text.split()[0]) for text in stats) / 1e9


def _process_s() -> float:
    used = os.times()
    return used.user + used.system


def spread(name: str, late_ms: Sequence[float]) -> Figures:
    if not late_ms:
        raise SystemExit(f"  {name}: nothing fired")
    ordered = sorted(late_ms)
    middle, most = (ordered[min(len(ordered) - 1, int(len(ordered) * at))] for at in (0.5, 0.99))
    return {f"{name}_p50_ms": middle, f"{name}_p99_ms": most}


def wait_for(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end_s:
            raise SystemExit("  gave up after two minutes")
        time.sleep(0.001)


def measure(url: str, other_url: str, sizes: ScheduleSizes) -> Figures:
    """Return all figures of one store, given two empty ones of its kind."""
    shop = Shop(url)
    try:
        time.sleep(1.0)
        figures = every_second(shop, sizes) | herd(shop, sizes)
    finally:
        shop.close()
    figures |= crowd(other_url, sizes)
    return figures | {"load_average": os.getloadavg()[0]}


@click.command()
@click.option("--quick", is_flag=True, help="Fewer schedules, for a shorter time.")
@click.option("--only", type=click.Choice(["sqlite", "postgres"]))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: str | None, json_path: Path | None) -> None:
    """Measure how late schedules fire."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    sizes = chosen(FULL_SCHEDULES, QUICK_SCHEDULES, LEAST_SCHEDULES, is_quick=quick)
    found: dict[str, Figures] = {}
    if only != "postgres":
        with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
            url, other_url = f"sqlite:///{folder}/one.db", f"sqlite:///{folder}/other.db"
            found["sqlite"] = measure(url, other_url, sizes)
            tell("SQLite", found["sqlite"])
    if only != "sqlite":
        with PostgresServer(fsync=True, settings=SETTINGS) as server:
            found["postgres"] = measure(server.create_database(), server.create_database(), sizes)
            tell("PostgreSQL", found["postgres"])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
