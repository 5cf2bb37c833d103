"""Schedules in the hands of a program: what is refused, what is shown, what the code declares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rota import App
from rota.app.schedules import Schedules
from rota.errors import UnknownJob
from tests.contract.builders import run_sql


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    with App(f"sqlite:///{tmp_path}/rota.db") as app:

        @app.job
        def report() -> None: ...

        yield app


def test_a_schedule_of_a_job_that_nobody_knows_is_refused(app: App) -> None:
    with pytest.raises(UnknownJob, match="Did you mean 'report'"):
        app.schedules.put("evening", "0 18 * * *", job="repotr")


def test_a_job_that_only_the_store_knows_is_fine(app: App) -> None:
    app.define(app.jobs.values())
    with App(app.url) as other:
        assert other.schedules.put("evening", "0 18 * * *", job="report").state == "active"


def test_a_preview_ends_with_the_count(app: App) -> None:
    app.schedules.put("evening", "0 18 * * *", job="report", count=3)
    app.schedules.trigger("evening")

    assert len(app.schedules.preview("evening")) == 2


def test_one_that_another_worker_removed_first_is_no_trouble(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.define(app.jobs.values())
    app.schedules.put("report", "@daily", job="report")
    run_sql(app.store.url, "update rota.schedule set origin = 'code'")
    remove = Schedules.remove

    def twice(self: Schedules, name: str) -> None:
        remove(self, name)
        remove(self, name)

    monkeypatch.setattr(Schedules, "remove", twice)
    app.schedules.declare(app.jobs.values())

    assert app.schedules.list() == []
