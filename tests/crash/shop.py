"""The app that the processes of these tests serve; its store comes from ROTA_URL."""

from __future__ import annotations

import ctypes
import os
import subprocess
import time
from pathlib import Path

from rota import App
from tests.support.effects import add_jobs
from tests.support.trace_handlers import work, work_deafly, work_slowly

TRAIL = os.environ.get("ROTA_TEST_TRAIL", os.devnull)


def count(number: int) -> int:
    """Work for two milliseconds; every hundredth fails at its first attempt."""
    attempt = work(TRAIL)
    time.sleep(0.002)
    if number % 100 == 99 and attempt == 1:
        raise ValueError("first attempts of this one fail")
    return number


def segfault() -> None:
    ctypes.string_at(0)


def nest(path: str) -> None:
    """Start programs that start programs."""
    with subprocess.Popen(["sh", "-c", "sleep 600 & sleep 600"]) as popen:
        Path(path).touch()
        popen.wait()


def echo(number: int) -> int:
    return number


def weigh(xs: list[int]) -> int:
    """Return one more than the sum of the results before it."""
    work(TRAIL)
    return sum(xs) + 1


LAYERS, WIDTH = 4, 4


def lattice(app: App) -> None:
    """Define a graph of layers, each node after all of the layer before: 52 edges."""
    job = app.job(retries=2, backoff="none")(weigh)

    @app.graph(name="lattice")
    def make(n: int) -> int:
        layer = [job([n]) for _ in range(WIDTH)]
        for _ in range(LAYERS - 1):
            layer = [job(list(layer)) for _ in range(WIDTH)]
        return job(list(layer))


def shop(url: str | None = None) -> App:
    """Return an app with all jobs, on any store."""
    app = App(url)
    app.job(retries=2, backoff="none")(count)
    app.job(retries=50)(segfault)
    app.job(echo)
    app.job(work_slowly)
    app.job(work_deafly)
    app.job(name="work_once", delivery="at_most_once")(work_slowly)
    app.job(name="work_apart", isolation="process")(work_slowly)
    add_jobs(app)
    lattice(app)
    app.command("sleep", ["sh", "-c", 'echo $$ > "$1"; exec sleep 60', "sh", "{path}"])
    app.command(
        "nest",
        ["sh", "-c", "sh -c 'sleep 600 & sleep 600' & sleep 600 & echo > $1; wait", "sh", "{path}"],
    )
    app.job(name="nest_apart", isolation="process")(nest)
    return app


app = shop()
