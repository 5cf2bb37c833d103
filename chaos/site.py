"""The place of a chaos run: PostgreSQL, two databases, wires, workers and clients.

Everything is started here and ended here; nothing outside is touched.
"""

from __future__ import annotations

import contextlib
import json
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg

from chaos.client import GATE
from chaos.jobs import FOLDER, OTHER, TABLES
from chaos.servers import Servers, servers_of
from chaos.sizes import CLIENTS, WIRED_WORKERS, WORKERS, Sizes
from chaos.wire import Wire
from rota.store.open import open_store
from tests.support.postgres import database_of
from tests.support.processes import Program

START_S = 180.0
END_S = 40.0


class Seat:
    """A place for one process, which is restarted after each end."""

    def __init__(self, name: str, start: Callable[[], Program], wire: Wire | None) -> None:
        self.name = name
        self.wire = wire
        self.is_well = True
        """Whether no fault is active here."""
        self._start = start
        self.program = start()

    @property
    def has_ended(self) -> bool:
        return self.program.popen.poll() is not None

    def start(self) -> None:
        """Start a process in place of one that ended."""
        self.program.clean_up()
        self.program = self._start()

    def send_all(self, number: signal.Signals) -> None:
        """Send a signal to the process and to all its descendants."""
        family = self.program.family()
        self.program.send(number)
        for each in family:
            with contextlib.suppress(Exception):  # it may end in between
                each.send_signal(number)


class Site:
    """All processes of one run; create it with `site_in`."""

    def __init__(self, folder: Path, sizes: Sizes, seed: int, servers: Servers) -> None:
        self.folder = folder
        self.sizes = sizes
        self.servers = servers
        self._database = database_of(servers.primary.create_database())
        self._other = database_of(servers.primary.create_database())
        self._seed = seed
        self._wires = [Wire(servers.port) for _ in range(WIRED_WORKERS + 1)]
        self.workers: list[Seat] = []
        self.clients: list[Seat] = []
        self._make_tables()

    def open_gate(self, runs: int) -> None:
        """Let each client submit until this many of its runs were acknowledged."""
        fresh = self.folder / f"{GATE}.new"
        fresh.write_text(str(runs))
        fresh.replace(self.folder / GATE)

    def start(self) -> None:
        """Start workers and clients; returns when all workers work."""
        worker_wires = [*self._wires[:WIRED_WORKERS], *[None] * (WORKERS - WIRED_WORKERS)]
        self.workers = [self._worker(at, wire) for at, wire in enumerate(worker_wires)]
        self.clients = [
            self._client(at, self._wires[-1] if at == 0 else None) for at in range(CLIENTS)
        ]
        end_s = time.monotonic() + START_S
        while self.ask("select count(*) from rota.worker")[0][0] < WORKERS:
            if time.monotonic() > end_s:
                raise TimeoutError("the workers did not start")
            time.sleep(0.05)

    def ask(self, statement: str, params: Any = None, *, other: bool = False) -> list[Any]:
        """Return rows of one of the databases, without Rota's own code."""
        url = self.servers.primary.url(self._other if other else self._database)
        with psycopg.connect(url, autocommit=True, connect_timeout=5) as connection:
            return connection.execute(statement.encode(), params).fetchall()

    def fail_over(self) -> None:
        """Promote the standby to primary, and point the wires to it."""
        if self.servers.pair is None:
            raise AssertionError("there is no standby here")
        self.servers.pair.fail_over()
        for wire in self._wires:
            wire.target = self.servers.port

    def end_workers(self) -> list[str]:
        """Stop workers as an operator does; return the names of those that failed to stop."""
        for seat in self.workers:
            seat.program.send(signal.SIGTERM)
        bad = []
        for seat in self.workers:
            try:
                code = seat.program.wait(END_S)
            except AssertionError:
                code = -1
            if code != 0:
                bad.append(f"{seat.name} ended with {code}")
        return bad

    def close(self) -> None:
        for seat in (*self.workers, *self.clients):
            seat.program.clean_up()
        for wire in self._wires:
            wire.close()

    def _make_tables(self) -> None:
        urls = [self.servers.primary.url(name) for name in (self._database, self._other)]
        open_store(urls[0]).close()
        for url in urls:
            with psycopg.connect(url) as connection:
                connection.execute(TABLES.encode())

    def _worker(self, at: int, wire: Wire | None) -> Seat:
        if self.sizes.worker:
            words = ["-m", "chaos.serve", json.dumps(dict(self.sizes.worker))]
        else:
            words = ["-m", "rota", "worker", "chaos.jobs:app", "--slots", "16"]
        return Seat(f"worker-{at}", self._starter(f"worker-{at}", words, wire), wire)

    def _client(self, at: int, wire: Wire | None) -> Seat:
        share = -(-self.sizes.jobs // CLIENTS)
        words = ["-m", "chaos.client", str(self._seed), str(at), str(share)]
        return Seat(f"client-{at}", self._starter(f"client-{at}", words, wire), wire)

    def _starter(self, name: str, words: list[str], wire: Wire | None) -> Callable[[], Program]:
        port = None if wire is None else wire.port
        env = {
            "ROTA_URL": self.servers.address(self._database, wire_port=port),
            FOLDER: str(self.folder),
            OTHER: self._other_address(),
        }
        log = self.folder / f"{name}.out"
        return lambda: Program([sys.executable, *words], log=log, env=env)

    def _other_address(self) -> str:
        """Return the second database's address, past a pooler and all wires."""
        pair = self.servers.pair
        return self.servers.primary.url(self._other) if pair is None else pair.address(self._other)


@contextmanager
def site_in(folder: Path, sizes: Sizes, seed: int) -> Iterator[Site]:
    """Yield a site with its tables; `start` starts its processes."""
    with servers_of(sizes) as servers:
        site = Site(folder, sizes, seed, servers)
        try:
            yield site
        finally:
            site.close()
