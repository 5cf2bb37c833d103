"""GET /metrics: read by Prometheus' own parser, for the namespace and the queues of who asks."""

from __future__ import annotations

from typing import Any

import httpx2
from prometheus_client.parser import text_string_to_metric_families as parse

from rota.api.identity.security_events import KINDS
from tests.api.serving import HOME, OTHER, Served, serving
from tests.api.things import given_schedule
from tests.contract.builders import claim_one, finish_with, given_run, given_worker, run_sql
from tests.contract.failures.dead_letter_builders import given_dead
from tests.support.calls import eventually

Seen = dict[tuple[str, frozenset[tuple[str, str]]], float]


def scrape(client: httpx2.Client) -> Seen:
    """Every line of it; each name of ours, described, typed, and no line twice."""
    answer = client.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    seen: Seen = {}
    lines = 0
    for family in parse(answer.text):
        assert family.name.startswith("rota_")
        assert family.documentation
        assert family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            at = sample.name, frozenset(sample.labels.items())
            assert at not in seen
            seen[at] = sample.value
            lines += 1
            assert sample.value >= 0
            assert sample.name.endswith("_total") == (family.type == "counter")
    assert lines == sum(not line.startswith("#") for line in answer.text.splitlines())
    return seen


def value(seen: Seen, name: str, **labels: str) -> float:
    """Of the one line that has these labels among others."""
    found = [
        each for (told, at), each in seen.items() if told == name and at >= set(labels.items())
    ]
    assert len(found) == 1, (name, labels, found)
    return found[0]


def test_a_namespace_is_told_whole(served: Served) -> None:
    store = served.app.store
    worker = given_worker(store)
    for _ in range(2):
        given_run(store)
        finish_with(store, claim_one(store, worker))
    given_dead(store, "no route")
    given_run(store, queue="mail")
    given_run(store, queue="mail", delay_ms=3_600_000)

    seen = scrape(served.client("viewer"))

    at: dict[str, Any] = {"namespace": HOME, "job": "noop", "queue": "default"}
    assert value(seen, "rota_runs_ended_total", outcome="success", **at) == 2
    assert value(seen, "rota_runs_ended_total", outcome="failed", **at) == 1
    assert value(seen, "rota_runs_ended_total", outcome="skipped", **at) == 0
    assert value(seen, "rota_retries_total", **at) == 0
    assert value(seen, "rota_runs_refused_total", **at) == 0
    assert value(seen, "rota_run_duration_seconds_count", queue="default") == 3
    assert value(seen, "rota_run_wait_seconds_bucket", queue="default", le="+Inf") == 3
    assert value(seen, "rota_schedule_lag_seconds_count", queue="default") == 0
    assert value(seen, "rota_queue_runs", queue="mail", state="queued") == 1
    assert value(seen, "rota_queue_runs", queue="mail", state="scheduled") == 1
    assert value(seen, "rota_queue_oldest_wait_seconds", queue="mail") >= 0
    assert value(seen, "rota_dead_letters", job="noop") == 1
    assert value(seen, "rota_workers", state="working") == 2
    assert value(seen, "rota_worker_slots") == 16
    assert value(seen, "rota_worker_slots_busy") == 0
    assert value(seen, "rota_schedule_overdue_seconds") == 0
    assert value(seen, "rota_metrics_are_cut") == 0
    assert value(seen, "rota_build_info", database=store.dialect) == 1


def test_a_schedule_that_nobody_fires_is_overdue(served: Served) -> None:
    store = served.app.store
    store.write(lambda tx: given_schedule(tx, "yearly", namespace=HOME, job="add"))
    late = "update rota.schedule set look_at = 1000"
    run_sql(served.app.url, late)

    assert value(scrape(served.client("viewer")), "rota_schedule_overdue_seconds") > 86_400
    theirs = scrape(served.client("viewer", namespace=OTHER))
    assert value(theirs, "rota_schedule_overdue_seconds") == 0


