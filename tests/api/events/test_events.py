"""The live stream over a socket: changes arrive, none is lost, slow and signed-out readers go."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from rota.api.live import client as buffers
from rota.api.live import feed as feeds
from rota.api.live.reader import FeedReader
from rota.api.live.topics import MOST_CLAIMS, Resume, parse_resume, resume_text
from rota.engine.admission.queues import pause
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.tokens import revoke
from rota.engine.logs import append
from rota.engine.runs.promote import promote
from rota.engine.workers.heartbeat import HandlerProgress, HeldLease, heartbeat
from rota.errors import TooMany
from rota.ids import new_id
from rota.model.logs.log import LogChunk
from rota.store.base import Store
from tests.api.events.streams import EVENTS, listening
from tests.api.serving import HOME, OTHER, Served, serving, wait_until
from tests.contract.builders import (
    LEASE_MS,
    claim_one,
    finish_with,
    given_run,
    given_worker,
    new_run,
    submit_all,
)
from tests.support.postgres import PostgresServer


def chunk(run_id: str, seq: int, *texts: str, fence: int = 1) -> LogChunk:
    marks = f"[{len(texts)},0,1,0]"
    return LogChunk(run_id, "noop", 1, fence, seq, 1_800_000_000_000, marks, "\n".join(texts))


def log(store: Store, *chunks: LogChunk, namespace: str = HOME) -> None:
    store.write(lambda tx: append(tx, chunks, namespace=namespace))


def test_a_run_is_told_at_each_step_of_its_way(served: Served) -> None:
    store = served.app.store
    worker = given_worker(store)
    with listening(served.client("viewer")) as heard:
        run_id = given_run(store)
        heard.wait_for("run", executionId=run_id, status="queued")
        lease = claim_one(store, worker)
        heard.wait_for("run", executionId=run_id, status="running", progress=None)
        held, progress = (
            [HeldLease(run_id, lease.fence)],
            [HandlerProgress(run_id, lease.fence, 0.5, "half")],
        )
        store.write(
            lambda tx: heartbeat(tx, worker, lease_ms=LEASE_MS, held=held, progress=progress)
        )
        heard.wait_for("run", executionId=run_id, progress=50.0, progressNote="half")
        finish_with(store, lease, "retry", kind="error", error='{"type":"E","message":"m"}')
        heard.wait_for("run", executionId=run_id, status="scheduled", failures=1)
        store.write(lambda tx: promote(tx, limit=10))
        finish_with(store, claim_one(store, worker))
        done = heard.wait_for("run", executionId=run_id, status="success")

    assert done.data["durationMs"] >= 0
    assert done.data["jobId"] == "noop"


def test_events_of_other_namespaces_are_not_sent(served: Served) -> None:
    store = served.app.store
    with (
        listening(served.client("viewer", queues=["mail"])) as mail,
        listening(served.client("viewer", namespace=OTHER)) as other,
    ):
        ours = given_run(store)
        theirs = given_run(store, namespace=OTHER)
        letter = given_run(store, queue="mail")
        mail.wait_for("run", executionId=letter)
        other.wait_for("run", executionId=theirs)
        mail.wait_for("queue", name="mail")

        assert [each.data["executionId"] for each in mail.of("run")] == [letter]
        assert [each.data["executionId"] for each in other.of("run")] == [theirs]
        assert {each.data["name"] for each in mail.of("queue")} == {"mail"}
        assert ours


def test_queues_and_workers_are_told_at_first_and_when_they_change(served: Served) -> None:
    store = served.app.store
    given_run(store)
    with listening(served.client("viewer"), topics="queues,workers") as heard:
        heard.wait_for("queue", name="default", queued=1)
        worker = given_worker(store)
        heard.wait_for("worker", id=worker, alive=True, busy=0)
        store.write(lambda tx: pause(tx, "default", namespace=HOME, note="wait"))
        heard.wait_for("queue", name="default", paused=True, note="wait")

        assert heard.of("run") == []


def test_a_change_by_a_person_sends_one_event(served: Served) -> None:
    store = served.app.store
    given_run(store)

    def act(verb: str) -> None:
        by = Actor(act_id=new_id(), who="ann@desk")
        store.write(
            lambda tx: record(tx, by, namespace=HOME, verb=verb, subject="nightly", detail={})
        )

    viewer, stranger = served.client("viewer"), served.client("viewer", namespace=OTHER)
    with (
        listening(viewer, topics="changes,queues") as heard,
        listening(stranger, topics="changes") as other,
        listening(viewer, topics="queues") as plain,
    ):
        heard.wait_for("queue", name="default")
        act("submit")
        heard.wait_for("changed", onlyActs=True)
        assert heard.of("changed", onlyActs=False) == []
        act("pause schedule")
        heard.wait_for("changed", onlyActs=False)

        assert other.of("changed") == []
        assert plain.of("changed") == []


def test_a_server_that_is_too_busy_when_the_first_reader_comes_tells_all_the_same(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = served.app.store
    watch, busy = store.watch, [TooMany("the server is busy")]

    def watch_in_the_end(*given: Any, **options: Any) -> Any:
        if busy:
            raise busy.pop()
        return watch(*given, **options)

    monkeypatch.setattr(store, "watch", watch_in_the_end)
    with listening(served.client("viewer")) as heard:
        heard.wait_for("run", executionId=given_run(store), status="queued")
    assert not busy


def test_lines_are_told_once_each_and_only_new_ones(served: Served) -> None:
    store = served.app.store
    run_id, other = given_run(store), given_run(store)
    log(store, chunk(run_id, 1, "one", "two"))
    client = served.client("viewer")
    with listening(client, topics=f"logs:{run_id}") as heard:
        log(store, chunk(run_id, 3, "three"), chunk(other, 1, "not this"))
        heard.wait_for("log", text="three")
        log(store, chunk(run_id, 4, "four"))
        last = heard.wait_for("log", text="four")
        assert [each.data["text"] for each in heard.of("log")] == ["three", "four"]
        seen = heard.of("log")[0].id

    log(store, chunk(run_id, 1, "again", fence=2))
    with listening(client, topics=f"logs:{run_id}", last_id=seen) as heard:
        heard.wait_for("log", text="again")
        assert [each.data["text"] for each in heard.of("log")] == ["four", "again"]
    assert last.data["executionId"] == run_id


def test_lines_of_a_run_with_very_many_claims_go_on_where_they_were_left(served: Served) -> None:
    store, claims = served.app.store, 3 * MOST_CLAIMS
    run_id = given_run(store)
    log(store, *(chunk(run_id, 1, f"of {fence}", fence=fence) for fence in range(1, claims)))
    client, topics = served.client("viewer"), f"logs:{run_id}"
    with listening(client, topics=topics) as heard:
        log(store, chunk(run_id, 1, "seen", fence=claims))
        seen = heard.wait_for("log", text="seen").id
    log(store, chunk(run_id, 2, "missed", fence=claims))
    with listening(client, topics=topics, last_id=seen) as heard:
        heard.wait_for("log", text="missed")
        assert [each.data["text"] for each in heard.of("log")] == ["missed"]


def test_lines_of_a_run_that_is_not_reached_are_unknown(served: Served) -> None:
    theirs = given_run(served.app.store, namespace=OTHER)
    ours = given_run(served.app.store)
    mail = served.client("viewer", queues=["mail"])

    for client, run_id in ((served.client("viewer"), theirs), (mail, ours), (mail, new_id())):
        answer = client.get(EVENTS, params={"topics": f"logs:{run_id}"})
        assert (answer.status_code, answer.json()["code"]) == (404, "unknown-run")


@pytest.mark.parametrize(
    "topics", ["", "run", "logs", "logs:x", "runs,,queues", "logs:" + "0" * 36]
)
def test_topics_that_are_none_are_named(shared: Served, topics: str) -> None:
    answer = shared.client().get(EVENTS, params={"topics": topics})

    assert (answer.status_code, "topics" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize("last_id", ["x", "-1", "1/2", "1/../x=1.1", "9" * 40])
def test_an_id_that_is_not_ours_is_refused(shared: Served, last_id: str) -> None:
    answer = shared.client().get(EVENTS, headers={"Last-Event-ID": last_id})

    assert answer.status_code == 400


def test_a_client_that_comes_back_hears_what_it_missed_at_any_server(
    served: Served, api_url: str
) -> None:
    store = served.app.store
    client = served.client("viewer")
    worker = given_worker(store)
    with listening(client) as heard:
        running = given_run(store)
        lease = claim_one(store, worker)
        last = heard.wait_for("run", executionId=running, status="running").id

    finish_with(store, lease)
    fresh = given_run(store)
    with serving(api_url) as second:
        again = second.anyone(Authorization=client.headers["Authorization"])
        with listening(again, last_id=last) as heard:
            heard.wait_for("run", executionId=running, status="success")
            heard.wait_for("run", executionId=fresh, status="queued")


def test_a_client_that_was_away_too_long_starts_again(served: Served) -> None:
    with listening(served.client("viewer"), last_id="1000") as heard:
        heard.wait_for("reset")


def test_more_than_a_client_can_take_makes_it_start_anew(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(buffers, "MOST_WAITING", 50)
    store = served.app.store
    with listening(served.client("viewer")) as heard:
        submit_all(store, [new_run() for _ in range(200)])
        heard.wait_for("reset")
        late = given_run(store)
        heard.wait_for("run", executionId=late)


def test_a_reader_that_sleeps_costs_the_others_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feeds, "STALLED_S", 1.0)
    store = served.app.store
    feed = served.site.feed
    with fallen_asleep(served), listening(served.client("viewer"), topics="runs") as heard:
        wait_until(lambda: len(feed._clients) == 2)
        for _ in range(200):  # until the buffers between the two are full
            runs = [new_run(job="j" * 128, queue="q" * 128) for _ in range(500)]
            submit_all(store, runs)
            heard.wait_for("run", executionId=runs[-1].id)
            if len(feed._clients) == 1:
                break
        assert len(feed._clients) == 1, "the sleeper was never dropped"
        assert heard.of("reset") == []


@contextmanager
def fallen_asleep(served: Served) -> Iterator[None]:
    """A client that asks for a stream and reads nothing of it."""
    host, port = served.address.removeprefix("http://").split(":")
    token = served.token("viewer")
    head = f"GET {EVENTS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n\r\n"
    with socket.socket() as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.connect((host, int(port)))
        sock.sendall(head.encode())
        yield


def test_a_stream_ends_when_its_token_is_revoked(served: Served) -> None:
    client = served.client("viewer")
    token_id = served.issued
    with listening(client) as heard:
        began = time.monotonic()
        served.app.store.write(lambda tx: revoke(tx, token_id, namespace=HOME, who="ann"))
        wait_until(lambda: heard.is_over)

    assert feeds.CHECK_S < 2
    assert time.monotonic() - began < 20


def test_one_credential_has_so_many_streams(api_url: str) -> None:
    with serving(api_url, streams=2) as served:
        client = served.client("viewer")
        with listening(client), listening(client):
            refused = client.get(EVENTS)
            assert (refused.status_code, refused.json()["code"]) == (429, "too-many")
            with listening(served.client("viewer")):
                pass
        wait_until(lambda: not served.site.feed._clients)
        with listening(client):
            pass


def test_a_server_that_stops_ends_its_streams(api_url: str) -> None:
    with serving(api_url, drain_s=60.0) as served, listening(served.client("viewer")) as heard:
        served.stop()
        wait_until(lambda: heard.is_over)


@pytest.mark.postgres
def test_a_stream_tells_that_the_database_is_away(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with serving(postgres_url) as served, listening(served.client("viewer")) as heard:
        postgres_server.stop()
        try:
            heard.wait_for("outage")
        finally:
            postgres_server.start()
        heard.wait_for("back")
        heard.wait_for("run", executionId=given_run(served.app.store))


def test_a_late_commit_is_told(served: Served) -> None:
    """A transaction that was open while the stream went on: its rows have times of the past."""
    store = served.app.store
    if store.dialect != "postgres":
        pytest.skip("one writer at a time cannot be late")
    late = given_late_submit(store.url)
    with listening(served.client("viewer"), topics="runs") as heard:
        for _ in range(3):
            heard.wait_for("run", executionId=given_run(store))
        run_id = late.commit()
        wait_until(lambda: heard.of("reset") or heard.of("run", executionId=run_id))
        second = given_late_submit(store.url)
        until = time.monotonic() + 8  # beyond all that is read again anyway
        while time.monotonic() < until:
            heard.wait_for("run", executionId=given_run(store))
        run_id = second.commit()
        heard.wait_for("run", executionId=run_id)


class given_late_submit:  # noqa: N801  # reads as a builder
    """A submit in a transaction of its own that is not committed yet."""

    def __init__(self, url: str) -> None:
        import psycopg  # noqa: PLC0415

        self._session = psycopg.connect(url)
        row: Any = self._session.execute("select rota.submit('add', '{}')").fetchone()
        self._run_id = str(row[0])

    def commit(self) -> str:
        self._session.commit()
        self._session.close()
        return self._run_id


def test_a_stream_that_began_before_the_first_look_can_be_taken_up_again() -> None:
    assert parse_resume(resume_text(Resume(FeedReader().floor, {}))) == Resume(0, {})


def test_the_id_of_an_event_has_room_for_a_run_that_was_tried_a_thousand_times() -> None:
    run_id = new_id()
    told = resume_text(Resume(7, {run_id: dict.fromkeys(range(1, 1001), 10**9)}))
    resumed = parse_resume(told)
    assert resumed is not None
    assert resumed.logs[run_id] == dict.fromkeys(range(981, 1001), 10**9)
