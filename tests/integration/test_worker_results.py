"""A worker in this process: what is submitted is carried out, and its result comes back."""

from __future__ import annotations

import asyncio
import threading
from datetime import UTC, datetime, timedelta

import pytest

from rota.app import App
from rota.engine.admission.queues import pause, resume
from rota.errors import DuplicateKey, RunNotFinished
from rota.model.states import State
from rota.runtime.attempts.context import current_run, progress
from rota.store.base import Store
from tests.integration.conftest import BOTH_SOURCES, Serve
from tests.support import handlers
from tests.support.calls import eventually


def test_the_result_of_a_sync_function_comes_back(app: App, serve: Serve) -> None:
    @app.job
    def add(a: int, b: int = 2) -> int:
        return a + b

    serve()
    run = add.submit(1, b=5)

    assert run.result(timeout=10) == 6
    view = run.show()
    assert (view.state, view.attempt, view.failures, view.crashes) == (State.SUCCESS, 1, 0, 0)
    assert view.started_at is not None
    assert view.finished_at is not None
    assert view.created_at <= view.started_at <= view.finished_at
    assert run.attempts() == []


def test_the_result_of_an_async_function_comes_back(app: App, serve: Serve) -> None:
    @app.job
    async def add(a: int, b: int = 2) -> int:
        await asyncio.sleep(0)
        return a + b

    serve()

    assert add.submit(1, b=5).result(timeout=10) == 6


def test_a_job_in_a_process_of_its_own_answers_from_there(app: App, serve: Serve) -> None:
    job = app.job(isolation="process")(handlers.pid)
    beside = app.job(name="beside")(handlers.pid)
    serve(slots=1)

    elsewhere, here = job.submit(), beside.submit()

    assert elsewhere.result(timeout=20) != here.result(timeout=20)


def test_a_command_answers_with_its_exit_code_and_output(app: App, serve: Serve) -> None:
    job = app.command("greet", ["printf", "hello %s", "{name}"])
    serve()

    result = job.submit(name="Ada").result(timeout=10)

    assert (result["exit_code"], result["stdout"]) == (0, "hello Ada")


def test_typed_values_survive_the_way_through_the_store(app: App, serve: Serve) -> None:
    @app.job
    def later(when: datetime, by: timedelta) -> datetime:
        return when + by

    serve()
    when = datetime(2026, 3, 1, 12, tzinfo=UTC)

    assert later.submit(when, timedelta(hours=2)).result(timeout=10) == when + timedelta(hours=2)


def test_a_handler_may_submit_more_work(app: App, serve: Serve) -> None:
    @app.job
    def leaf(number: int) -> int:
        return number * 2

    @app.job
    def tree(size: int) -> list[str]:
        return [run.id for run in leaf.submit_many(range(size))]

    serve()
    ids = tree.submit(20).result(timeout=10)

    assert [app.run(run_id).result(timeout=10) for run_id in ids] == [2 * n for n in range(20)]


def test_a_handler_may_wait_for_the_run_it_submitted(app: App, serve: Serve) -> None:
    @app.job
    def leaf(number: int) -> int:
        return number + 1

    @app.job
    def root() -> int:
        return leaf.submit(1).result(timeout=10)

    serve(slots=2)

    assert root.submit().result(timeout=10) == 2


@BOTH_SOURCES
def test_progress_is_visible_before_the_end(app: App, serve: Serve) -> None:
    gate = threading.Event()

    @app.job
    def build() -> None:
        progress(0.4, "half way")
        gate.wait(20)

    serve()
    run = build.submit()

    eventually(lambda: run.show().progress is not None)
    view = run.show()
    gate.set()
    run.result(timeout=10)
    assert view.state is State.RUNNING
    assert view.progress == pytest.approx(0.4)
    assert view.progress_note == "half way"


@BOTH_SOURCES
def test_a_handler_knows_its_run(app: App, serve: Serve) -> None:
    @app.job
    def about() -> list[str | int]:
        run = current_run()
        return [run.id, run.attempt, run.fence, run.job]

    serve()
    run = about.submit()

    assert run.result(timeout=10) == [run.id, 1, 1, "about"]


