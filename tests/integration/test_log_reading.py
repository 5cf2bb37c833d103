"""Logs of real runs are followed and searched; no line is lost under load or in an outage."""

from __future__ import annotations

import threading

import psycopg
import pytest

from rota.app import App
from rota.model.states import State
from rota.runtime.logs.flusher import LogFlusher
from tests.contract.builders import run_sql
from tests.integration.conftest import Serve
from tests.integration.run_logs import logs_of, only_sqlite, texts
from tests.support import talkers
from tests.support.calls import eventually

pytestmark = pytest.mark.usefixtures("log_load")


def test_lines_can_be_followed_until_the_run_has_ended(app: App, serve: Serve) -> None:
    go_on = threading.Semaphore(0)

    @app.job
    def steps() -> None:
        for number in range(3):
            print("step", number)  # noqa: T201  # that is the point
            go_on.acquire()

    serve()
    run = steps.submit()
    heard = []
    for line in run.follow_logs():
        heard.append(line.text)
        assert run.state is State.RUNNING
        go_on.release()

    assert heard == ["step 0", "step 1", "step 2"]
    assert run.state is State.SUCCESS


def test_following_a_run_that_has_ended_ends(app: App, serve: Serve) -> None:
    talk = app.job(talkers.talks)
    serve()
    run = talk.submit("I")
    run.result(timeout=20)

    assert len(list(run.follow_logs())) == 4


def test_lines_of_all_runs_can_be_searched_before_and_after_they_are_indexed(
    app: App, serve: Serve
) -> None:
    talk = app.job(talkers.talks)
    other = app.job(name="other")(talkers.counts)
    serve()
    other.submit("needle", 2).result(timeout=20)
    run = talk.submit("needle")
    run.result(timeout=20)
    logs_of(run, 4)

    found = app.search_logs("NEEDLE stdout", job="talks", since="1h")

    assert [(line.run_id, line.text) for line in found] == [(run.id, "needle to stdout")]
    assert len(app.search_logs("needle")) == 6
    assert len(app.search_logs("needle", level="warning")) == 1
    assert len(app.search_logs("needle", limit=2)) == 2
    eventually(lambda: _is_indexed(app))
    assert app.search_logs("needle stdout") == found


def _is_indexed(app: App) -> bool:
    text = {"sqlite": "select count(*) from rota_log_words_docsize"}.get(
        app.store.dialect, "select count(*) from rota.log_chunk where words is not null"
    )
    return int(run_sql(app.url, text)[0][0]) >= 2


@pytest.mark.postgres
@pytest.mark.parametrize("store_url", ["postgres"], indirect=True)
def test_neither_handlers_nor_results_wait_for_a_store_that_takes_no_lines(
    app: App, serve: Serve
) -> None:
    count = app.job(talkers.counts)
    serve()
    with psycopg.connect(app.url) as session:
        session.execute("lock table rota.log_chunk in exclusive mode")
        runs = count.submit_many([(f"n{n}", 20) for n in range(50)])
        for run in runs:
            assert run.wait(timeout=20).state is State.SUCCESS
        early = [run.logs() for run in runs]

    assert early == [[]] * 50
    for number, run in enumerate(runs):
        assert texts(logs_of(run, 20)) == [f"n{number} {n}" for n in range(20)]


@only_sqlite
def test_no_line_is_lost_nor_left_outside_when_the_load_comes_and_goes(
    app: App, serve: Serve, capsys: pytest.CaptureFixture[str]
) -> None:
    count = app.job(talkers.counts)
    worker = serve(slots=4)
    courier = worker._log_flusher
    assert isinstance(courier, LogFlusher)
    runs = count.submit_many([(f"n{n}", 3) for n in range(1_500)])
    turns = 0
    while runs[-1].show().finished_at is None:
        turns += 1
        courier._hurry(hurry=turns % 2 == 0)
    for run in runs:
        run.wait(timeout=20)
    worker.stop()

    said = {run.id: texts(run.logs()) for run in runs}

    assert turns > 10
    assert said == {run.id: [f"n{number} {n}" for n in range(3)] for number, run in enumerate(runs)}
    assert capsys.readouterr().out == ""
