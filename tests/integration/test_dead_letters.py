"""Dead letters of real workers: what bad handlers leave, and how people get it done after all."""

from __future__ import annotations

import getpass
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from rota.app import App
from rota.engine.identity.audit_log import acts
from rota.errors import (
    BadArguments,
    BadInput,
    BadOption,
    CommitUnknown,
    NotAllowed,
    PayloadTooLarge,
    StoreUnavailable,
    UnknownRun,
)
from rota.ids import new_id
from rota.model.states import State
from rota.runtime.options import WorkerOptions
from rota.store.base import Store, Tx
from tests.integration.conftest import FAST, Serve
from tests.support import handlers


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no words")


def has_no_words() -> None:
    raise Mute


def says_too_much() -> None:
    raise ValueError("x" * 5_000_000)


def refuses(order: int) -> int:
    if order < 100:
        raise ValueError(f"order {order} is too small")
    return order


@pytest.fixture
def dead(app: App, serve: Serve) -> list[str]:
    """Three runs of one cause, and the worker that gave them up."""
    job = app.job(retries=0)(refuses)
    serve()
    runs = job.submit_many([1, 2, 3])
    for run in runs:
        run.wait(timeout=20)
    return [run.id for run in runs]


def test_attempts_are_counted_by_how_they_ended(app: App, serve: Serve) -> None:
    job = app.job(isolation="process", timeout="3s", retry_delay="10ms")(
        handlers.fails_in_every_way
    )
    serve()
    run = job.submit()

    assert run.result(timeout=60) == "at last"
    assert run.tally() == {"error": 1, "timeout": 1, "crash": 1}
    view = run.show()
    assert (view.attempt, view.failures, view.crashes) == (4, 2, 1)


@pytest.mark.parametrize(
    ("handler", "kind", "says"),
    [(has_no_words, "Mute", "__str__ raised RuntimeError"), (says_too_much, "ValueError", "xxx")],
)
def test_a_handler_that_cannot_say_what_is_wrong_leaves_a_readable_letter(
    app: App, serve: Serve, handler: Callable[[], None], kind: str, says: str
) -> None:
    job = app.job(retries=0)(handler)
    serve()
    run = job.submit()
    run.wait(timeout=20)

    letter = app.dead_letters.show(run.id)

    assert letter.error_type.endswith(kind)
    assert says in letter.message
    assert len(letter.message) <= 500
    (attempt,) = run.attempts()
    assert attempt.error is not None
    assert f"in {handler.__name__}" in attempt.error.traceback
    assert "rota/runtime" not in attempt.error.traceback


def test_arguments_that_no_longer_fit_are_edited_and_redriven(
    store_url: str, app: App, serve: Serve
) -> None:
    with App(store_url) as older:

        @older.job(name="greet")
        def greet_by_number(number: int) -> str:
            return str(number)

        run_id = greet_by_number.submit(7).id

    @app.job(name="greet")
    def greet(name: str) -> str:
        return f"hello {name}"

    serve()
    ended = app.run(run_id).wait(timeout=20)
    letter = app.dead_letters.show(run_id)
    with pytest.raises(BadArguments, match="name"):
        app.dead_letters.redrive(run_id, args={"number": 7})
    untouched = app.dead_letters.show(run_id)
    (done,) = app.dead_letters.redrive(run_id, args={"name": "Ann"}, why="renamed")

    assert ended.reason == "another attempt cannot help"
    assert letter.error_type == "rota.errors.BadArguments"
    assert "made for version 1 of job greet and this worker has version 2" in letter.message
    assert untouched == letter
    assert app.run(done.rerun_id).result(timeout=20) == "hello Ann"
    assert app.run(done.rerun_id).show().rerun_of == run_id


def test_one_cause_is_one_group_and_is_redriven_at_a_rate(app: App, dead: list[str]) -> None:
    (group,) = app.dead_letters.groups()
    heard: list[int] = []

    done = app.dead_letters.redrive(group=group.fingerprint, rate="1/m", told=heard.append)

    views = [app.run(each.rerun_id).show() for each in done]
    starts = sorted(view.due_at.ms - view.created_at.ms for view in views)
    assert (group.job, group.open) == ("refuses", 3)
    assert {each.run_id for each in done} == set(dead)
    assert starts == [0, 60_000, 120_000]
    assert heard == [3]
    assert app.dead_letters.letters(group=group.fingerprint, state="redriven", job="refuses")


def test_runs_that_fail_again_at_once_are_not_redriven_for_ever(app: App, dead: list[str]) -> None:
    (group,) = app.dead_letters.groups()

    done = app.dead_letters.redrive(group=group.fingerprint)

    assert len(done) == 3
    for each in done:
        assert app.run(each.rerun_id).wait(timeout=20).state is State.FAILED
    (again,) = app.dead_letters.groups()
    assert (again.fingerprint, again.open, again.total) == (group.fingerprint, 3, 6)


def test_acts_go_by_the_user_of_the_process_unless_said_otherwise(
    app: App, dead: list[str]
) -> None:
    app.dead_letters.redrive(dead[0], dead[0], args={"order": 100})
    app.dead_letters.discard(dead[1], dead[2], who="bob", why="too old")

    found = app.store.read(lambda tx: acts(tx, namespace=app.namespace))
    assert [(act.verb, act.who) for act in found] == [
        ("discard", "bob"),
        ("redrive", f"{getpass.getuser()}@{socket.gethostname()}"),
    ]
    assert found[0].subject == "2 runs"
    assert found[0].detail["why"] == "too old"
    assert app.dead_letters.groups() == []


