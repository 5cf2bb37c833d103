"""The `rota` command as a person meets it: real processes, their output and exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread
from typing import IO, Any, NamedTuple

from rota import App, State
from rota.engine.workers.registry import workers
from tests.support.rota_process import run_rota

PATIENCE_S = 60.0
KEPT = ("PATH", "HOME", "LANG", "TMPDIR")
JOBS_ONLY = {"ROTA_SERVE": "no"}
"""Most tests of `rota up` are about jobs; a server costs half a second of a core."""

SHOP = '''
import os, signal, time
from rota import App, current_run, progress
app = App()

@app.job
def add(a: int, b: int = 1) -> int:
    return a + b

@app.job(retries=0)
def boom() -> None:
    raise ValueError("no stock")

@app.job(queue="slow")
def hold(path: str) -> str:
    """Runs until the file exists."""
    progress(0.5, "half way")
    while not os.path.exists(path):
        current_run().check()
        time.sleep(0.01)
    return "released"

@app.job
def label(text: str) -> str:
    return text
'''


class Said(NamedTuple):
    """The output and exit code of a command."""

    out: str
    err: str
    code: int

    @property
    def documents(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


class Rota:
    """Runs commands in one folder, with no settings but the given ones."""

    def __init__(self, folder: Path, **env: str) -> None:
        self.folder = folder
        kept = {name: os.environ[name] for name in KEPT if name in os.environ}
        own = {"XDG_STATE_HOME": str(folder / "state")}
        self.env = kept | JOBS_ONLY | own | env
        (folder / "shop.py").write_text(SHOP)

    def wait_until_running(self, run_id: str) -> None:
        """Wait for a run, in this process: a command for each look would cost half a second."""
        with App(self.env["ROTA_URL"]) as app:
            eventually(lambda: app.run(run_id).state is State.RUNNING, f"{run_id} is running")

    def wait_until_draining(self) -> None:
        with App(self.env["ROTA_URL"]) as app:
            eventually(
                lambda: all(
                    worker.is_draining
                    for worker in app.store.read(lambda tx: workers(tx, namespace="default"))
                ),
                "all workers drain",
            )

    def __call__(self, *words: str, stdin: str = "", **env: str) -> Said:
        ended = run_rota(words, folder=self.folder, env=self.env | env, stdin=stdin)
        return Said(ended.stdout, ended.stderr, ended.returncode)

    def good(self, *words: str, **env: str) -> Said:
        """Run a command that must exit with 0."""
        said = self(*words, **env)
        assert said.code == 0, said
        return said

    @contextmanager
    def serving(self, *words: str, **env: str) -> Iterator[Served]:
        """Start `rota up` or `rota worker`, wait until it is ready, kill it at the end."""
        with self.started(*words, **env) as served:
            served.wait_for("worker started")
            yield served

    @contextmanager
    def started(self, *words: str, **env: str) -> Iterator[Served]:
        """Start a command that keeps running; kill it at the end if needed."""
        served = Served([sys.executable, "-m", "rota", *words], self.folder, self.env | env)
        try:
            yield served
        finally:
            served.kill()


class Served:
    """A serving process in a session of its own, and all of its output so far."""

    def __init__(self, command: list[str], folder: Path, env: dict[str, str]) -> None:
        self.lines: list[str] = []
        self._heard = Condition()
        self.process = subprocess.Popen(
            command,
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self._listener = Thread(target=self._listen, args=(self.process.stdout,), daemon=True)
        self._listener.start()

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def wait_for(self, text: str, *, times: int = 1) -> None:
        """Wait until that many lines with the text were printed."""
        with self._heard:
            heard = self._heard.wait_for(
                lambda: self._count(text) >= times or not self._listener.is_alive(), PATIENCE_S
            )
        assert heard, f"{text!r} was not said:\n{self.text}"
        assert self._count(text) >= times, f"ended without saying {text!r}:\n{self.text}"

    def press_ctrl_c(self) -> None:
        """Send INT to every process of the session's group, as a terminal does."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait(self) -> int:
        code = self.process.wait(PATIENCE_S)
        self._listener.join(PATIENCE_S)
        return code

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    def _count(self, text: str) -> int:
        return sum(text in line for line in self.lines)

    def _listen(self, stream: IO[str]) -> None:
        for line in stream:
            with self._heard:
                self.lines.append(line.rstrip("\n"))
                self._heard.notify_all()


def eventually(is_so: Callable[[], object], what: str) -> None:
    """Wait for a condition, with frequent checks and a deadline."""
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end, f"never happened: {what}"
        time.sleep(0.02)
