"""Overview, statistics of a job, forecast and search over a socket."""

from __future__ import annotations

import pytest

from rota import ttl_cache
from rota.engine.logs import append
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.logs.log import LogChunk
from tests.api.serving import HOME, OTHER, Served
from tests.api.test_operations import V1, items, submit
from tests.contract.builders import claim_one, finish_with, given_run, given_worker
from tests.contract.failures.dead_letter_builders import given_dead

NOOP = JobSpec(name="noop", target=PythonTarget(ref="shop:noop"))


def test_the_overview_tells_how_things_are(served: Served) -> None:
    store = served.app.store
    worker = given_worker(store)
    for _ in range(3):
        given_run(store)
        finish_with(store, claim_one(store, worker))
    given_dead(store, "no route")
    given_run(store, queue="mail")

    seen = served.client("viewer").get(f"{V1}/statistics/overview", params={"window": "1h"}).json()
    mail = served.client("viewer", queues=["mail"]).get(f"{V1}/statistics/overview").json()

    assert (len(seen["throughput"]), seen["spanMs"]) == (60, 60_000)
    assert sum(each["success"] for each in seen["throughput"]) == 3
    assert (seen["successRate"], seen["retryRate"]) == (0.75, 0.0)
    assert (seen["queueDepth"], seen["running"]) == (1, 0)
    assert seen["oldestWaitMs"] >= 0
    assert (seen["slots"], seen["workers"]) == (16, {"alive": 2, "silent": 0})
    assert seen["durations"]["p95Ms"] is not None
    assert [each["error"] for each in seen["failures"]] == ["ValueError: no route"]
    assert (mail["successRate"], mail["queueDepth"], mail["failures"]) == (None, 1, [])


def test_callers_who_see_the_same_queues_share_an_overview(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ttl_cache, "GOOD_S", 60.0)

    def depth(*roles: str, window: str = "1h", queues: list[str] | None = None) -> int:
        client = served.client(*roles, queues=queues)
        seen = client.get(f"{V1}/statistics/overview", params={"window": window}).json()
        return int(seen["queueDepth"])

    assert depth("viewer") == 0
    given_run(served.app.store, queue="mail")

    assert (depth("viewer"), depth("admin")) == (0, 0)
    assert depth("viewer", window="2h") == 1
    assert depth("viewer", queues=["mail"]) == 1
    assert depth("viewer", queues=["default"]) == 0


def test_a_job_has_its_own_figures(served: Served) -> None:
    store = served.app.store
    served.define(NOOP)
    worker = given_worker(store)
    given_run(store)
    finish_with(store, claim_one(store, worker))
    client = served.client("viewer")

    noop = client.get(f"{V1}/jobs/noop/statistics", params={"window": "24h"}).json()
    add = client.get(f"{V1}/jobs/add/statistics").json()

    assert (len(noop["buckets"]), noop["spanMs"]) == (24, 3_600_000)
    assert noop["successRate"] == 1.0
    for part in ("buckets", "days"):  # an hour or a day may have begun since
        assert sum(each["success"] for each in noop[part][-2:]) == 1, part
    assert (add["successRate"], sum(each["success"] for each in add["buckets"])) == (None, 0)
    assert [each["name"] for each in items(client, "/queues")] == ["default"]
    theirs = served.client("viewer", queues=["mail"]).get(f"{V1}/jobs/noop/statistics")
    assert theirs.json()["code"] == "unknown-job"


@pytest.mark.parametrize("window", ["1s", "31d", "x", ""])
def test_a_window_that_cannot_be_is_refused(shared: Served, window: str) -> None:
    for path in ("/statistics/overview", "/jobs/add/statistics"):
        answer = shared.client().get(f"{V1}{path}", params={"window": window})
        assert answer.status_code == 400


def test_the_forecast_counts_what_schedules_will_start(served: Served) -> None:
    client = served.client("author")
    made = client.put(
        f"{V1}/schedules/often", json={"job": "add", "expression": "*/10 * * * *", "zone": "UTC"}
    )
    assert made.status_code in (200, 201), made.text

    seen = client.get(f"{V1}/statistics/forecast", params={"hours": 3}).json()

    assert [each["runs"] for each in seen["buckets"]][1:] == [6, 6]
    assert seen["buckets"][0]["runs"] <= 6
    assert seen["buckets"][1]["unknown"] == 6
    assert seen["isCut"] is False


def test_search_finds_runs_jobs_and_lines(served: Served) -> None:
    client = served.client("operator")
    run_id = submit(client, key="order-17")
    other = given_run(served.app.store, namespace=OTHER)
    chunk = LogChunk(run_id, "add", 1, 1, 1, 1_800_000_000_000, "[1,0,1,0]", "the Zebra ran")
    served.app.store.write(lambda tx: append(tx, [chunk], namespace=HOME))

    def found(text: str) -> tuple[list[str], list[str], list[str]]:
        seen = client.get(f"{V1}/search", params={"q": text}).json()
        return (
            [each["executionId"] for each in seen["runs"]],
            [each["jobId"] for each in seen["jobs"]],
            [each["text"] for each in seen["logs"]],
        )

    assert found(run_id) == ([run_id], [], [])
    assert run_id in found(run_id[:8])[0]
    assert found(run_id[-12:])[0] == found(run_id[-6:].upper())[0] == [run_id]
    assert found(other[-12:])[0] == []
    assert found("order-17")[0] == [run_id]
    assert found("queued")[0] == [run_id]
    assert found("add") == ([run_id], ["add"], [])
    assert found("AD")[1] == ["add"]
    assert found("zebra") == ([], [], ["the Zebra ran"])
    assert found("nothing of this") == ([], [], [])
    assert found(other) == ([], [], [])
    mail = served.client("viewer", queues=["mail"])
    for text in (run_id, "add", "zebra", "queued"):
        hidden = mail.get(f"{V1}/search", params={"q": text}).json()
        assert hidden == {"runs": [], "jobs": [], "schedules": [], "logs": []}, text
    assert client.get(f"{V1}/search", params={"q": " "}).status_code == 400
    assert client.get(f"{V1}/search").status_code == 400


def test_search_finds_schedules_by_their_name_and_by_their_job(served: Served) -> None:
    client = served.client("author")
    when = {"expression": "0 6 * * *", "zone": "UTC"}
    for name in ("nightly", "my-nightly", "dawn"):
        made = client.put(f"{V1}/schedules/{name}", json={"job": "add", **when})
        assert made.status_code in (200, 201), made.text
    client.post(f"{V1}/schedules/dawn/pause")

    def found(text: str, **scope: list[str]) -> list[str]:
        seen = served.client("viewer", **scope).get(f"{V1}/search", params={"q": text})
        return [each["name"] for each in seen.json()["schedules"]]

    assert found("NIGHTLY") == ["nightly", "my-nightly"]
    assert found("ad") == ["dawn", "my-nightly", "nightly"]
    assert found("nothing of this") == []
    assert found("nightly", queues=["mail"]) == []
    seen = client.get(f"{V1}/search", params={"q": "dawn"}).json()
    assert seen["schedules"] == [{"name": "dawn", "job": "add", "state": "paused"}]
