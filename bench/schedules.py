"""How late schedules fire: every second, a thousand each second beside many, ten thousand at once.

`python -m bench.schedules`: on PostgreSQL with `--stored` schedules and on SQLite with a tenth of
them. Lateness is from the instant to the start of the handler, and to the commit that queued it.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw
import click
import psycopg

from rota import App
from rota.cli.serving import SWITCH_INTERVAL_S
from rota.engine import schedules
from rota.engine.timetables import Timetables, rules_version
from rota.ids import new_id
from rota.model.schedule import Every, Schedule
from rota.runtime.context import current_run
from tests.support.postgres import PostgresServer

PER_SECOND = 1_000
HERD = 10_000
LIMIT_S = 60.0
SETTINGS = {
    "shared_buffers": "512MB",
    "max_wal_size": "8GB",
    "track_commit_timestamp": "on",  # when a run was queued is when its transaction ended
}
TABLES = Timetables(rules_version(), lambda: 0.5)

FILL = """
insert into rota.schedule (
    id, namespace, name, job, spec, origin, changed_at, created_at, rules_version, cursor_at,
    last_at, next_at, look_at
)
select {id}, 'default', '{prefix}' || n.n, 'tick', {spec}, 'code', {now}, {now}, '{version}',
       {at} - {every}, {at} - {every}, {at}, {at}
  from ({numbers}) as n
"""
SPELLING = {
    "sqlite": {
        "id": "lower(hex(randomblob(4))||'-'||hex(randomblob(2))||'-'||hex(randomblob(2))||'-'||"
        "hex(randomblob(2))||'-'||hex(randomblob(6)))",
        "numbers": "with recursive n (n) as (select 0 union all select n + 1 from n"
        " where n < {count} - 1) select n from n",
        "clock": "time(n.n % {cycle}, 'unixepoch')",
    },
    "postgres": {
        "id": "gen_random_uuid()",
        "numbers": "select n from generate_series(0, {count} - 1) as n",
        "clock": "to_char((n.n % {cycle}) * interval '1 second', 'HH24:MI:SS')",
    },
}


class Shop:
    """A worker with one job that notes how late it is."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.app = App(url)
        self.late_ms: list[float] = []
        self._lock = threading.Lock()

        @self.app.job(name="tick", retries=0)
        def tick() -> None:
            now_ms = time.time() * 1000
            origin = json.loads(current_run().call.lease.origin or "{}")
            with self._lock:
                self.late_ms.append(now_ms - origin["scheduledFor"])

        self.worker = self.app.worker()
        self.worker.start()

    @property
    def dialect(self) -> str:
        return "sqlite" if self.url.startswith("sqlite") else "postgres"

    def put(self, name: str, schedule: Schedule) -> None:
        self.app.store.write(
            lambda tx: schedules.put(
                tx, name, schedule, namespace="default", job="tick", origin="code", who="bench",
                timetables=TABLES, new_id=new_id,
            )
        )  # fmt: skip

    def fill(self, prefix: str, count: int, *, cycle_s: int, at: str) -> None:
        """Many at once, past the verbs: `at` is the next instant of number n, as SQL."""
        spelled = SPELLING[self.dialect]
        own = {key: text.format(count=count, cycle=cycle_s) for key, text in spelled.items()}
        spec = (
            f"""'{{"trigger":{{"type":"every","every":"{cycle_s}s","anchor":"1970-01-01T' || """
            f"""{own.pop("clock")} || 'Z"}}}}'"""
        )
        facts = {
            "prefix": prefix, "spec": spec, "version": rules_version(), "every": cycle_s * 1000,
        }  # fmt: skip
        self.run_sql(FILL.format(now=round(time.time() * 1000), at=at, **own, **facts))

    def run_sql(self, text: str) -> list[tuple[Any, ...]]:
        if self.dialect == "sqlite":
            connection = apsw.Connection(self.url.removeprefix("sqlite:///"))
            connection.set_busy_timeout(60_000)
            try:
                return [tuple(row) for row in connection.execute(text.replace("rota.", ""))]
            finally:
                connection.close()
        with psycopg.connect(self.url, autocommit=True) as session:
            cursor = session.execute(text.encode())
            return cursor.fetchall() if cursor.description else []

    def close(self) -> None:
        self.worker.stop()
        self.app.close()


def told(name: str, late_ms: Sequence[float]) -> str:
    if not late_ms:
        return f"  {name}: nothing fired"
    ordered = sorted(late_ms)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return (
        f"  {name}: p50 {statistics.median(ordered):.1f} ms, p99 {p99:.1f} ms, "
        f"worst {ordered[-1]:.1f} ms ({len(ordered):,} runs)"
    )


