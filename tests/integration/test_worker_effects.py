"""Effects with a real worker: in threads, on the loop and in processes alike."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota import Transaction, checkpoint, current_run, last_checkpoint, once_in
from rota.app import App, Run
from rota.errors import BadInput, LeaseLost, PayloadTooLarge, Retry
from rota.model.states import State
from rota.notices import subscribe, unsubscribe
from tests.integration.conftest import Serve
from tests.support.calls import eventually
from tests.support.connections import open_kind
from tests.support.effects import add_jobs, deeds, make_table, write
from tests.support.trace_handlers import traces


@pytest.fixture(autouse=True)
def jobs(app: App) -> None:
    add_jobs(app)
    make_table(app.store.url)


@pytest.fixture
def notices() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    heard: list[tuple[str, dict[str, Any]]] = []

    def hear(name: str, facts: dict[str, Any]) -> None:
        heard.append((name, facts))

    subscribe(hear)
    yield heard
    unsubscribe(hear)


def names(notices: list[tuple[str, dict[str, Any]]]) -> set[str]:
    return {name for name, _ in notices}


@pytest.mark.parametrize("job", ["pay", "pay_async", "pay_apart"])
def test_a_handler_commits_its_writes_with_its_run(
    app: App, serve: Serve, notices: list[tuple[str, dict[str, Any]]], job: str
) -> None:
    worker = serve()
    runs = app.find_job(job).submit_many(range(20))

    assert [run.result(timeout=30) for run in runs] == list(range(20))
    assert deeds(app.url) == sorted((run.id, 1, number) for number, run in enumerate(runs))
    eventually(lambda: worker.running == 0)
    assert not names(notices) & {"lease.lost", "handler.failed_late", "finish.refused"}


def test_a_handler_that_fails_after_its_commit_stays_a_success_with_a_notice(
    app: App, serve: Serve, notices: list[tuple[str, dict[str, Any]]]
) -> None:
    worker = serve()
    run = app.find_job("pay_and_fail").submit(7)

    assert run.result(timeout=20) == 7
    eventually(lambda: worker.running == 0)
    assert [facts["error"] for name, facts in notices if name == "handler.failed_late"] == [
        "too late"
    ]
    assert (run.state, run.attempts(), len(deeds(app.url))) == (State.SUCCESS, [], 1)


def test_a_timeout_waits_for_the_transaction(app: App, serve: Serve) -> None:
    worker = serve()
    job = app.find_job("pay_slowly").with_options(timeout="300ms")
    run = job.submit(7, 1.0)

    assert run.result(timeout=20) == 7
    eventually(lambda: worker.running == 0)
    assert (run.attempts(), len(deeds(app.url))) == ([], 1)


def test_a_result_that_is_no_json_takes_the_writes_back(app: App, serve: Serve) -> None:
    @app.job(retries=0)
    def bad() -> None:
        def apply(tx: Transaction) -> object:
            write(tx, 1)
            return object()

        current_run().commit(apply)

    serve()

    assert bad.submit().wait(timeout=20).state is State.FAILED
    assert deeds(app.url) == []


def test_submits_in_the_transaction_take_effect_with_it(app: App, serve: Serve) -> None:
    @app.job(retries=1, backoff="none")
    def order(number: int) -> str:
        def apply(tx: Transaction) -> str:
            sub = tx.submit(app.find_job("pay").with_options(priority=5), number)
            if current_run().attempt == 1:
                raise ValueError("not yet")
            return sub

        return str(current_run().commit(apply))

    serve()
    run = order.submit(3)

    follower = app.run(run.result(timeout=20))
    assert follower.result(timeout=20) == 3
    assert follower.show().priority == 5
    assert len(deeds(app.url)) == 1


def test_a_cancel_that_was_acknowledged_lets_no_effect_commit(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    trail, gate = tmp_path / "trail", tmp_path / "gate"
    serve(grace_ms=20_000)
    run = app.find_job("pay_deafly").submit(str(trail), str(gate))
    eventually(lambda: traces(trail, "began"))

    assert run.cancel() is State.RUNNING
    gate.touch()

    assert run.wait(timeout=20).state is State.CANCELLED
    eventually(lambda: traces(trail, "tried"))
    assert deeds(app.url) == []


def test_a_worker_whose_lease_was_taken_cannot_commit(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    inside, go_on = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    @app.job
    def late() -> int:
        if current_run().attempt == 1:
            inside.set()
            go_on.wait(20)
        try:
            current_run().commit(lambda tx: write(tx, current_run().attempt))
        except BaseException as error:
            errors.append(error)
            raise
        return 1

    worker = serve(lease_ms=60_000, chores=False)
    run = late.submit()
    assert inside.wait(20)
    worker._heartbeat.stop()  # or it might tell the handler before the fence speaks
    app.store.write(lambda tx: tx.raw(_taken(app, run.id)))
    go_on.set()
    eventually(lambda: errors)

    assert isinstance(errors[0], LeaseLost)
    assert deeds(app.url) == []


@pytest.mark.parametrize("lost", ["before the block", "inside the block"])
def test_a_worker_whose_lease_was_taken_cannot_write_with_a_receipt(
    app: App, serve: Serve, tmp_path: Path, lost: str
) -> None:
    other = f"sqlite:///{tmp_path}/other.db"
    make_table(other)
    inside, go_on = threading.Event(), threading.Event()
    errors: list[BaseException] = []

    def pause(at: str) -> None:
        if at == lost and current_run().attempt == 1:
            inside.set()
            go_on.wait(20)

    @app.job
    def late() -> None:
        with open_kind("driver", other) as mine:
            pause("before the block")
            try:
                with once_in(mine.connection, step="reserve"):
                    mine.execute("insert into deed values ('late', 1, 1)")
                    pause("inside the block")
            except LeaseLost as error:
                errors.append(error)
            mine.commit()

    worker = serve(lease_ms=60_000, chores=False)
    run = late.submit()
    assert inside.wait(20)
    worker._heartbeat.stop()  # or it might tell the handler before the fence speaks
    app.store.write(lambda tx: tx.raw(_taken(app, run.id)))
    go_on.set()
    eventually(lambda: worker.running == 0)

    assert deeds(other) == []
    assert len(errors) == 1


def _taken(app: App, run_id: str) -> str:
    """Another worker has claimed the run meanwhile."""
    table = "rota_run" if app.url.startswith("sqlite") else "rota.run"
    return f"update {table} set fence = fence + 1, attempt = attempt + 1 where id = '{run_id}'"


@pytest.mark.parametrize("job", ["climb_and_retry", "climb_async", "climb_apart"])
def test_the_next_attempt_gets_the_last_checkpoint(app: App, serve: Serve, job: str) -> None:
    serve()
    run = app.find_job(job).with_options(retries=1, backoff="none").submit(10)

    assert run.result(timeout=30) == [6, 10]


def test_a_checkpoint_is_typed_and_bounded(app: App, serve: Serve) -> None:
    @app.job(retries=0)
    def save() -> list[str]:
        said = []
        checkpoint({"page": 3, "seen": ["a"]})
        said.append(repr(last_checkpoint()))
        for state in ("x" * 300_000, float("nan"), object()):
            try:
                checkpoint(state)
            except (PayloadTooLarge, BadInput) as error:
                said.append(type(error).__name__)
        try:
            last_checkpoint(int)
        except BadInput as error:
            said.append(str(error)[:36])
        return said

    serve()

    assert save.submit().result(timeout=20) == [
        "{'page': 3, 'seen': ['a']}",
        "PayloadTooLarge",
        "BadInput",
        "BadInput",
        "the stored value does not fit <class",
    ]


def test_a_plain_call_has_no_checkpoints() -> None:
    checkpoint(1)

    assert last_checkpoint(int) is None


def test_an_outside_call_whose_result_is_known_is_not_made_again(
    app: App, serve: Serve, tmp_path: Path
) -> None:
    serve()
    job = app.find_job("charge_and_fail").with_options(retries=3, backoff="none")
    run = job.submit(str(tmp_path / "trail"))

    assert run.result(timeout=20) == {"attempt": 1}
    assert len(traces(tmp_path / "trail", "called")) == 1


def test_a_call_that_surely_did_not_take_place_is_made_again_even_if_doubt_would_park_it(
    app: App, serve: Serve
) -> None:
    @app.job(retries=1, backoff="none")
    def refused() -> int:
        with current_run().once("charge", in_doubt="park") as effect:
            if current_run().attempt == 1:
                effect.retract()
                raise Retry
            effect.result = current_run().attempt
        return int(effect.result)

    serve()

    assert refused.submit().result(timeout=20) == 2


def test_each_effect_has_a_key_that_all_attempts_share(app: App, serve: Serve) -> None:
    keys: list[tuple[str, str, str]] = []

    @app.job(retries=1, backoff="none")
    def two() -> None:
        run = current_run()
        with run.once("a") as first, run.once("b") as second:
            keys.append((run.idempotency_key, first.idempotency_key, second.idempotency_key))
            if run.attempt == 1:
                raise Retry

    serve()
    two.submit().result(timeout=20)

    assert len(set(keys[0])) == 3
    assert keys[0] == keys[1]


@pytest.mark.parametrize("again", ["redrive", "rerun"])
def test_a_parked_call_is_settled_by_a_person_and_not_made_again(
    app: App, serve: Serve, again: str
) -> None:
    keys: list[str] = []

    @app.job(retries=1, backoff="none")
    def parks() -> str:
        with current_run().once("mail", in_doubt="park") as effect:
            if not effect.is_done:
                keys.append(effect.idempotency_key)
                raise TimeoutError("no answer")
        return str(effect.result)

    def repeated(run: Run[str]) -> Run[str]:
        if again == "rerun":
            return run.rerun()
        return app.run(app.dead_letters.redrive(run.id)[0].rerun_id)

    serve()
    first = parks.submit()
    assert "in doubt: 'mail' was begun" in str(first.wait(timeout=20).reason)
    second = repeated(first)
    assert "in doubt: 'mail' was begun" in str(second.wait(timeout=20).reason)
    app.effects.settle(second.id, "mail", done=False)
    third = repeated(second)
    assert third.wait(timeout=20).state is State.FAILED
    app.effects.settle(third.id, "mail", done=True, result="sent")

    assert repeated(third).result(timeout=20) == "sent"
    assert len(keys) == 2
    assert len(set(keys)) == 1
    assert app.effects.list() == []
