"""Every read of the API beside large tables: `python -m bench.reads [--only ...] [--runs N]`.

Each is repeated with pauses beyond the cache of two seconds; the 95th percentile counts. `--url`
names a store that `bench.lively` filled before.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import click
import uvloop

from bench.http import SETTINGS
from bench.lively import GRAPH, fill
from bench.measures import STORES, Figures, StoreName, percentile
from bench.wire import connect, request, server
from rota.ttl_cache import GOOD_S
from tests.support.postgres import PostgresServer

AT_MOST_MS = 100
RUNS = (
    *("", "?status=success", "?status=failed", "?status=skipped", "?status=running"),
    *("?status=queued", "?status=scheduled", "?status=queued&queue=q7", "?jobId=job7"),
    *("?jobId=job7&status=failed", "?queue=q7", "?queue=q7&status=success", "?schedule=s7"),
    *("?error=order", "?error=rare", "?text=order", "?text=rare"),
)
WINDOWS = ("1m", "1h", "6h", "24h", "72h", "168h", "30d")
PATHS = (
    *(f"/runs{query}" for query in RUNS),
    *(f"/statistics/overview?window={each}" for each in WINDOWS),
    *(f"/jobs/job7/statistics?window={each}" for each in WINDOWS),
    *(f"/statistics/forecast?hours={each}" for each in (1, 24, 72, 168)),
    *("/schedules/upcoming", "/schedules/upcoming?limit=1000", "/schedules?limit=200"),
    *("/schedules/s7", "/schedules/s7?count=500", "/schedules/s7/firings", "/schedules?jobId=job7"),
    *("/jobs", "/jobs?limit=200", "/jobs/job7", "/jobs/job7/versions", "/jobs/job7/parameters"),
    *("/graphs", f"/graphs/{GRAPH}", f"/graphs/{GRAPH}/grid"),
    *("/queues", "/workers", "/breakers", "/calendars", "/blackouts", "/templates", "/backfills"),
    *("/dead-letters", "/dead-letters?jobId=job1", "/dead-letters?state=redriven"),
    *("/dead-letters/groups", "/dead-letters/groups?limit=200"),
    *("/audit", "/audit?limit=200", "/audit?who=ann3", "/audit?verb=rare", "/audit?verb=cancel"),
    *("/search?q=job7", "/search?q=parcel", "/search?q=rare", "/search?q=0192"),
    *("/logs?q=parcel", "/logs?q=rare", "/logs?q=order", "/logs?q=order&jobId=job7"),
    *("/namespaces", "/tokens", "/version", "/session"),
    *("/runs/{live}", "/runs/{live}/why", "/runs/{queued}/why", "/runs/{running}/why"),
    *("/runs/{ended}", "/runs/{failed}", "/runs/{failed}/why", "/runs/{failed}/attempts"),
    *("/runs/{ended}/logs", "/dead-letters/{failed}"),
)
KINDS = {"live": "scheduled", "queued": "queued", "running": "running", "ended": "success"}


async def ask_all(port: int, rounds: int) -> Iterator[tuple[str, Figures]]:
    """Yield how long each read took, the slowest first."""
    wire = await connect(port)
    ids = {}
    for name, status in {**KINDS, "failed": "failed"}.items():
        answer = await wire.ask(request("GET", f"/runs?status={status}&limit=1"))
        ids[name] = json.loads(answer.body)["items"][0]["executionId"]
    found: dict[str, list[float]] = {path: [] for path in PATHS}
    statuses = {}
    for _ in range(rounds):
        began_s = time.monotonic()
        for path in PATHS:
            answer = await wire.ask(request("GET", path.format(**ids)))
            found[path].append(1_000 * answer.took_s)
            statuses[path] = answer.status
        await asyncio.sleep(max(0.0, began_s + GOOD_S - time.monotonic()))
    wire.close()
    figures = {
        path: {
            "p50": percentile(took, 0.5),
            "p95": percentile(took, 0.95),
            "first": took[0],
            "status": statuses[path],
        }
        for path, took in found.items()
    }
    return iter(sorted(figures.items(), key=lambda pair: -pair[1]["p95"]))


def measure(url: str, folder: Path, rounds: int) -> None:
    with server(url, folder) as port:
        for path, each in uvloop.run(ask_all(port, rounds)):
            slow = each["p95"] > AT_MOST_MS or each["status"] != 200
            click.echo(
                f"{'!' if slow else ' '} {each['p50']:9,.1f} {each['p95']:9,.1f}"
                f" {each['first']:9,.1f}  {each['status']:.0f}  {path}"
            )


@click.command()
@click.option("--only", type=click.Choice(STORES))
@click.option("--runs", default=1_000_000, show_default=True, help="To come, and as many ended.")
@click.option("--rounds", default=5, show_default=True)
@click.option("--url", help="Of a store that was filled before.")
def main(*, only: StoreName | None, runs: int, rounds: int, url: str | None) -> None:
    """Read everything that one server process offers."""
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as name:
        folder = Path(name)
        if url is not None:
            measure(url, folder, rounds)
            return
        if only != "postgres":
            url = f"sqlite:///{folder}/reads.db"
            fill(url, runs)
            measure(url, folder, rounds)
        if only != "sqlite":
            with PostgresServer(fsync=True, settings=SETTINGS) as database:
                url = database.create_database()
                fill(url, runs)
                measure(url, folder, rounds)


if __name__ == "__main__":
    main()
