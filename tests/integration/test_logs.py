"""Logs of real runs: each kind of handler, each way to end."""

from __future__ import annotations

from pathlib import Path

import pytest

from rota.app import App
from rota.clock import elapsed_s
from rota.model.states import State
from tests.integration.conftest import BOTH_SOURCES, STEADY, Serve
from tests.integration.run_logs import KINDS, logs_of, only_sqlite, said, texts
from tests.support import talkers
from tests.support.calls import eventually

pytestmark = pytest.mark.usefixtures("log_load")


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