def every_second(shop: Shop, seconds: int) -> None:
    shop.put("second", Schedule(trigger=Every(every="1s")))
    time.sleep(seconds + 0.5)
    shop.app.store.write(lambda tx: schedules.remove(tx, "second", namespace="default"))
    print(told("a schedule of every second, to the handler", shop.late_ms))
    shop.late_ms.clear()


def herd(shop: Shop) -> None:
    """Ten thousand at one instant: until all are queued, and until all have run."""
    at_ms = round(time.time() + 3) * 1000 + 2_000
    shop.fill("herd", HERD, cycle_s=80_000, at=f"{at_ms}")
    shop.put("bell", Schedule(trigger=Every(every="1d")))  # wakes the scheduler
    wait_for(lambda: len(shop.late_ms) >= HERD)
    if shop.dialect == "postgres":
        print(told(f"{HERD:,} at one instant, until queued", queued(shop, at_ms)))
    else:
        rows = shop.run_sql(f"select max(decided_at) from rota.firing where instant = {at_ms}")
        print(f"  {HERD:,} at one instant: all queued after {rows[0][0] - at_ms:,} ms")
    print(told(f"{HERD:,} at one instant, to the handler", shop.late_ms))
    shop.late_ms.clear()


def crowd(shop: Shop, stored: int, seconds: int) -> None:
    """A thousand each second beside many: all due at the whole second, as cron lines are."""
    cycle_s = max(1, stored // PER_SECOND)
    first_ms = round(time.time() + 8 + stored / 25_000) * 1000
    began_s = time.time()
    shift = cycle_s - first_ms // 1000 % cycle_s
    at = f"{first_ms} + ((n.n % {cycle_s} + {shift}) % {cycle_s}) * 1000"
    shop.fill("many", stored, cycle_s=cycle_s, at=at)
    if shop.dialect == "postgres":
        shop.run_sql("vacuum analyze rota.schedule")
    print(f"  {stored:,} schedules stored in {time.time() - began_s:.0f} s")
    idle(shop, min(10.0, max(1.0, first_ms / 1000 - time.time() - 1)))
    shop.put("bell2", Schedule(trigger=Every(every="1d")))  # wakes the scheduler
    time.sleep(max(0.0, first_ms / 1000 - time.time()) + seconds)
    if shop.dialect == "postgres":
        print(told("1,000 each second, until queued", queued(shop, first_ms)))
    print(told("1,000 each second, to the handler", shop.late_ms))
    shop.late_ms.clear()


def queued(shop: Shop, since_ms: int) -> list[float]:
    """From the instant to the commit."""
    committed = "extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000"
    rows = shop.run_sql(
        f"select {committed} - instant from rota.firing where instant >= {since_ms}"
    )
    return [float(row[0]) for row in rows]


def idle(shop: Shop, seconds: float) -> None:
    """Of the whole worker process, its chores and heartbeats included."""
    before, began_s = os.times(), time.monotonic()
    time.sleep(seconds)
    after = os.times()
    used_s = after.user + after.system - before.user - before.system
    share = used_s / (time.monotonic() - began_s)
    print(f"  nothing due for {seconds:.0f} s: {share:.1%} of a core, the whole worker")


def wait_for(condition: Callable[[], bool]) -> None:
    end_s = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > end_s:
            raise SystemExit("  gave up after a minute")
        time.sleep(0.01)


def measure(url: str, *, stored: int, seconds: int) -> None:
    shop = Shop(url)
    try:
        time.sleep(1.0)
        idle(shop, 5.0)
        every_second(shop, seconds)
        herd(shop)
        crowd(shop, stored, seconds)
    finally:
        shop.close()


@click.command()
@click.option("--stored", default=1_000_000, show_default=True, help="Schedules on PostgreSQL.")
@click.option("--seconds", default=30, show_default=True)
@click.option("--only", type=click.Choice(["sqlite", "postgres"]))
def main(*, stored: int, seconds: int, only: str | None) -> None:
    """Measure how late schedules fire."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    if only != "sqlite":
        print("PostgreSQL")
        with PostgresServer(fsync=True, settings=SETTINGS) as server:
            measure(server.create_database(), stored=stored, seconds=seconds)
    if only != "postgres":
        print("SQLite")
        with tempfile.TemporaryDirectory(prefix="rota-bench-") as folder:
            path = Path(folder) / "rota.db"
            measure(f"sqlite:///{path}", stored=max(PER_SECOND, stored // 10), seconds=seconds)


if __name__ == "__main__":
    main()
