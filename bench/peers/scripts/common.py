"""The shared part of all peers' scripts: counting in the worker, measuring in the driver.

Runs inside the peers' own venvs: standard library only, no import of Rota or of the harness.
"""

from __future__ import annotations

import asyncio
import json
import math
import mmap
import os
import struct
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple, Protocol

URL = os.environ["PEER_URL"]
FOLDER = Path(os.environ["PEER_FOLDER"])
CHUNK = 1_000
"""Jobs handed over in one bulk call, the same for every peer."""
WAIT_S = 60.0
"""A measure that takes longer than this is a failure of the peer, not a result."""
GAP_S = 0.02
"""Pause between two single submits of the latency measure: the worker is idle again by then."""
SETTLE_S = 0.5
"""Rest before the latency measure, so that buffered finishes of the burst are written."""

_SLOT = struct.Struct("<QQQ")  # first completion ns, last completion ns, completions
_START = struct.Struct("<QQ")  # index of the submit, start ns


class _Tally:
    """Completions of this process in a small mapped file that the driver reads."""

    def __init__(self) -> None:
        path = FOLDER / "done" / str(os.getpid())
        path.write_bytes(bytes(_SLOT.size))
        with path.open("r+b") as file:
            self._slot = mmap.mmap(file.fileno(), _SLOT.size)
        self._lock = threading.Lock()
        self._first = self._count = 0

    def add(self) -> None:
        with self._lock:
            now = time.time_ns()
            self._first = self._first or now
            self._count += 1
            _SLOT.pack_into(self._slot, 0, self._first, now, self._count)


_tallies: dict[int, _Tally] = {}
"""By process id: prefork workers import the job module first, and each child needs its own."""
_making = threading.Lock()


def done() -> None:
    """Count one completed no-op job of this process."""
    pid = os.getpid()
    if pid not in _tallies:
        with _making:
            if pid not in _tallies:
                _tallies[pid] = _Tally()
    _tallies[pid].add()


def started(index: int) -> None:
    """Note the moment at which the handler of submit number `index` began."""
    now = time.time_ns()
    with (FOLDER / "starts").open("ab", buffering=0) as file:
        file.write(_START.pack(index, now))


class Driver(Protocol):
    """The submitting side of one peer; synchronous peers simply block in these methods."""

    has_bulk: bool

    async def open(self) -> None: ...
    async def submit(self) -> None: ...
    async def submit_many(self, count: int) -> None: ...
    async def submit_stamp(self, index: int) -> None: ...


class Done(NamedTuple):
    """The completions of all worker processes together."""

    count: int
    first_ns: int
    last_ns: int


def _completed() -> Done:
    texts = [path.read_bytes() for path in (FOLDER / "done").iterdir()]
    slots = [_SLOT.unpack(text) for text in texts if len(text) == _SLOT.size]  # else: being made
    live = [slot for slot in slots if slot[2]]
    if not live:
        return Done(0, 0, 0)
    return Done(sum(s[2] for s in live), min(s[0] for s in live), max(s[1] for s in live))


def _percentile(values: list[float], share: float) -> float:
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


class Bench:
    """The measures, each a verb that the harness calls by name with a count."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._submitted = 0

    async def submit(self, count: int) -> dict[str, float]:
        """Submit one by one, in one thread."""
        begin = time.perf_counter()
        for _ in range(count):
            await self._driver.submit()
        took = time.perf_counter() - begin
        self._submitted += count
        return {"submit_one": count / took}

    async def fill(self, count: int) -> dict[str, float]:
        """Submit by the fastest documented way; a figure only where that is a bulk call."""
        begin = time.perf_counter()
        await self._submit_fast(count)
        took = time.perf_counter() - begin
        return {"submit_bulk": count / took} if self._driver.has_bulk else {}

    async def drain(self, _: int) -> dict[str, float]:
        """Wait until the workers have run the whole backlog; from first to last completion."""
        end = await self._all_done()
        return {"drain": (end.count - 1) / ((end.last_ns - end.first_ns) / 1e9)}

    async def end_to_end(self, count: int) -> dict[str, float]:
        """Submit while the workers run; from the first submit to the last completion."""
        if (before := _completed().count) != self._submitted:
            raise RuntimeError(f"{before} completions of {self._submitted} jobs: some ran twice")
        begin_ns = time.time_ns()
        await self._submit_fast(count)
        end = await self._all_done()
        return {"end_to_end": count / ((end.last_ns - begin_ns) / 1e9)}

    async def latency(self, count: int) -> dict[str, float]:
        """Single submits to idle workers; from the call of submit to the start of the handler."""
        await asyncio.sleep(SETTLE_S)
        sent: list[int] = []
        for index in range(count):
            sent.append(time.time_ns())
            await self._driver.submit_stamp(index)
            await asyncio.sleep(GAP_S)
        waits = [(at - sent[index]) / 1e6 for index, at in await self._all_started(count)]
        return {
            "latency_p50_ms": _percentile(waits, 0.5),
            "latency_p99_ms": _percentile(waits, 0.99),
        }

    async def _submit_fast(self, count: int) -> None:
        if self._driver.has_bulk:
            for begin in range(0, count, CHUNK):
                await self._driver.submit_many(min(CHUNK, count - begin))
        else:
            for _ in range(count):
                await self._driver.submit()
        self._submitted += count

    async def _all_done(self) -> Done:
        deadline = time.monotonic() + WAIT_S
        while (end := _completed()).count < self._submitted:
            if time.monotonic() > deadline:
                raise TimeoutError(f"{end.count} of {self._submitted} jobs done in {WAIT_S:.0f} s")
            await asyncio.sleep(0.01)
        return end

    async def _all_started(self, count: int) -> list[tuple[int, int]]:
        path, deadline = FOLDER / "starts", time.monotonic() + WAIT_S
        while not path.exists() or path.stat().st_size < count * _START.size:
            if time.monotonic() > deadline:
                raise TimeoutError(f"not all of {count} single jobs started in {WAIT_S:.0f} s")
            await asyncio.sleep(0.01)
        return [_START.unpack_from(path.read_bytes(), at * _START.size) for at in range(count)]


async def _serve(driver: Driver) -> None:
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # what a peer prints goes to the log, never among the answers
    (FOLDER / "done").mkdir(exist_ok=True)
    bench = Bench(driver)
    await driver.open()
    print(json.dumps({}), file=answers)
    while line := await asyncio.to_thread(sys.stdin.readline):
        verb, count = line.split()
        measure = getattr(bench, verb)
        try:
            answer = await measure(int(count))
        except Exception as error:  # noqa: BLE001 - a peer may raise anything; the harness reports it
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(answer), file=answers)


def serve(driver: Driver) -> None:
    """Answer the harness: a line `verb count` in, a line of JSON out, until stdin closes."""
    asyncio.run(_serve(driver))