def test_the_same_key_is_the_same_run_and_it_runs_once(app: App, serve: Serve) -> None:
    calls: list[int] = []

    @app.job
    def charge(amount: int) -> int:
        calls.append(amount)
        return amount

    serve()
    keyed = charge.with_options(key="order-7")
    first = keyed.submit(5)
    first.result(timeout=10)
    second = keyed.submit(5)

    with pytest.raises(DuplicateKey, match=first.id):
        keyed.submit(6)

    assert second.id == first.id
    assert second.result(timeout=10) == 5
    assert calls == [5]


def test_delayed_runs_start_in_the_order_of_their_time_and_not_before(
    app: App, serve: Serve
) -> None:
    order: list[str] = []

    @app.job
    def note(name: str) -> None:
        order.append(name)

    serve(slots=1)
    runs = [note.after(f"{ms}ms").submit(str(ms)) for ms in (600, 200, 400)]
    now = note.submit("now")
    for run in (now, *runs):
        run.result(timeout=10)

    assert order == ["now", "200", "400", "600"]
    for run in runs:
        view = run.show()
        assert view.started_at is not None
        assert view.started_at >= view.due_at


def test_a_better_priority_goes_first_when_there_is_one_slot(app: App, serve: Serve) -> None:
    order: list[str] = []

    @app.job
    def note(name: str) -> None:
        order.append(name)

    runs = [
        note.with_options(priority=name).submit(name) for name in ("low", "medium", "high", "high")
    ]
    serve(slots=1, prefetch=0)
    for run in runs:
        run.result(timeout=10)

    assert order == ["high", "high", "medium", "low"]


def test_several_queues_are_served_in_turn(app: App, serve: Serve) -> None:
    order: list[str] = []

    @app.job
    def note(name: str) -> None:
        order.append(name)

    runs = [note.with_options(queue=queue).submit(queue) for queue in ("a", "b") for _ in range(20)]
    serve(queues=("a", "b"), slots=1, prefetch=0)
    for run in runs:
        run.result(timeout=10)

    # A queue that was always first would be empty before the other one begins.
    assert {"a", "b"} <= set(order[:6])


def test_a_worker_leaves_queues_alone_that_it_does_not_serve(app: App, serve: Serve) -> None:
    @app.job
    def echo(text: str) -> str:
        return text

    serve(queues=("mine",))
    other = echo.with_options(queue="theirs").submit("x")
    mine = echo.with_options(queue="mine").submit("y")

    assert mine.result(timeout=10) == "y"
    assert other.state is State.QUEUED


def test_a_paused_queue_waits_and_goes_on_when_it_is_resumed(app: App, serve: Serve) -> None:
    @app.job
    def echo(text: str) -> str:
        return text

    serve(queues=("images", "mail"))
    _set_paused(app.store, "images", paused=True)
    held = echo.with_options(queue="images").submit("x")
    echo.with_options(queue="mail").submit("y").result(timeout=10)
    with pytest.raises(RunNotFinished):
        held.wait(timeout="300ms")
    _set_paused(app.store, "images", paused=False)

    assert held.result(timeout=10) == "x"


def _set_paused(store: Store, queue: str, *, paused: bool) -> None:
    verb = pause if paused else resume
    store.write(lambda tx: verb(tx, queue, namespace="default"))


def test_a_run_of_a_job_that_no_worker_knows_stays_queued(
    app: App, serve: Serve, store_url: str
) -> None:
    @app.job
    def known() -> int:
        return 1

    serve()
    with App(store_url) as other:

        @other.job
        def unknown() -> int:
            return 2

        stranger = unknown.submit()
        known.submit().result(timeout=10)

        assert stranger.state is State.QUEUED
        assert stranger.show().attempt == 0


def test_a_cancelled_run_can_be_run_again_as_a_new_one(app: App, serve: Serve) -> None:
    @app.job
    def echo(text: str) -> str:
        return text

    old = echo.submit("x")
    old.cancel()
    serve()
    new = old.rerun()

    assert new.result(timeout=10) == "x"
    assert new.show().rerun_of == old.id
    assert old.state is State.CANCELLED
