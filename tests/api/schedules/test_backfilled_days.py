"""A backfill of ten days does ten days' work: each node sees the day of its own run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rota import App, current_run, this_run
from rota.client import Client
from rota.engine.runs.lists import runs
from rota.model.runs.run import RunView
from rota.remote import RemoteWorker
from rota.runtime.options import WorkerOptions
from rota.runtime.worker import Worker
from tests.api.serving import serving
from tests.docs.pages import page
from tests.support.cli import Rota

TEN_DAYS = [date(2026, 11, day) for day in range(1, 11)]
COMMAND = "rota schedules backfill nightly --from 2026-11-01 --until 2026-11-11"
OPTIONS: dict[str, Any] = {"slots": 8, "poll_ms": 100, "lease_ms": 60_000, "margin_ms": 10_000}
README = page("README.md")


@contextmanager
def working(worker: Worker) -> Iterator[None]:
    worker.start()
    try:
        yield
    finally:
        worker.hurry()
        worker.stop()


@contextmanager
def near(app: App) -> Iterator[None]:
    """A worker with the database."""
    with working(app.worker(WorkerOptions(**OPTIONS))):
        yield


@contextmanager
def far(app: App) -> Iterator[None]:
    """A worker of a server does the work; one with the database only does the chores."""
    chores = app.worker(WorkerOptions(**OPTIONS, queues=("nobody",)))
    with serving(app.url) as served, working(chores):
        token = served.token("worker", queues=("default",))
        client = Client(served.address, token=token, patience=0)
        with working(RemoteWorker(app, client, WorkerOptions(**OPTIONS), token=token)):
            yield


def backfilled(url: str, folder: Path) -> str:
    """What the command says, which waits for the end."""
    return Rota(folder, ROTA_URL=url).good(*COMMAND.split()[1:]).out


def test_the_backfill_of_the_readme_does_the_work_of_its_ten_days(
    api_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block,) = [each for each in README.blocks() if each.title == "etl.py"]
    monkeypatch.setenv("ROTA_URL", api_url)
    etl: Any = ModuleType("etl")
    monkeypatch.setitem(sys.modules, "etl", etl)
    exec(block.text, vars(etl))
    with etl.app as app, near(app):
        said = backfilled(api_url, tmp_path)
        nights, extracts = (_runs(app, job) for job in ("nightly", "extract"))

    assert f"`{COMMAND}` runs it for ten past\ndays" in README.text
    assert "10 succeeded" in said
    assert _days(nights) == _days(extracts) == [str(day) for day in TEN_DAYS]
    assert {(run.state, run.result) for run in nights} == {("success", '"60 loaded"')}


def _runs(app: App, job: str) -> list[RunView]:
    return app.store.read(lambda tx: runs(tx, namespace=app.namespace, job=job))


def _days(found: list[RunView]) -> list[str]:
    return sorted(json.loads(run.args)["day"] for run in found)


@pytest.mark.parametrize(
    ("api_url", "work"),
    [("sqlite", near), ("sqlite", far), pytest.param("postgres", near, marks=pytest.mark.postgres)],
    indirect=["api_url"],
)
def test_single_mapped_and_nested_nodes_see_the_day_of_their_own_run(
    api_url: str, tmp_path: Path, work: Callable[[App], AbstractContextManager[None]]
) -> None:
    seen: list[tuple[str, str, date | None, datetime | None]] = []

    def note(name: str, day: str) -> None:
        run = current_run()
        seen.append((name, day, run.scheduled_day, run.scheduled_for))

    with App(api_url) as app:

        @app.job
        def single(day: str) -> list[int]:
            note("single", day)
            return [1, 2]

        @app.job
        def mapped(number: int, day: str) -> None:
            note(f"mapped {number}", day)

        @app.job
        def nested(day: str) -> None:
            note("nested", day)

        @app.graph
        def inner(day: str) -> None:
            nested(day)

        @app.graph(
            schedule="0 2 * * *", timezone="Europe/Paris", args={"day": this_run.scheduled_day}
        )
        def nightly(day: str) -> None:
            mapped.map(single(day), day=day)
            inner(day)

        with work(app):
            said = backfilled(api_url, tmp_path)

    names = ("mapped 1", "mapped 2", "nested", "single")
    at_two = [datetime(2026, 11, day.day, 1, tzinfo=UTC) for day in TEN_DAYS]  # in Paris
    assert "10 succeeded" in said
    assert sorted(seen) == [
        (name, str(day), day, at)
        for name in names
        for day, at in zip(TEN_DAYS, at_two, strict=True)
    ]
