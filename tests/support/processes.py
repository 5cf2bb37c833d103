"""Processes of Rota for tests that kill them: started here, watched from outside, never left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import psutil

from rota.app import App
from rota.engine.workers.registry import workers
from tests.support.calls import eventually
from tests.support.source import ROOT

QUICK: dict[str, Any] = {
    "slots": 4,
    "lease_ms": 1500,
    "heartbeat_ms": 300,
    "margin_ms": 500,
    "grace_ms": 500,
    "poll_ms": 200,
}


class Program:
    """A started program, its output in a file, and all it starts."""

    def __init__(self, argv: list[str], *, log: Path, env: dict[str, str]) -> None:
        self.log = log
        with log.open("ab") as output:
            self.popen = subprocess.Popen(
                argv, cwd=ROOT, env=os.environ | env, stdout=output, stderr=subprocess.STDOUT
            )
        self.pid = self.popen.pid
        self._known: dict[int, psutil.Process] = {}

    def family(self) -> list[psutil.Process]:
        """Return all living descendants of the process, also those that outlived their parent."""
        with contextlib.suppress(psutil.NoSuchProcess):
            for each in psutil.Process(self.pid).children(recursive=True):
                self._known.setdefault(each.pid, each)
        return [each for each in self._known.values() if _lives(each)]

    def children(self) -> list[int]:
        return [child.pid for child in psutil.Process(self.pid).children() if _lives(child)]

    def notices(self, name: str | None = None) -> list[dict[str, Any]]:
        """Return the notices of the program so far."""
        lines = self.log.read_text(errors="replace").splitlines()
        found = [json.loads(line) for line in lines if line.startswith('{"notice"')]
        return [each for each in found if name in (None, each["notice"])]

    def wait_for(self, name: str) -> None:
        eventually(lambda: self.notices(name) or self.popen.poll() is not None)
        assert self.notices(name), self.log.read_text()

    def send(self, number: signal.Signals) -> None:
        self.popen.send_signal(number)

    def freeze(self, url: str) -> None:
        """Send SIGSTOP, as to a paused machine; not while it holds the only lock of SQLite."""
        while True:
            self.send(signal.SIGSTOP)
            eventually(lambda: psutil.Process(self.pid).status() == psutil.STATUS_STOPPED)
            if not _is_locked(url):
                return
            self.send(signal.SIGCONT)

    def kill(self) -> None:
        """Send SIGKILL, and wait until it is dead; its child processes must die without help."""
        self.family()
        self.popen.kill()
        self.popen.wait(60)

    def wait(self, timeout_s: float = 60) -> int:
        """Wait for the exit code; the log is shown when it does not end."""
        try:
            return self.popen.wait(timeout_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end: {self.log.read_text()}") from None

    def clean_up(self) -> None:
        family = self.family()
        if self.popen.poll() is None:
            self.send(signal.SIGCONT)
            self.kill()
        for each in family:
            with contextlib.suppress(psutil.NoSuchProcess):
                each.kill()


class Crew:
    """Starts the processes of one test on one store."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.trail = folder / "trail"
        self._folder = folder
        self._programs: list[Program] = []

    def worker(self, **options: Any) -> Program:
        """Start a worker process with short leases; it works when this returns."""
        program = self.start_worker(**options)
        program.wait_for("worker.started")
        return program

    def heir(self) -> Program:
        """Start a worker that takes over; its lease is too long to be lost on a busy machine."""
        return self.worker(lease_ms=60_000, margin_ms=10_000)

    def start_worker(self, **options: Any) -> Program:
        return self._start("-m", "tests.crash.serve", json.dumps(QUICK | options))

    def frozen(self, chore: str) -> Program:
        """Start a process that hangs in a transaction that does this chore."""
        program = self._start("-m", "tests.crash.freeze", chore)
        program.wait_for("frozen")
        return program

    def client(self) -> Program:
        return self._start("-m", "tests.crash.client")

    def rota(self, *arguments: str) -> Program:
        """Start the command line."""
        return self._start("-m", "rota", *arguments)

    def close(self) -> None:
        for program in self._programs:
            program.clean_up()

    def _start(self, *arguments: str) -> Program:
        program = Program(
            [sys.executable, *arguments],
            log=self._folder / f"process-{len(self._programs)}.log",
            env={"ROTA_URL": self.url, "ROTA_TEST_TRAIL": str(self.trail)},
        )
        self._programs.append(program)
        return program


@contextlib.contextmanager
def crew_of(url: str, folder: Path) -> Iterator[Crew]:
    crew = Crew(url, folder)
    try:
        yield crew
    finally:
        crew.close()


def is_draining(app: App) -> bool:
    """Whether a worker has learned of its end and recorded that."""
    found = app.store.read(lambda tx: workers(tx, namespace=app.namespace))
    return any(each.is_draining for each in found)


def _is_locked(url: str) -> bool:
    """Whether a process is writing; on PostgreSQL that stops no other."""
    if not url.startswith("sqlite"):
        return False
    connection = apsw.Connection(url.removeprefix("sqlite:///"))
    try:
        connection.execute("begin immediate; rollback")
    except apsw.BusyError:
        return True
    finally:
        connection.close()
    return False


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
