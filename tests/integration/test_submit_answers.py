"""What a client may believe: an answered submit is on record once, a wait ends with the run."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

import apsw
import psycopg
import pytest

from rota.app import App, Job
from rota.engine.runs.find import counts
from rota.errors import CommitUnknown
from rota.ids import new_id
from rota.model.states import State
from rota.store.base import Store, Tx
from rota.store.sqlite.store import SqliteStore
from tests.contract.builders import claim_some, finish_all, run_sql, verdict
from tests.integration.conftest import Serve

T = TypeVar("T")

# The insert succeeds; it is the commit that fails.
REFUSE = """
create function rota.refuse() returns trigger language plpgsql
    as $$ begin raise exception 'no commit today'; end $$;
create constraint trigger refuse after insert on rota.run
    deferrable initially deferred for each row execute function rota.refuse()
"""


def refuse_commits(store: Store) -> None:
    if isinstance(store, SqliteStore):
        with store._writing:  # a worker may be using the connection
            store._writer.set_commit_hook(lambda: True)
    else:
        run_sql(store.url, REFUSE)


def accept_commits(store: Store) -> None:
    if isinstance(store, SqliteStore):
        with store._writing:
            store._writer.set_commit_hook(None)
    else:
        run_sql(store.url, "drop trigger refuse on rota.run")


def live_and_ended(app: App) -> dict[State, int]:
    return app.store.read(lambda tx: counts(tx, namespace="default"))


@pytest.fixture
def echo(app: App) -> Job[[int], int]:
    """A job that the store knows already."""

    @app.job
    def echo(number: int) -> int:
        return number

    app.define([echo])
    return echo


def test_a_submit_whose_commit_fails_is_told_so(app: App, echo: Job[[int], int]) -> None:
    refuse_commits(app.store)

    with pytest.raises((apsw.Error, psycopg.Error)):
        echo.submit(1)

    accept_commits(app.store)
    assert live_and_ended(app) == {}
    echo.submit(2)
    assert live_and_ended(app) == {State.QUEUED: 1}


def test_a_worker_outlives_a_commit_that_failed_under_it(
    app: App, echo: Job[[int], int], serve: Serve
) -> None:
    serve(chores=False, heartbeat_ms=60_000, lease_ms=120_000)
    assert echo.submit(1).result(timeout=20) == 1

    refuse_commits(app.store)
    with pytest.raises((apsw.Error, psycopg.Error)):
        echo.submit(2)
    accept_commits(app.store)

    assert echo.submit(3).result(timeout=20) == 3


class ForgetfulStore:
    """A store whose next write is committed and not answered; something happens meanwhile."""

    def __init__(self, real: Store, meanwhile: Callable[[], object]) -> None:
        self._real = real
        self._meanwhile: Callable[[], object] | None = meanwhile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def write(self, work: Callable[[Tx], T], **options: bool) -> T:
        answer = self._real.write(work, **options)
        if self._meanwhile is not None:
            meanwhile, self._meanwhile = self._meanwhile, None
            meanwhile()
            raise CommitUnknown("the connection broke at the commit")
        return answer


def test_a_submit_with_an_unknown_commit_is_one_run(app: App, echo: Job[[int], int]) -> None:
    store = app.store

    def carry_out() -> None:
        leases = claim_some(store, new_id(), jobs=["echo"])
        assert finish_all(store, [verdict(lease, result="1") for lease in leases]) == []

    app._store = ForgetfulStore(store, carry_out)
    run = echo.submit(1)

    assert live_and_ended(app) == {State.SUCCESS: 1}
    assert run.result(timeout=20) == 1


def test_waiting_lasts_until_the_end_of_the_run(
    app: App, echo: Job[[int], int], serve: Serve
) -> None:
    gate, begun = threading.Event(), threading.Event()

    @app.job
    def long() -> str:
        begun.set()
        assert gate.wait(20)
        return "done"

    serve()
    run = long.submit()
    assert begun.wait(20)

    def end_another() -> None:
        # A sign of life that wakes whoever waits, and is not the end they wait for.
        echo.submit(1).result(timeout=20)
        gate.set()

    threading.Thread(target=end_another).start()

    assert run.wait(timeout=20).state is State.SUCCESS
