"""Runs on record as a far worker's: only the worker knows which of them it never heard of."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from rota.app import App
from rota.client import Client
from rota.engine.jobs.definitions import define
from rota.engine.runs.submit import submit
from rota.errors import ServerUnavailable
from rota.ids import new_id
from rota.model.runs.run import NewRun
from rota.model.states import State
from rota.remote import RemoteWorker
from rota.remote.exchange import HttpExchange
from rota.remote.tokens import AttemptTokens
from rota.runtime.options import WorkerOptions
from tests.api.serving import HOME, Served, wait_until
from tests.api.workers.remote_worker import Far, attempt, given_run, seen
from tests.contract.builders import run_sql
from tests.support.proxy import Proxy

OPTIONS = WorkerOptions(slots=2, heartbeat_ms=200, drain_ms=200, grace_ms=200, prefetch=0)


class Once:
    """A job that must not begin twice, and a far worker that has begun a run of it."""

    def __init__(self) -> None:
        self.gate = threading.Event()
        self.begins = threading.Semaphore(0)
        self.run_id = ""

    def await_begin(self) -> None:
        assert self.begins.acquire(timeout=60)

    def has_begun_again(self) -> bool:
        return self.begins.acquire(blocking=False)


@contextmanager
def far_worker(
    served: Served, *, address: str | None = None
) -> Iterator[tuple[Once, RemoteWorker]]:
    once = Once()
    token = served.token("worker", queues=("default",))
    with App(served.app.url) as app:

        @app.job(delivery="at_most_once")
        def book() -> int:
            once.begins.release()
            assert once.gate.wait(60)
            return 1

        served.app.store.write(lambda tx: define(tx, book.spec, namespace=HOME))
        client = Client(address or served.address, token=token, patience=0)
        worker = RemoteWorker(app, client, OPTIONS, token=token)
        worker.start()
        run = NewRun(id=new_id(), job="book", version=1, at_most_once=True)
        once.run_id = run.id
        try:
            served.app.store.write(lambda tx: submit(tx, [run], namespace=HOME))
            yield once, worker
        finally:
            once.gate.set()
            worker.hurry()
            worker.stop()


def claimed_long_ago(served: Served, run_id: str) -> None:
    """As if the worker had been stopped for longer than its lease since then."""
    run_sql(
        served.app.url, f"update rota.run set started_at = started_at - 60000 where id = '{run_id}'"
    )


def test_a_claim_that_lay_somewhere_gives_back_nothing_that_came_after_it(served: Served) -> None:
    """Sent before the claim that was answered, looked at after it: its list lacks the run."""
    far = Far(served)
    assert far.registered.json()["tellsStrays"]
    run_id = given_run(served)
    run = far.claim_one()

    late = far.good("claim", {"limit": 1, "held": [], "hearsStrays": True})

    assert (late["runs"], late["strays"]) == ([], [attempt(run)])
    assert seen(served.app, run_id).state is State.RUNNING
    assert far.finish(run, ending="returned", result="3").json() == {"lost": []}


def test_a_heartbeat_tells_of_strays_and_leaves_it_to_the_worker_to_give_them_back(
    served: Served,
) -> None:
    far = Far(served)
    run_id = given_run(served)
    run = far.claim_one()
    assert far.good("heartbeat", {"held": [], "hearsStrays": True})["strays"] == []
    claimed_long_ago(served, run_id)

    (stray,) = far.good("heartbeat", {"held": [], "hearsStrays": True})["strays"]

    assert (stray["runId"], stray["fence"]) == (run_id, run["fence"])
    assert seen(served.app, run_id).state is State.RUNNING
    stopped = {"ending": "stopped", "why": "drain", "began": False}
    assert far.finish(stray, **stopped).json() == {"lost": []}
    view = seen(served.app, run_id)
    assert (view.state, view.attempt) == (State.QUEUED, 0)


def test_a_worker_of_an_older_version_has_its_strays_given_back_for_it(served: Served) -> None:
    far = Far(served)
    run_id = given_run(served)
    far.claim_one()
    claimed_long_ago(served, run_id)

    assert far.good("heartbeat", {"held": []})["strays"] == []

    assert seen(served.app, run_id).state is State.QUEUED


def test_a_run_whose_claim_got_no_answer_comes_again_at_once(served: Served) -> None:
    port = int(served.address.rpartition(":")[2])
    with Proxy(port) as proxy:
        proxy.lose_answer_with(b'"job":"book"')
        address = f"http://127.0.0.1:{proxy.port}"
        with far_worker(served, address=address) as (once, _):
            once.await_begin()

            assert proxy.has_lost_answer
            view = seen(served.app, once.run_id)
            assert (view.fence, view.attempt) == (2, 1)
            once.gate.set()
            wait_until(lambda: seen(served.app, once.run_id).state is State.SUCCESS)
            assert not once.has_begun_again()


def test_an_answer_that_comes_after_its_run_was_given_back_is_not_taken() -> None:
    tokens = AttemptTokens()

    assert tokens.disown("run", 1) is False
    assert tokens.add("run", 1, "token") is False
    assert tokens.add("run", 2, "token") is True
    assert tokens.add("run", 2, "token") is False, "told twice"
    assert tokens.disown("run", 2) is None
    tokens.part_with("run", 2)
    assert tokens.disown("run", 2) is True, "it may have begun here"
    tokens.clear()
    assert tokens.add("run", 1, "token") is True


def test_a_worker_that_could_not_tell_an_end_does_not_say_goodbye(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A goodbye gives back what is on record as held, as if it had not begun."""

    def away(*_: object) -> bool:
        raise ServerUnavailable("away")

    with far_worker(served) as (once, worker):
        once.await_begin()
        monkeypatch.setattr(HttpExchange, "_send", away)
        once.gate.set()
        worker.hurry()
        worker.stop()

        assert seen(served.app, once.run_id).state is State.RUNNING
