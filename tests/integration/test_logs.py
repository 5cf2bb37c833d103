"""Logs of real runs: each kind of handler, each way to end, followed while they run."""

from __future__ import annotations

import logging
import math
import sys
import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rota.app import App, Run
from rota.clock import elapsed_s
from rota.model.logs.log import LogLine
from rota.model.states import State
from rota.runtime.logs.flusher import LogFlusher
from tests.contract.builders import run_sql
from tests.integration.conftest import BOTH_SOURCES, STEADY, Serve
from tests.support import talkers
from tests.support.calls import eventually


@pytest.fixture(params=["timed", "quick"], autouse=True)
def load(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Each test twice: with time for each line, and as under full load."""
    start = LogFlusher.start

    def hurry(courier: LogFlusher) -> None:
        courier._many_s = math.inf
        courier._hurry(hurry=True)
        start(courier)

    if request.param == "quick":
        monkeypatch.setattr(LogFlusher, "start", hurry)
    return str(request.param)


only_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
KINDS = pytest.mark.parametrize("isolation", ["thread", "process"])


def logs_of(run: Run[Any], count: int) -> list[LogLine]:
    """The lines once there are so many; they are stored a moment after the result."""
    eventually(lambda: len(run.logs()) >= count)
    return run.logs()


def said(lines: list[LogLine]) -> list[tuple[str, str, str]]:
    return [(line.stream, line.level, line.text) for line in lines]


def texts(lines: list[LogLine]) -> list[str]:
    return [line.text for line in lines]


@KINDS
def test_output_and_log_of_a_handler_are_stored_with_its_run(
    app: App, serve: Serve, isolation: str
) -> None:
    talk = app.job(isolation=isolation)(talkers.talks)
    serve()
    run = talk.submit("I")
    assert run.result(timeout=20) == "I"

    lines = logs_of(run, 4)

    assert sorted(said(lines)) == [
        ("log", "warning", "talkers: I to logging"),
        ("stderr", "info", "I to stderr"),
        ("stdout", "info", "I as bytes"),
        ("stdout", "info", "I to stdout"),
    ]
    assert [line.seq for line in lines] == [1, 2, 3, 4]
    view = run.show()
    assert view.started_at is not None
    assert view.finished_at is not None
    first, last = view.started_at.ms - 50, view.finished_at.ms + 50
    assert all(first <= line.at.ms <= last for line in lines)
    assert {line.attempt for line in lines} == {1}


def test_async_handlers_that_take_turns_do_not_mix_their_lines(app: App, serve: Serve) -> None:
    talk = app.job(talkers.talks_async)
    serve(slots=8)
    runs = talk.submit_many([f"n{n}" for n in range(8)])
    names = [run.result(timeout=20) for run in runs]

    for name, run in zip(names, runs, strict=True):
        assert texts(logs_of(run, 4)) == [
            f"{name} 0",
            f"{name} 1",
            f"{name} 2",
            f"{name} from a thread",
        ]


@BOTH_SOURCES
def test_threads_that_run_at_once_do_not_mix_their_lines(app: App, serve: Serve) -> None:
    count = app.job(talkers.counts)
    serve(slots=8)
    runs = count.submit_many([(f"n{n}", 300) for n in range(16)])
    for run in runs:
        run.wait(timeout=20)

    for number, run in enumerate(runs):
        assert texts(logs_of(run, 300)) == [f"n{number} {n}" for n in range(300)]


def test_runs_by_the_hundred_each_have_their_lines(app: App, serve: Serve) -> None:
    count = app.job(talkers.counts)
    runs = count.submit_many([(f"n{n}", 3) for n in range(400)])
    serve(slots=8)

    for number, run in enumerate(runs):
        run.wait(timeout=20)
        assert texts(logs_of(run, 3)) == [f"n{number} {n}" for n in range(3)]
    found = app.search_logs("n123 2")
    assert [(line.run_id, line.text) for line in found] == [(runs[123].id, "n123 2")]


@only_sqlite
def test_one_child_after_the_other_run_does_not_mix_their_lines(app: App, serve: Serve) -> None:
    count = app.job(isolation="process")(talkers.counts)
    serve(slots=1)
    runs = count.submit_many([(f"n{n}", 50) for n in range(5)])

    for number, run in enumerate(runs):
        run.wait(timeout=30)
        assert texts(logs_of(run, 50)) == [f"n{number} {n}" for n in range(50)]


@only_sqlite
@KINDS
def test_a_character_that_no_bytes_stand_for_can_be_printed(
    app: App, serve: Serve, isolation: str
) -> None:
    job = app.job(isolation=isolation, retries=0)(talkers.prints_half_a_character)
    serve()
    run = job.submit()

    assert run.result(20) == "printed"
    (line,) = logs_of(run, 1)
    assert line.text.startswith("before ")
    assert line.text.endswith(" after")


@only_sqlite
def test_a_child_process_is_heard_below_python_too(app: App, serve: Serve) -> None:
    talk = app.job(isolation="process")(talkers.talks_below_python)
    serve()
    run = talk.submit()
    run.wait(timeout=20)

    assert sorted(said(logs_of(run, 3))) == [
        ("stderr", "info", "its error"),
        ("stdout", "info", "from a program"),
        ("stdout", "info", "past Python"),
    ]


def test_a_program_is_heard_while_it_runs_and_its_secrets_are_not(app: App, serve: Serve) -> None:
    script = "echo one $API_TOKEN; read x; echo two"
    speak = app.command(
        "speak", ["sh", "-c", f'({script}) < "$1"; echo bad >&2; exit 3', "sh", "{pipe}"],
        env={"API_TOKEN": "sesame-{name}"}, retries=0,
    )  # fmt: skip
    serve()
    run = speak.submit(pipe="/dev/null", name="open")
    ended = run.wait(timeout=20)

    assert ended.state is State.FAILED
    assert sorted(said(logs_of(run, 3))) == [
        ("stderr", "info", "bad"),
        ("stdout", "info", "one ***"),
        ("stdout", "info", "two"),
    ]


@KINDS
def test_each_attempt_of_a_failed_run_has_its_lines(app: App, serve: Serve, isolation: str) -> None:
    fail = app.job(isolation=isolation, retries=1, retry_delay="1ms")(talkers.fails_after_words)
    serve()
    run = fail.submit()
    assert run.wait(timeout=20).state is State.FAILED

    lines = logs_of(run, 4)

    assert [line.attempt for line in lines] == [1, 1, 2, 2]
    assert set(texts(lines)) == {"before the end", "talkers: it goes wrong"}
    assert {line.level for line in lines if line.stream == "log"} == {"error"}


@only_sqlite
def test_the_last_words_of_a_killed_process_are_kept(app: App, serve: Serve) -> None:
    die = app.job(isolation="process", retries=0)(talkers.dies_after_words)
    serve()
    run = die.submit()
    run.wait(timeout=30)

    assert texts(logs_of(run, 3)) == ["last words"] * 3
    assert [line.fence for line in run.logs()] == [1, 2, 3]


@KINDS
def test_a_handler_that_is_stopped_keeps_its_lines(
    app: App, serve: Serve, tmp_path: Path, isolation: str
) -> None:
    hang = app.job(isolation=isolation, retries=0, timeout="1h")(talkers.hangs_after_words)
    worker, spoken = serve(**STEADY), tmp_path / "spoken"
    run = hang.submit(str(spoken))
    eventually(spoken.exists)
    (call,) = worker._calls.everything()
    call.deadline_s = elapsed_s()  # the hour is over
    worker._deadlines.wake()
    ended = run.wait(timeout=20)

    assert ended.error is not None
    assert ended.error.type == "TimedOut"
    assert texts(logs_of(run, 1)) == ["waiting"]


def test_a_traceback_that_is_logged_has_all_its_lines(app: App, serve: Serve) -> None:
    job = app.job(talkers.logs_a_traceback)
    serve()
    run = job.submit()
    run.result(timeout=20)

    lines = logs_of(run, 3)

    assert texts(lines)[:2] == ["talkers: caught", "Traceback (most recent call last):"]
    assert lines[-1].text == "KeyError: 'NO SUCH VARIABLE'"
    assert {line.level for line in lines} == {"error"}


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


def test_secrets_of_the_environment_are_masked(
    app: App, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TALK_TOKEN", "sesame-open")
    jobs = [
        app.job(name=kind, isolation=kind)(talkers.tells_secrets) for kind in ("thread", "process")
    ]
    serve()
    for job in jobs:
        run = job.submit()
        run.result(timeout=20)

        assert sorted(texts(logs_of(run, 3))) == [
            "***",
            "talkers: connect to postgresql://me:***@db and password=***",
            "the token is ***",
        ]


@only_sqlite
def test_only_threads_that_know_their_run_write_to_its_log(
    app: App, serve: Serve, capfd: pytest.CaptureFixture[str]
) -> None:
    job = app.job(talkers.leaves_a_talking_thread)
    serve()
    run = job.submit()
    run.result(timeout=20)

    assert texts(logs_of(run, 1)) == ["from my own thread"]
    assert "from nowhere" in capfd.readouterr().out


@only_sqlite
def test_a_handler_can_redirect_what_it_prints(app: App, serve: Serve) -> None:
    job = app.job(talkers.redirects)
    serve()
    run = job.submit()

    assert run.result(timeout=20) == "mine alone\n"
    assert texts(logs_of(run, 1)) == ["everybody's"]


@only_sqlite
def test_a_record_whose_arguments_do_not_fit_is_told_and_hurts_nobody(
    app: App, serve: Serve
) -> None:
    job = app.job(isolation="process")(talkers.logs_nonsense)
    serve()
    run = job.submit()
    run.result(timeout=20)
    lines = list(run.follow_logs())

    assert "goes on" in texts(lines)
    assert "--- Logging error ---" in texts(lines)


@only_sqlite
def test_a_handler_that_replaces_stdout_does_not_silence_the_others_for_good(
    app: App, serve: Serve
) -> None:
    replace, talk = app.job(talkers.replaces_stdout), app.job(talkers.counts)
    serve()
    replace.submit().result(timeout=20)

    def is_heard() -> bool:
        run = talk.submit("me", 1)
        list(run.follow_logs())
        return bool(run.logs())

    eventually(is_heard)


@only_sqlite
def test_a_worker_puts_back_what_it_found_when_it_stops(app: App, serve: Serve) -> None:
    before = sys.stdout, sys.stderr, list(logging.root.handlers)
    first, second = serve(), serve()
    first.stop()
    during = sys.stdout
    second.stop()

    assert during is not before[0]
    assert (sys.stdout, sys.stderr, list(logging.root.handlers)) == before


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