def test_each_sees_what_is_theirs(served: Served) -> None:
    store = served.app.store
    given_dead(store, "no route")
    given_run(store, queue="mail")
    given_run(store, namespace=OTHER, queue="theirs", job="secret-job")

    mine = scrape(served.client("viewer"))
    theirs = scrape(served.client("viewer", namespace=OTHER))
    mail = scrape(served.client("viewer", queues=["mail"]))

    def words(seen: Seen, label: str) -> set[str]:
        return {text for _, at in seen for key, text in at if key == label}

    assert words(mine, "namespace") == words(mail, "namespace") == {HOME}
    assert words(theirs, "namespace") == {OTHER}
    assert words(theirs, "queue") == {"theirs"}
    assert words(mine, "queue") == {"default", "mail"}
    assert words(mail, "queue") == {"mail"}
    assert words(mail, "job") == words(mail, "kind") == set()
    assert "secret-job" not in str(mine)


def use_until_it_ends(served: Served, token: str) -> dict[str, Any]:
    """The one refusal; a quick request may come within the millisecond in which it is good."""
    client = served.anyone(Authorization=f"Bearer {token}")
    refused: list[dict[str, Any]] = []

    def is_refused() -> bool:
        answer = client.get("/api/v1/runs")
        refused.extend([answer.json()] if answer.status_code == 401 else ())
        return bool(refused)

    eventually(is_refused)
    return refused[0]


def test_refusals_are_counted_by_kind(served: Served) -> None:
    def counts(namespace: str) -> dict[str, float]:
        seen = scrape(served.client("viewer", namespace=namespace))
        name = "rota_security_events_total"
        return {kind: value(seen, name, namespace=namespace, kind=kind) for kind in KINDS}

    assert set(counts(HOME).values()) == {0}
    anyone = served.anyone()
    anyone.get("/api/v1/runs")
    served.anyone(Authorization="Basic x").get("/api/v1/runs")
    served.anyone(Authorization="Bearer rota_guess").get("/api/v1/runs")
    use_until_it_ends(served, served.token("viewer", expires="1ms", namespace=OTHER))
    anyone.post("/login", data={"token": "guess"})
    looks = served.client("viewer", namespace=OTHER)
    looks.post("/api/v1/queues/mail/pause")
    served.client("viewer", queues=["mail"]).get("/api/v1/statistics/forecast")
    served.anyone(Host="evil.example").get("/healthz")
    looks.post("/api/v1/queues/mail/pause", headers={"Origin": "https://evil.example"})
    anyone.get("/login?next=%00")

    assert counts(HOME) == {
        "no-credential": 2,
        "unknown-credential": 1,
        "ended-credential": 0,
        "failed-sign-in": 1,
        "not-permitted": 1,
        "too-many": 0,
        "foreign-host": 1,
        "foreign-origin": 1,
        "bad-head": 1,
    }
    theirs = {kind: count for kind, count in counts(OTHER).items() if count}
    assert theirs == {"ended-credential": 1, "not-permitted": 1}


def test_requests_over_the_rate_are_counted(sqlite_url: str) -> None:
    with serving(sqlite_url, rate=1.0) as served:
        client = served.client("viewer")
        statuses = [client.get("/api/v1/version").status_code for _ in range(4)]
        assert statuses.count(429) >= 1
        assert served.site.refusals.counts(HOME)["too-many"] == statuses.count(429)


def test_an_expired_token_is_refused_as_expired(served: Served) -> None:
    ended = use_until_it_ends(served, served.token("viewer", expires="1ms"))
    unknown = served.anyone(Authorization="Bearer rota_guess").get("/api/v1/runs").json()

    assert ended["detail"] == "the token was revoked or is past its time"
    assert "unknown" in unknown["detail"]
    assert ended["code"] == unknown["code"] == "not-signed-in"
