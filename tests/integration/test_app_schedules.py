"""Schedules in the hands of a program: what is refused, what is shown, what the code declares."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota import App
from rota.app.declare import declare
from rota.cli.pages.schedule import print_page
from rota.engine.identity.audit_log import acts
from rota.engine.jobs.definitions import jobs
from rota.engine.schedules import definitions as schedules
from rota.errors import BadInput, UnknownJob
from rota.store.base import Tx
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
    remove = schedules.remove

    def twice(tx: Tx, name: str, *, namespace: str) -> None:
        remove(tx, name, namespace=namespace)
        remove(tx, name, namespace=namespace)

    monkeypatch.setattr(schedules, "remove", twice)
    declare(app, app.jobs.values())

    assert app.schedules.list() == []


def test_one_that_waits_is_not_told_as_started(
    app: App, capsys: pytest.CaptureFixture[str]
) -> None:
    app.schedules.put("evening", "0 18 * * *", job="report", overlap="queue_all")
    for _ in range(3):
        app.schedules.trigger("evening")

    view = app.schedules.show("evening")
    print_page(view, view.changed_at.ms)

    assert (view.fired, view.waiting) == (3, 2)
    assert "1 started, 0 missed, 0 skipped" in capsys.readouterr().out


def start(app: App, *declared: str, name: str | None, **schedules: Any) -> None:
    """As a worker does that starts with the code of an app: jobs, some with schedules."""
    with App(app.url, name=name) as other:
        for job in declared:
            other.command(job, ["true"], schedule=schedules.get(job))
        other.define(other.jobs.values())
        declare(other, other.jobs.values())


def names(app: App) -> list[str]:
    return [each.name for each in app.schedules.list()]


def job_names(app: App) -> list[str]:
    return [each.name for each in app.store.read(lambda tx: jobs(tx, namespace="default"))]


def test_a_job_that_is_gone_from_the_code_takes_its_schedules_along(app: App) -> None:
    start(app, "old", "kept", name="shop", old="@daily", kept="@daily")
    start(app, "new", "kept", name="shop", new="@daily", kept="@daily")

    assert (names(app), job_names(app)) == (["kept", "new"], ["kept", "new"])
    told = [
        (act.verb, act.subject) for act in app.store.read(lambda tx: acts(tx, namespace="default"))
    ]
    assert {("remove schedule", "old"), ("remove job", "old")} == set(told)


@pytest.mark.parametrize("other", ["billing", None])
def test_schedules_of_other_apps_stay(app: App, other: str | None) -> None:
    start(app, "theirs", name=other, theirs="@daily")
    app.schedules.put("by.hand", "@daily", job="theirs")
    start(app, "mine", name="shop", mine="@daily")
    start(app, name="shop")

    assert (names(app), job_names(app)) == (["by.hand", "theirs"], ["theirs"])


def test_an_app_without_a_name_takes_nothing_away(app: App) -> None:
    start(app, "old", name=None, old="@daily")
    start(app, "new", name=None, new="@daily")

    assert names(app) == ["new", "old"]


def test_the_last_app_to_declare_a_schedule_owns_it(app: App) -> None:
    start(app, "shared", name="shop", shared="@daily")
    start(app, "shared", name="billing", shared="@daily")
    start(app, name="shop")
    assert (names(app), app.schedules.show("shared").app) == (["shared"], "billing")

    start(app, name="billing")

    assert (names(app), job_names(app)) == ([], [])


def test_a_schedule_may_have_a_name_of_its_own(app: App) -> None:
    nightly = {"cron": "0 2 * * *", "name": "nightly"}

    start(app, "scan", name=None, scan=["@hourly", nightly, "@weekly"])
    start(app, "scan", name=None, scan=[nightly, "@hourly"])

    assert names(app) == ["nightly", "scan.2"]
    assert app.schedules.show("nightly").revision == 1


def test_two_schedules_of_one_name_are_refused(app: App) -> None:
    each = {"every": "1h", "name": "hourly"}

    with pytest.raises(BadInput, match="jobs 'a' and 'b' have a schedule named 'hourly'"):
        start(app, "a", "b", name=None, a=each, b=each)
    with pytest.raises(BadInput, match="say it once"):
        app.schedules.put("other", each, job="report")
    with pytest.raises(BadInput, match="not a name for a schedule"):
        start(app, "a", name=None, a={"every": "1h", "name": "two words"})
