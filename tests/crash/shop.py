"""The app that the processes of these tests serve; its store comes from ROTA_URL."""

from __future__ import annotations

import ctypes
import os
import time

from rota import App
from tests.support.deeds import work, work_deafly, work_slowly
from tests.support.effects import add_jobs

TRAIL = os.environ.get("ROTA_TEST_TRAIL", os.devnull)


def count(number: int) -> int:
    """Two milliseconds of work; every hundredth fails at its first attempt."""
    attempt = work(TRAIL)
    time.sleep(0.002)
    if number % 100 == 99 and attempt == 1:
        raise ValueError("first attempts of this one fail")
    return number


def segfault() -> None:
    ctypes.string_at(0)


def echo(number: int) -> int:
    return number


def shop(url: str | None = None) -> App:
    """All jobs, on any store."""
    app = App(url)
    app.job(retries=2, backoff="none")(count)
    app.job(retries=50)(segfault)
    app.job(echo)
    app.job(work_slowly)
    app.job(work_deafly)
    app.job(name="work_once", delivery="at_most_once")(work_slowly)
    app.job(name="work_apart", isolation="process")(work_slowly)
    add_jobs(app)
    app.command("sleep", ["sh", "-c", "echo $$ > {path}; exec sleep 60"])
    return app


app = shop()
