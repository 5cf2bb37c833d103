"""A worker and a dependency that comes and goes: the breaker opens, probes, closes, and tells."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from rota import Breaker
from rota.app import App
from rota.model.admission.breaker import BreakerView
from rota.model.states import State
from rota.notices import subscribe, unsubscribe
from tests.integration.conftest import Serve
from tests.support.calls import eventually
from tests.support.webserver import Seen, WebServer

RULE = Breaker(share=0.5, least=4, window="10s", cool="200ms", cool_cap="400ms")


class Dependency:
    """Works or not, as the test says; counts who called."""

    def __init__(self) -> None:
        self.is_up = True
        self.calls = 0
        self._lock = threading.Lock()

    def call(self) -> int:
        with self._lock:
            self.calls += 1
        if not self.is_up:
            raise ConnectionError("down")
        return self.calls


class Notices:
    def __init__(self) -> None:
        self.heard: list[tuple[str, dict[str, Any]]] = []

    def __call__(self, name: str, facts: dict[str, Any]) -> None:
        self.heard.append((name, facts))

    def named(self, name: str) -> list[dict[str, Any]]:
        return [facts for heard, facts in self.heard if heard == name]


@pytest.fixture
def notices() -> Iterator[Notices]:
    heard = Notices()
    subscribe(heard)
    yield heard
    unsubscribe(heard)


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


def only(app: App) -> BreakerView:
    (view,) = app.breakers.list()
    return view


def posts(web: WebServer) -> list[Seen]:
    return [seen for seen in web.seen if seen.method == "POST"]


def test_a_flapping_dependency_is_left_alone_and_everything_is_done_at_last(
    app: App, serve: Serve, notices: Notices
) -> None:
    bank = Dependency()

    @app.job(breaker=RULE, retries=50, backoff="none")
    def charge(order: int) -> int:
        return bank.call()

    serve()
    bank.is_up = False
    runs = charge.submit_many(range(40))
    eventually(lambda: only(app).state != "closed")
    eventually(lambda: only(app).opened_at is not None and only(app).held > 0)
    calls_when_open = bank.calls
    # A probe is let through at most every 200 ms, all others wait.
    eventually(lambda: bank.calls > calls_when_open)
    assert only(app).state != "closed"
    bank.is_up = True

    ended = [run.wait(timeout=30) for run in runs]

    assert {end.state for end in ended} == {State.SUCCESS}
    assert only(app).state == "closed"
    # Some failed before it opened (a slot each), and a probe now and then.
    failures = bank.calls - len(runs)
    assert failures < 30, "it did not hold them back"
    eventually(lambda: bool(notices.named("breaker.closed")))
    (opened,) = notices.named("breaker.opened")
    assert (opened["job"], opened["window"], opened["by"]) == ("charge", "10s", "itself")
    assert opened["bad"] / opened["total"] == opened["share"] >= 0.5


def test_a_run_pinned_to_a_version_before_the_breaker_counts_too(
    app: App, serve: Serve, store_url: str
) -> None:
    with App(store_url) as before:

        @before.job(name="old", retries=0)
        def first() -> None: ...

        for _ in range(4):
            first.submit()

    @app.job(name="old", retries=0, breaker=RULE)
    def second() -> None:
        raise ValueError("broken")

    serve()

    eventually(lambda: only(app).opened_at is not None)


def test_one_that_pauses_is_closed_by_hand(app: App, serve: Serve) -> None:
    bank = Dependency()

    @app.job(breaker=Breaker(share=1, least=2, window="10s", pauses=True), retries=0)
    def charge() -> int:
        return bank.call()

    serve()
    bank.is_up = False
    for run in charge.submit_many([()] * 2):
        run.wait(timeout=20)
    held = charge.submit()
    assert only(app).stays
    bank.is_up = True

    assert app.breakers.close("charge")

    assert held.result(timeout=20) > 0


def test_each_change_is_posted_once_with_a_key_of_its_own(
    app: App, serve: Serve, web: WebServer
) -> None:
    @app.job
    def charge() -> None: ...

    for _ in range(2):
        serve(alert_webhook=web.url("/json"), alert_private=True)
    app.breakers.open("charge", note="the bank is down")
    app.breakers.close("charge")

    eventually(lambda: len(posts(web)) >= 2)
    # Two processes may send two alerts at the same moment: their ids, not their arrival, tell.
    bodies = sorted((json.loads(seen.body) for seen in posts(web)), key=lambda body: body["id"])
    assert [body["kind"] for body in bodies] == ["breaker.opened", "breaker.closed"]
    assert (bodies[0]["job"], bodies[0]["note"]) == ("charge", "the bank is down")
    assert bodies[0]["namespace"] == "default"
    assert bodies[0]["at"].endswith("Z")
    keys = sorted(seen.headers["Idempotency-Key"] for seen in posts(web))
    assert keys == [body["id"] for body in bodies]
    assert len(set(keys)) == len(keys) == 2


def test_a_webhook_that_fails_is_tried_again_with_the_same_key(
    app: App, serve: Serve, web: WebServer, notices: Notices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.runtime.chores.alerts.FIRST_WAIT_MS", 100)

    @app.job
    def charge() -> None: ...

    serve(alert_webhook=web.url("/status/503"), alert_private=True)
    app.breakers.open("charge")

    eventually(lambda: len(posts(web)) >= 3)
    assert len({seen.headers["Idempotency-Key"] for seen in posts(web)}) == 1
    assert len(notices.named("breaker.opened")) == 1
    assert "answered 503" in notices.named("alert.failed")[0]["error"]


def test_an_alert_whose_process_died_after_the_commit_is_sent_by_another(
    app: App, serve: Serve, web: WebServer
) -> None:
    """Nobody serves while the breaker opens: the outbox keeps the alert until somebody does."""

    @app.job
    def charge() -> None: ...

    app.define(app.jobs.values())
    app.breakers.open("charge")
    assert posts(web) == []

    serve(alert_webhook=web.url("/json"), alert_private=True)

    eventually(lambda: len(posts(web)) == 1)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_private_address_is_not_called_unless_it_is_allowed(
    app: App, serve: Serve, web: WebServer, notices: Notices, host: str
) -> None:
    @app.job
    def charge() -> None: ...

    serve(alert_webhook=web.url("/json", host))
    app.breakers.open("charge")

    eventually(lambda: bool(notices.named("alert.failed")))
    assert "is not on the public internet" in notices.named("alert.failed")[0]["error"]
    assert posts(web) == []


def test_the_webhook_is_read_from_the_environment(
    store_url: str, web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROTA_ALERT_WEBHOOK", web.url("/json"))
    monkeypatch.setenv("ROTA_ALERT_PRIVATE", "yes")
    with App(store_url) as app:

        @app.job
        def charge() -> None: ...

        worker = app.worker()
        worker.start()
        app.breakers.open("charge")
        eventually(lambda: len(posts(web)) == 1)
        worker.stop()
