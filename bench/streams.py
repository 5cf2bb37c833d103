"""The delay with which many readers of the live stream see a change: `python -m bench.streams`.

A reader notes when it got the event; the change was committed when its submit was answered.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import click
import uvloop

from bench.measures import Figures, percentile
from bench.wire import HOST, connect, prepare, request, server
from tests.support.postgres import PostgresServer

PER_TOKEN = 20
LIMIT_S = 30.0


class Reader:
    """One open stream; notes when it first saw each run."""

    def __init__(self) -> None:
        self.seen_s: dict[str, float] = {}
        self.resets = 0
        self.ready = asyncio.Event()

    async def read(self, port: int, token: str) -> None:
        reader, writer = await asyncio.open_connection(HOST, port, limit=1 << 20)
        try:
            writer.write(request("GET", "/events?topics=runs", token=token))
            await writer.drain()
            while line := await reader.readline():
                self._hear(line)
        finally:
            writer.close()

    def _hear(self, line: bytes) -> None:
        if line.startswith(b'data: {"executionId":"'):
            self.seen_s.setdefault(line[22:58].decode(), time.perf_counter())
        elif line.startswith(b"event: ready"):
            self.ready.set()
        elif line.startswith(b"event: reset"):
            self.resets += 1


async def tokens(port: int, count: int) -> list[str]:
    wire = await connect(port)
    made = []
    for number in range(count):
        body = {"name": f"reader {number}", "roles": ["viewer"]}
        answer = await wire.ask(request("POST", "/tokens", body))
        made.append(json.loads(answer.body)["token"])
    wire.close()
    return made


async def measure_streams(port: int, *, readers: int, changes: int, rate: float) -> Figures:
    """Measure from the answer to a submit to the last of all readers that sees it."""
    given = await tokens(port, -(-readers // PER_TOKEN))
    crowd = [Reader() for _ in range(readers)]
    streams = [
        asyncio.create_task(each.read(port, given[at // PER_TOKEN]))
        for at, each in enumerate(crowd)
    ]
    try:
        await asyncio.wait_for(asyncio.gather(*(each.ready.wait() for each in crowd)), LIMIT_S)
        told_s = await _submit(port, changes, rate)
        await _all_seen(crowd, list(told_s))
    finally:
        for stream in streams:
            stream.cancel()
        await asyncio.gather(*streams, return_exceptions=True)
    late_ms = [
        1000 * (each.seen_s[run_id] - then_s) for run_id, then_s in told_s.items() for each in crowd
    ]
    return {
        "stream_p50_ms": percentile(late_ms, 0.5),
        "stream_p99_ms": percentile(late_ms, 0.99),
        "stream_max_ms": max(late_ms),
    }


async def _submit(port: int, count: int, rate: float) -> dict[str, float]:
    wire = await connect(port)
    told_s = {}
    for number in range(count):
        answer = await wire.ask(request("POST", "/runs", {"jobId": "noop"}))
        told_s[json.loads(answer.body)["executionId"]] = time.perf_counter()
        await asyncio.sleep(0 if number % 10 else 10 / rate)
    wire.close()
    return told_s


async def _all_seen(crowd: Sequence[Reader], run_ids: Sequence[str]) -> None:
    end_s = time.perf_counter() + LIMIT_S
    while not all(run_id in each.seen_s for each in crowd for run_id in run_ids):
        if time.perf_counter() > end_s:
            resets = sum(each.resets for each in crowd)
            raise SystemExit(f"  some readers never saw a change; {resets} resets")
        await asyncio.sleep(0.05)


@click.command()
@click.option("--readers", default=200, show_default=True)
@click.option("--changes", default=500, show_default=True)
@click.option("--rate", default=100.0, show_default=True, help="Changes a second.")
@click.option("--only", type=click.Choice(["sqlite", "postgres"]), default="sqlite")
def main(*, readers: int, changes: int, rate: float, only: str) -> None:
    """Measure how soon readers of the live stream see a change."""
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as name, contextlib.ExitStack() as stack:
        url = f"sqlite:///{name}/streams.db"
        if only == "postgres":
            url = stack.enter_context(PostgresServer(fsync=True)).create_database()
        prepare(url)
        with server(url, Path(name)) as port:
            figures = uvloop.run(measure_streams(port, readers=readers, changes=changes, rate=rate))
    for name, value in figures.items():
        print(f"  {name:<24}{value:>16,.2f}")


if __name__ == "__main__":
    main()