def test_a_bad_choice_of_letters_is_refused_and_changes_nothing(app: App, dead: list[str]) -> None:
    letters = app.dead_letters
    first, second, third = dead
    letters.redrive(first, args={"order": 100})
    letters.discard(second)
    before = letters.letters(state=None)
    refused: list[tuple[type[Exception], Callable[[], object]]] = [
        (BadInput, letters.redrive),
        (BadInput, lambda: letters.redrive(third, group="aaaaaaaaaaaa")),
        (BadInput, lambda: letters.redrive(group="aaaaaaaaaaaa")),
        (BadInput, lambda: letters.discard(group="%")),
        (BadOption, lambda: letters.redrive(third, rate="fast")),
        (BadArguments, lambda: letters.redrive(third, args={"order": "many"})),
        (NotAllowed, lambda: letters.redrive(third, second)),
        (NotAllowed, lambda: letters.discard(third, first)),
        (UnknownRun, lambda: letters.redrive(third, new_id())),
        (UnknownRun, lambda: letters.show("nonsense")),
    ]

    for kind, act in refused:
        with pytest.raises(kind):
            act()

    assert letters.letters(state=None) == before


def test_all_batches_are_checked_before_one_is_changed(
    app: App, dead: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.operations.failures.letter_choice.AT_ONCE", 1)
    letters, (first, second, third) = app.dead_letters, dead
    letters.discard(third)
    heard: list[int] = []

    with pytest.raises(NotAllowed):
        letters.redrive(*dead)
    untouched = [letters.show(each).state for each in (first, second)]
    done = letters.redrive(first, second, rate="1/m", told=heard.append)

    starts = [app.run(each.rerun_id).show() for each in done]
    assert untouched == ["open", "open"]
    assert [round((run.due_at - run.created_at).total_seconds() / 60) for run in starts] == [0, 1]
    assert heard == [1, 1]


def test_arguments_for_a_job_that_the_app_does_not_define_must_be_json_and_small(
    store_url: str, dead: list[str]
) -> None:
    with App(store_url) as stranger:
        with pytest.raises(PayloadTooLarge):
            stranger.dead_letters.redrive(dead[0], args={"order": "x" * 2_000_000})
        with pytest.raises(BadArguments, match="no JSON"):
            stranger.dead_letters.redrive(dead[0], args={"order": object()})
        (done,) = stranger.dead_letters.redrive(dead[0], args={"order": 100})

        assert stranger.run(done.rerun_id).result(timeout=20) == 100


def test_a_redriven_letter_answers_the_run_it_became(app: App, dead: list[str]) -> None:
    (first,) = app.dead_letters.redrive(dead[0])

    (second,) = app.dead_letters.redrive(dead[0])

    assert (second.rerun_id, second.is_new) == (first.rerun_id, False)


class Broken:
    """A store whose first writes are committed without anybody hearing of it."""

    def __init__(self, store: Store, *errors: StoreUnavailable) -> None:
        self._store = store
        self._errors = list(errors)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write(self, work: Callable[[Tx], Any], **options: bool) -> Any:
        error = self._errors.pop(0) if self._errors else None
        if error is None:
            return self._store.write(work, **options)
        if isinstance(error, CommitUnknown):
            self._store.write(work, **options)
        raise error


@pytest.fixture
def unsure(app: App, dead: list[str]) -> Iterator[App]:
    real = app.store
    app._store = Broken(real, CommitUnknown(), StoreUnavailable())
    yield app
    app._store = real


def test_an_unknown_commit_of_a_redrive_is_asked_about(unsure: App, dead: list[str]) -> None:
    (done,) = unsure.dead_letters.redrive(dead[0])

    runs = unsure.run(done.rerun_id).show()
    assert done.is_new
    assert runs.rerun_of == dead[0]
    assert len(unsure.store.read(lambda tx: acts(tx, namespace=unsure.namespace))) == 1


def test_an_unknown_commit_of_a_group_is_asked_about(unsure: App, dead: list[str]) -> None:
    (group,) = unsure.dead_letters.groups()

    done = unsure.dead_letters.redrive(group=group.fingerprint)

    assert {each.run_id for each in done} == set(dead)
    assert all(each.is_new for each in done)
    assert len(unsure.store.read(lambda tx: acts(tx, namespace=unsure.namespace))) == 1


def test_an_unknown_commit_of_a_discard_is_asked_about(unsure: App, dead: list[str]) -> None:
    assert unsure.dead_letters.discard(*dead) == 3
    assert len(unsure.store.read(lambda tx: acts(tx, namespace=unsure.namespace))) == 1


def test_a_run_whose_job_no_worker_knows_says_so(store_url: str, app: App) -> None:
    @app.job
    def rare() -> str:
        return "done"

    with App(store_url) as other:
        other.job(handlers.add)
        worker = other.worker(WorkerOptions(**FAST))
        worker.start()
        run = rare.submit()
        (reason,) = run.why()
        worker.stop()

    assert reason.kind == "unknown_job"
    assert run.state is State.QUEUED
