"""Deploys: code that is started again in the middle of one does not undo it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from rota import App
from rota.engine.identity.audit_log import acts
from rota.engine.jobs.definitions import jobs
from rota.errors import BadInput, BadOption, UnknownRelease
from tests.contract.builders import run_sql


def old_code(url: str, *, name: str | None = "shop", release: str | None = None) -> App:
    app = App(url, name=name, release=release)

    @app.job(schedule="@daily")
    def a() -> str:
        return "old"

    @app.job(schedule="@weekly")
    def dropped() -> None: ...

    return app


def new_code(url: str, *, name: str | None = "shop", release: str | None = None) -> App:
    app = App(url, name=name, release=release)

    @app.job(schedule=["@hourly", {"every": "10m", "name": "often"}], retries=5)
    def a() -> str:
        return "new"

    @app.job(schedule="@hourly")
    def b() -> None: ...

    return app


def start(make: Callable[..., App], url: str, **options: str | None) -> None:
    """What a worker process does when it starts, or is started again."""
    with make(url, **options) as app:
        app.worker()


def held(url: str) -> tuple[dict[str, int], dict[str, str]]:
    """The current version of each job, and the job of each schedule with its trigger."""
    with App(url) as app:
        found = app.store.read(lambda tx: jobs(tx, namespace="default"))
        schedules = {
            each.name: f"{each.job} {each.schedule.trigger if each.schedule else ''}"
            for each in app.schedules.list()
        }
    return {each.name: each.version for each in found}, schedules


def did(url: str) -> list[tuple[str, str]]:
    with App(url) as app:
        found = app.store.read(lambda tx: acts(tx, namespace="default", limit=50))
    return sorted((act.verb, act.subject) for act in found)


@pytest.mark.parametrize("name", ["shop", None])
def test_old_code_that_starts_again_changes_nothing(
    store_url: str, name: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    start(old_code, store_url, name=name)
    start(new_code, store_url, name=name)
    before, told = held(store_url), did(store_url)
    caplog.clear()

    for _ in range(2):  # however often a supervisor starts it
        start(old_code, store_url, name=name)

    assert held(store_url) == before
    assert did(store_url) == told
    assert before[0]["a"] == 2
    assert "b" in before[0]
    assert {"a", "often", "b"} <= before[1].keys()
    warnings = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING]
    assert len(warnings) == 2
    assert "older than release 2" in warnings[0]
    assert "rota releases use 1" in warnings[0]


def test_the_newest_code_that_starts_again_mends_what_was_taken_away(store_url: str) -> None:
    start(old_code, store_url)
    start(new_code, store_url)
    before = held(store_url)
    with App(store_url) as app:
        app.schedules.remove("b")

    start(new_code, store_url)

    assert held(store_url) == before
    assert "dropped" not in before[0]
    assert "dropped" not in before[1]


def test_submits_of_old_code_take_its_own_version_and_switch_nothing_back(store_url: str) -> None:
    start(old_code, store_url)
    start(new_code, store_url)

    with old_code(store_url) as app:
        run = app.jobs["a"].submit()
        gone = app.jobs["dropped"].submit()
        versions = (run.show().version, gone.show().version)

    assert versions == (1, 1)
    assert held(store_url)[0] == {"a": 2, "b": 1}


def test_a_program_that_only_submits_brings_a_definition_that_nobody_has_seen(
    store_url: str,
) -> None:
    start(old_code, store_url)

    with new_code(store_url) as app:
        run = app.jobs["a"].submit()
        assert run.show().version == 2

    assert held(store_url)[0]["a"] == 2


def test_old_code_works_on_with_what_it_knows(store_url: str) -> None:
    start(old_code, store_url)
    start(new_code, store_url)

    with old_code(store_url) as app:
        worker = app.worker(slots=1)
        worker.start()
        try:
            run = app.jobs["a"].submit()
            assert run.result(30) == "old"
        finally:
            worker.stop()


def test_a_person_goes_back_to_a_release_and_later_code_is_older_then(store_url: str) -> None:
    start(old_code, store_url)
    before = held(store_url)
    start(new_code, store_url)
    after = held(store_url)

    with App(store_url) as app:
        made = app.releases.use(1, who="ann")

    assert made.number == 3
    assert held(store_url) == before
    assert ("use release", "3") in did(store_url)
    start(new_code, store_url)
    assert held(store_url) == before
    start(old_code, store_url)
    assert held(store_url) == before
    with App(store_url) as app:
        assert [(each.number, each.holds) for each in app.releases.list()] == [
            (3, True),
            (2, False),
        ]
        app.releases.use(2)
    assert held(store_url) == after


def test_going_back_takes_away_what_later_code_without_a_name_scheduled(store_url: str) -> None:
    start(old_code, store_url, name=None)
    before = held(store_url)
    start(new_code, store_url, name=None)

    with App(store_url) as app:
        app.releases.use(1)

    there, schedules = held(store_url)
    assert schedules == before[1]
    assert there == {**before[0], "b": 1}, "of an app without a name jobs stay on record"


def test_the_only_user_of_a_file_goes_back_by_starting_old_code(sqlite_url: str) -> None:
    """`rota up` of a person who tries something and takes it back."""
    start(old_code, sqlite_url)
    before = held(sqlite_url)
    start(new_code, sqlite_url)
    with new_code(sqlite_url) as app:
        worker = app.worker()
        worker.start()
        with old_code(sqlite_url) as other:
            other.worker(decides=True)
        assert held(sqlite_url) != before, "somebody else is at work"
        worker.stop()

    with old_code(sqlite_url) as app:
        app.worker()
        assert held(sqlite_url) != before, "nobody decides: as after a crash, or in a fleet"
        app.worker(decides=True)

    assert held(sqlite_url) == before
    assert ("use release", "3") in did(sqlite_url)


@pytest.mark.postgres
def test_on_a_server_nobody_is_known_to_be_alone(postgres_url: str) -> None:
    start(old_code, postgres_url)
    start(new_code, postgres_url)
    before = held(postgres_url)

    with old_code(postgres_url) as app:
        app.worker(decides=True)

    assert held(postgres_url) == before


def test_a_release_that_is_not_there_is_refused(store_url: str) -> None:
    start(old_code, store_url)
    with App(store_url) as app, pytest.raises(UnknownRelease, match="rota releases"):
        app.releases.use(7)


def test_old_code_under_a_new_label_is_a_rollback(store_url: str) -> None:
    start(old_code, store_url, release="build-1")
    before = held(store_url)
    start(new_code, store_url, release="build-2")

    start(old_code, store_url, release="build-1")  # a process of the first deploy
    assert held(store_url) != before
    start(old_code, store_url, release="build-3")  # the same code, deployed on purpose

    assert held(store_url) == before
    start(new_code, store_url, release="build-2")
    assert held(store_url) == before


def test_the_label_comes_from_the_environment_as_well(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROTA_RELEASE", "build-7")
    start(old_code, store_url)

    with App(store_url) as app:
        assert [each.label for each in app.releases.list()] == ["build-7"]


@pytest.mark.parametrize("release", ["", "  ", "a\nb", "x" * 201, 7])
def test_a_label_that_cannot_be_shown_on_a_line_is_refused(release: Any) -> None:
    with pytest.raises(BadOption, match="printable"):
        App(release=release)


def test_apps_without_a_name_that_share_no_job_do_not_age_each_other(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    def mail(url: str) -> App:
        app = App(url)

        @app.job(schedule="@daily")
        def send() -> None: ...

        return app

    start(mail, store_url)
    start(new_code, store_url, name=None)
    with App(store_url) as app:
        app.schedules.remove("send")

    start(mail, store_url)

    assert "send" in held(store_url)[1]
    assert not caplog.records


def test_a_part_of_the_same_code_is_not_older_code(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """A program that imports some of the modules declares fewer jobs, and the same ones."""

    def part(url: str) -> App:
        app = new_code(url, name=None)
        del app.jobs["b"]
        return app

    start(part, store_url)
    start(new_code, store_url, name=None)
    before = held(store_url)

    start(part, store_url)

    assert held(store_url) == before
    assert not caplog.records


def test_a_start_that_is_refused_leaves_nothing_behind(store_url: str) -> None:
    with old_code(store_url) as app:

        @app.job(schedule={"cron": "0 2 * * *", "calendar": "nobody-has-it"})
        def bad() -> None: ...

        with pytest.raises(BadInput, match="nobody-has-it"):
            app.worker()

    assert held(store_url) == ({}, {})
    assert run_sql(store_url, "select count(*) from rota.release") == [(0,)]
    assert run_sql(store_url, "select count(*) from rota.job_version") == [(0,)]


def test_a_bad_argument_of_a_scheduled_graph_leaves_nothing_behind(store_url: str) -> None:
    with old_code(store_url) as app:

        @app.graph(schedule={"cron": "0 2 * * *", "args": {"dya": "x"}})
        def nightly(day: str = "today") -> object:
            return app.jobs["a"]()

        with pytest.raises(BadInput, match="dya"):
            app.worker()

    assert held(store_url) == ({}, {})
