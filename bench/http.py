"""The capacity of one server process over HTTP: submits, reads, pages, live streams.

`python -m bench.http`. The clients are one process on the same machine and share its cores.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import click
import uvloop

from bench.apart import tell
from bench.backlog import fill
from bench.measures import Figures, percentile
from bench.sizes import FULL_HTTP, LEAST_HTTP, QUICK_HTTP, HttpSizes, chosen
from bench.streams import measure_streams
from bench.wire import flood, prepare, request, server, times
from tests.support.postgres import PostgresServer

CONNECTIONS = 16
BULK_CONNECTIONS = 4
BULK = 1000
SETTINGS = {"shared_buffers": "512MB", "max_wal_size": "4GB"}
PAGES = (
    "?limit=50",
    "?jobId=noop&limit=50",
    "?status=success&limit=50",
    "?status=failed&limit=50",
    "?status=running&limit=50",
    "?status=scheduled&queue=default&limit=50",
    "?jobId=noop&status=success&limit=50",
    "?jobId=rare&limit=50",
    "?queue=rare&limit=50",
    "?schedule=rare&limit=50",
    "?error=rare&limit=50",
)


async def measure_calls(port: int, sizes: HttpSizes) -> Figures:
    """Measure single submits, bulks, and reads of the state of runs."""
    single = request("POST", "/runs", {"jobId": "noop"})
    await flood(port, times(500, lambda _: single), connections=CONNECTIONS, good=201)
    took_s, answers = await flood(
        port, times(sizes.singles, lambda _: single), connections=CONNECTIONS, good=201
    )
    waits_ms = [1000 * each.took_s for each in answers]
    ids = [json.loads(each.body)["executionId"] for each in answers]
    figures = {
        "http_submit": sizes.singles / took_s,
        "http_submit_p99_ms": percentile(waits_ms, 0.99),
    }
    reads = [request("GET", f"/runs/{run_id}") for run_id in ids]
    took_s, _ = await flood(
        port,
        times(sizes.reads, lambda at: reads[at % len(reads)]),
        connections=CONNECTIONS,
        good=200,
    )
    figures["http_read"] = sizes.reads / took_s
    many = request("POST", "/runs/bulk", {"runs": [{"jobId": "noop"}] * BULK})
    took_s, _ = await flood(
        port, times(sizes.bulks, lambda _: many), connections=BULK_CONNECTIONS, good=201
    )
    return figures | {"http_bulk": sizes.bulks * BULK / took_s}


async def measure_pages(port: int, sizes: HttpSizes) -> Figures:
    """Measure the slowest of some filters over all stored runs, each queried several times."""
    found = {}
    for query in PAGES:
        page = request("GET", f"/runs{query}")
        await flood(port, times(2, lambda _: page), connections=1, good=200)  # noqa: B023
        _, answers = await flood(port, times(sizes.pages, lambda _: page), connections=1, good=200)  # noqa: B023
        found[query] = percentile([1000 * each.took_s for each in answers], 0.95)
    return {"http_page_ms": max(found.values())}


def measure(url: str, folder: Path, sizes: HttpSizes) -> Figures:
    """Return all figures of one store, which is empty."""
    prepare(url)
    with server(url, folder) as port:
        figures = uvloop.run(measure_calls(port, sizes))
    with server(url, folder) as port:
        figures |= uvloop.run(
            measure_streams(port, readers=sizes.readers, changes=sizes.changes, rate=sizes.rate)
        )
    fill(url, sizes.backlog)
    with server(url, folder) as port:
        figures |= uvloop.run(measure_pages(port, sizes))
    return figures


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: to see that it works.")
@click.option("--only", type=click.Choice(["sqlite", "postgres"]))
@click.option("--json", "json_path", type=Path, help="Write the figures into this file, too.")
def main(*, quick: bool, only: str | None, json_path: Path | None) -> None:
    """Measure one server process."""
    sizes = chosen(FULL_HTTP, QUICK_HTTP, LEAST_HTTP, is_quick=quick)
    found: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as name:
        folder = Path(name)
        if only != "postgres":
            found["sqlite"] = measure(f"sqlite:///{folder}/http.db", folder, sizes)
            tell("SQLite", found["sqlite"])
        if only != "sqlite":
            with PostgresServer(fsync=True, settings=SETTINGS) as database:
                found["postgres"] = measure(database.create_database(), folder, sizes)
                tell("PostgreSQL", found["postgres"])
    if json_path is not None:
        json_path.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
