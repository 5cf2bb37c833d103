"""Rota's own figures, through its public API.

On SQLite the submitting thread and the worker share one process, as in `rota up` with an app that
submits; on PostgreSQL the workers are processes of `rota worker`.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Thread

from bench.measures import Figures, latency_figures
from bench.probe import Probe, Span, now_ms
from bench.programs import rota
from bench.shop import make_app
from bench.sizes import CHUNK, CLIENTS, Sizes

WORKERS = 2
WARM_UP = 1_000
SETTLE_S = 0.3
"""Rest before latencies are measured, so that the workers are idle."""


class Engine:
    """Rota behind the same measures as the raw limit."""

    def __init__(self, url: str, sizes: Sizes) -> None:
        self._sizes = sizes
        self.url = url
        self.app = make_app(url)
        self.app.define(self.app.jobs.values())
        self.probe = Probe(url)
        self._backlog = 0
        self._last = ""

    def close(self) -> None:
        self.probe.close()
        self.app.close()

    def working(self, processes: int) -> AbstractContextManager[object]:
        """Return a context in which workers run."""
        raise NotImplementedError

    def submit_single_1(self) -> Figures:
        begin = time.perf_counter()
        self._submit_singly(self._sizes.singles)
        took = time.perf_counter() - begin
        self._backlog += self._sizes.singles
        return {"submit_single_1": self._sizes.singles / took}

    def submit_single_8(self) -> Figures:
        each = self._sizes.singles * 2 // CLIENTS
        threads = [Thread(target=self._submit_singly, args=(each,)) for _ in range(CLIENTS)]
        begin = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        took = time.perf_counter() - begin
        self._backlog += each * CLIENTS
        return {"submit_single_8": each * CLIENTS / took}

    def submit_bulk(self) -> Figures:
        begin = time.perf_counter()
        self._submit_many(self._sizes.jobs)
        took = time.perf_counter() - begin
        self._backlog += self._sizes.jobs
        return {"submit_bulk": self._sizes.jobs / took}

    def drain(self) -> Figures:
        """Measure from the first claim to the last record, without the start of the workers."""
        begin_ms = now_ms()
        with self.working(WORKERS):
            span = self.probe.await_done(self._backlog, since_ms=begin_ms, last=self._last)
        self._backlog = 0
        return {"drain": _rate(span, span.first_ms)}

    def end_to_end(self) -> Figures:
        """Measure from before the first submit to the last record in history, with its result."""
        with self.working(WORKERS):
            self._warm_up()
            begin_ms = now_ms()
            self._submit_many(self._sizes.jobs)
            span = self.probe.await_done(self._sizes.jobs, since_ms=begin_ms, last=self._last)
        return {"end_to_end": _rate(span, begin_ms)}

    def latency(self) -> Figures:
        """Measure from before the submit to the first line of the handler."""
        stamp = self.app.jobs["stamp"]
        with self.working(1):
            self._warm_up()
            time.sleep(SETTLE_S)
            begin_ms = now_ms()
            for _ in range(self._sizes.latency):
                self._last = stamp.submit(time.monotonic_ns()).id
                time.sleep(random.uniform(0.01, 0.02))
            self.probe.await_done(self._sizes.latency, since_ms=begin_ms, last=self._last)
        return latency_figures(self.probe.results("stamp", since_ms=begin_ms))

    def _warm_up(self) -> None:
        begin_ms = now_ms()
        self._submit_many(WARM_UP)
        self.probe.await_done(WARM_UP, since_ms=begin_ms, last=self._last)

    def _submit_singly(self, count: int) -> None:
        noop = self.app.jobs["noop"]
        for _ in range(count):
            noop.submit()

    def _submit_many(self, count: int) -> None:
        noop = self.app.jobs["noop"]
        for at in range(0, count, CHUNK):
            self._last = noop.submit_many([()] * min(CHUNK, count - at))[-1].id


class SqliteEngine(Engine):
    """The worker is a part of this process."""

    def __init__(self, folder: Path, sizes: Sizes) -> None:
        super().__init__(f"sqlite:///{folder}/rota.db", sizes)

    @contextmanager
    def working(self, processes: int) -> Iterator[object]:  # noqa: ARG002  # this one serves
        worker = self.app.worker()
        worker.start()
        try:
            yield worker
        finally:
            worker.stop()


class PostgresEngine(Engine):
    """The workers are processes of their own."""

    def __init__(self, url: str, sizes: Sizes, *, folder: Path) -> None:
        super().__init__(url, sizes)
        self._folder = folder

    @contextmanager
    def working(self, processes: int) -> Iterator[object]:
        arguments = ["worker", "bench.shop:app", "--url", self.url, "--processes", str(processes)]
        with rota(arguments, folder=self._folder) as program:
            self.probe.await_workers(processes)
            yield program


def _rate(span: Span, begin_ms: int) -> float:
    return span.count / max(span.last_ms - begin_ms, 1) * 1000
