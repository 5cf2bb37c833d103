"""Schedules over HTTP: made, changed, held, started; what they would do before they do it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import httpx2
import pytest

from rota.engine.schedules.definitions import put as put_schedule
from rota.ids import new_id
from rota.model.schedules.definitions import Every, Schedule
from rota.operations.schedules.compiled import compiled_schedules
from tests.api.serving import HOME, Served

SCHEDULES = "/api/v1/schedules"
NIGHTLY: dict[str, Any] = {"job": "add", "expression": "0 3 * * *", "zone": "Europe/Paris"}


def put(client: httpx2.Client, name: str = "s", **fields: Any) -> httpx2.Response:
    headers = fields.pop("headers", {})
    return client.put(f"{SCHEDULES}/{name}", json=NIGHTLY | fields, headers=headers)


def declared(served: Served) -> None:
    """One of the code of an app."""
    served.app.store.write(
        lambda tx: put_schedule(
            tx, "code", Schedule(trigger=Every(every="1h")), namespace=HOME, job="add",
            origin="code", who="test", compiled=compiled_schedules(), new_id=new_id,
        )
    )  # fmt: skip


def test_a_schedule_is_made_shown_listed_and_removed(served: Served) -> None:
    client = served.client("author")

    made = put(client, args={"a": 1}, overlap="skip")
    shown = client.get(f"{SCHEDULES}/s").json()
    listed = client.get(SCHEDULES).json()["items"]
    gone = client.delete(f"{SCHEDULES}/s")

    assert made.status_code == 200, made.text
    facts = {"name": "s", "job": "add", "trigger": "0 3 * * *", "zone": "Europe/Paris"}
    assert facts.items() <= shown.items()
    assert (shown["state"], shown["overlap"], shown["origin"]) == ("active", "skip", "api")
    assert "03:00" in shown["description"]
    assert shown["definition"]["args"] == {"a": 1}
    assert len(shown["coming"]) == 10
    assert shown["coming"][0]["local"][11:16] == "03:00"
    assert (listed[0]["name"], listed[0]["nextAt"]) == ("s", shown["nextAt"])
    assert gone.json() == {"name": "s", "removed": True}
    assert client.get(f"{SCHEDULES}/s").json()["code"] == "unknown-schedule"


def test_a_read_schedule_can_be_sent_back_unchanged(served: Served) -> None:
    client = served.client("author")
    put(client, overlap="queue_all", parallel=2, catchupLimit=7, jitter="30s", args={"b": 2})
    read = client.get(f"{SCHEDULES}/s")

    again = client.put(
        f"{SCHEDULES}/s",
        json=read.json()["definition"],
        headers={"If-Match": read.headers["ETag"]},
    )

    assert again.status_code == 200, again.text
    assert client.get(f"{SCHEDULES}/s").headers["ETag"] == read.headers["ETag"]


def test_a_change_of_what_somebody_else_changed_is_refused(served: Served) -> None:
    client = served.client("author")
    put(client)
    etag = client.get(f"{SCHEDULES}/s").headers["ETag"]
    put(client, expression="0 4 * * *")

    late = [
        put(client, expression="0 5 * * *", headers={"If-Match": etag}),
        client.delete(f"{SCHEDULES}/s", headers={"If-Match": etag}),
        put(client, "new", headers={"If-Match": etag}),
    ]

    assert [answer.status_code for answer in late] == [412] * 3
    assert client.get(f"{SCHEDULES}/s").json()["trigger"] == "0 4 * * *"


def test_a_schedule_of_events_offers_no_backfill(served: Served) -> None:
    client = served.client("author")
    made = put(client, "closed", expression="@event orders.closed")

    assert made.is_success, made.text
    shown = client.get(f"{SCHEDULES}/closed").json()
    assert shown["verbs"] == ["trigger", "pause", "edit", "delete"]


def test_a_schedule_of_code_can_be_paused_but_not_changed(served: Served) -> None:
    client = served.client("author")
    declared(served)

    refused = [put(client, "code"), client.delete(f"{SCHEDULES}/code")]
    paused = client.post(f"{SCHEDULES}/code/pause", json={"note": "the move"})
    shown = client.get(f"{SCHEDULES}/code").json()
    resumed = client.post(f"{SCHEDULES}/code/resume")

    assert [answer.status_code for answer in refused] == [409, 409]
    assert paused.json() == {"name": "code", "state": "paused"}
    assert (shown["state"], shown["note"], shown["changedBy"]) == (
        "paused",
        "the move",
        "token:test",
    )
    assert shown["verbs"] == ["trigger", "backfill", "resume"]
    assert resumed.json()["state"] == "active"


def test_a_schedule_is_started_by_hand_with_other_arguments(served: Served) -> None:
    client = served.client("author")
    put(client, args={"a": 1, "b": 2}, overlap="skip")

    first = client.post(f"{SCHEDULES}/s/trigger", json={"args": {"b": 3}}).json()
    second = client.post(f"{SCHEDULES}/s/trigger").json()

    assert first["status"] == "queued"
    run = client.get(f"/api/v1/runs/{first['executionId']}").json()
    assert run["args"] == {"a": 1, "b": 3}
    assert (second["executionId"], second["status"]) == (None, "skipped")
    past = client.get(f"{SCHEDULES}/s").json()["past"]
    assert [each["kind"] for each in past] == ["manual", "manual"]
    bad = client.post(f"{SCHEDULES}/s/trigger", json={"args": {"c": 3}})
    assert (bad.status_code, bad.json()["code"]) == (422, "bad-arguments")


def test_a_schedule_is_started_for_a_time_that_is_past(served: Served) -> None:
    client = served.client("author")
    put(client, args={"a": 1, "b": 2}, zone="UTC", startWithin="1m")
    asked = {"scheduledFor": "2026-01-31T04:30:00+01:00"}

    by_schedule = client.post(f"{SCHEDULES}/s/trigger", json=asked).json()
    by_job = client.post("/api/v1/jobs/add/trigger", json=asked).json()

    for made in (by_schedule, by_job):
        assert made["status"] == "queued"
        run = client.get(f"/api/v1/runs/{made['executionId']}").json()
        assert run["scheduledFor"] == "2026-01-31T03:30:00.000Z"
    put(client, "t", args={"a": 1, "b": 2})
    several = client.post("/api/v1/jobs/add/trigger", json=asked)
    assert (several.status_code, "2 schedules" in several.json()["detail"]) == (400, True)
    no_zone = client.post(f"{SCHEDULES}/s/trigger", json={"scheduledFor": "2026-01-31T04:30:00"})
    assert (no_zone.status_code, "zone" in no_zone.json()["detail"]) == (400, True)


def test_what_became_of_instants_comes_in_pages_also_of_one_instant(served: Served) -> None:
    client = served.client("author")
    put(client, args={"a": 1, "b": 2}, overlap="allow")
    asked = {"scheduledFor": "2026-01-31T04:30:00Z"}
    made = [client.post(f"{SCHEDULES}/s/trigger", json=asked).json() for _ in range(3)]

    first = client.get(f"{SCHEDULES}/s/firings", params={"limit": 2}).json()
    rest = client.get(f"{SCHEDULES}/s/firings", params={"cursor": first["next"]}).json()

    told = first["items"] + rest["items"]
    assert {each["executionId"] for each in told} == {each["executionId"] for each in made}
    assert (len(told), rest["next"]) == (3, None)
    before = client.get(f"{SCHEDULES}/s/firings", params={"before": asked["scheduledFor"]}).json()
    assert before == {"items": [], "next": None}
    for bad in (
        "x",
        "eyJ9",
        "é",
        "WzldXQ",
        "WzEsMiwiYVx1MDAwMCIsIiJd",
        "Wzk5OTk5OTk5OTk5OTk5OTk5OTk5XQ",
    ):
        refused = client.get(f"{SCHEDULES}/s/firings", params={"cursor": bad})
        assert (refused.status_code, "cursor" in refused.json()["detail"]) == (400, True), bad


def test_lists_are_filtered_and_come_in_pages(served: Served) -> None:
    client = served.client("author")
    for name in ("c", "a", "b"):
        put(client, name)
    client.post(f"{SCHEDULES}/b/pause")

    first = client.get(SCHEDULES, params={"limit": 2}).json()
    rest = client.get(SCHEDULES, params={"limit": 2, "cursor": first["next"]}).json()
    paused = client.get(SCHEDULES, params={"state": "paused"}).json()["items"]
    other = client.get(SCHEDULES, params={"jobId": "other"}).json()["items"]

    assert [each["name"] for each in first["items"]] == ["a", "b"]
    assert ([each["name"] for each in rest["items"]], rest["next"]) == (["c"], None)
    assert ([each["name"] for each in paused], other) == (["b"], [])


def test_a_token_of_other_queues_sees_none(served: Served) -> None:
    put(served.client("author"))
    client = served.client("admin", queues=["elsewhere"])

    answers = [client.get(f"{SCHEDULES}/s"), client.post(f"{SCHEDULES}/s/trigger")]
    answers.append(client.post(f"{SCHEDULES}/s/pause"))

    assert {answer.json()["code"] for answer in answers} == {"unknown-schedule"}
    assert client.get(SCHEDULES).json()["items"] == []
    assert client.get(f"{SCHEDULES}/upcoming").json()["items"] == []
    assert put(client, "mine").json()["code"] == "unknown-job"


@pytest.mark.parametrize(
    ("fields", "status", "says"),
    [
        ({"expression": "0 3 * *"}, 400, ""),
        ({"expression": None}, 400, "exactly one"),
        ({"trigger": {"every": "1h"}}, 400, "exactly one"),
        ({"zone": "Mars/Base"}, 400, "Mars/Base"),
        ({"overlap": "sometimes"}, 400, "overlap"),
        ({"job": "nope"}, 404, "nope"),
        ({"args": {"c": 1}}, 422, "'c'"),
        ({"expresion": "x"}, 400, "expresion"),
        ({"calendar": "acme"}, 400, "acme"),
        ({"catchupLimit": 0}, 400, "catchup_limit"),
    ],
)
def test_a_schedule_that_makes_no_sense_is_refused_in_words(
    shared: Served, fields: dict[str, Any], status: int, says: str
) -> None:
    client = shared.client("author")

    answer = put(client, "bad", **fields)

    assert answer.status_code == status, answer.text
    assert says in answer.json()["detail"]
    assert client.get(f"{SCHEDULES}/bad").status_code == 404


def test_a_preview_tells_what_a_rule_means(shared: Served) -> None:
    client = shared.client("viewer")
    asked = {
        "expression": "30 2 * * *",
        "zone": "America/New_York",
        "from": "2026-03-07",
        "count": 3,
    }

    told = client.post(f"{SCHEDULES}/preview", json=asked)

    assert told.status_code == 200, told.text
    firings = told.json()["firings"]
    assert [each["mark"] for each in firings] == [None, "gap", None]
    assert firings[0] == {
        "at": "2026-03-07T07:30:00.000Z",
        "local": "2026-03-07T02:30:00-05:00",
        "mark": None,
        "marks": [],
    }
    assert "02:30" in told.json()["description"]


def test_the_sentence_of_a_rule_with_h_names_the_times_of_its_schedule(shared: Served) -> None:
    viewer, author = shared.client("viewer"), shared.client("author")
    rule = {"expression": "H H(2-4) * * *"}
    made = author.put(f"{SCHEDULES}/spread-h", json={**rule, "job": "add"})
    shown = viewer.get(f"{SCHEDULES}/spread-h").json()
    told = viewer.post(f"{SCHEDULES}/preview", json={**rule, "name": "spread-h"}).json()

    clock = shown["coming"][0]["local"][11:16]
    assert made.status_code in (200, 201), made.text
    assert shown["description"].startswith(f"At {clock},")
    assert told["description"] == shown["description"]
    assert told["firings"][0]["at"] == shown["coming"][0]["at"]


@pytest.mark.parametrize(
    ("fields", "mark"),
    [
        (
            {"zone": "America/New_York", "from": "2026-11-01", "expression": "30 1 * * *"},
            "fold",
        ),
        (
            {"calendar": "FR", "roll": "next", "from": "2026-07-14", "expression": "0 9 14 7 *"},
            "holiday",
        ),
    ],
)
def test_what_is_special_about_a_firing_is_marked(
    shared: Served, fields: dict[str, Any], mark: str
) -> None:
    told = shared.client("viewer").post(f"{SCHEDULES}/preview", json=fields | {"count": 1})

    assert told.json()["firings"][0]["mark"] == mark, told.text


def test_a_preview_knows_stored_calendars(served: Served) -> None:
    client = served.client("author")
    client.put("/api/v1/calendars/acme", json={"weekend": [], "off": ["2026-05-04"]})
    asked = {"expression": "0 9 * * *", "calendar": "acme", "from": "2026-05-04", "count": 1}

    told = client.post(f"{SCHEDULES}/preview", json=asked).json()

    assert told["firings"][0]["at"] == "2026-05-05T09:00:00.000Z"


def test_the_firings_to_come_of_all_schedules_are_told_in_order(served: Served) -> None:
    client = served.client("author")
    put(client, "hourly", expression="@hourly", zone="UTC")
    put(client, "often", expression="*/20 * * * *", zone="UTC")

    told = client.get(f"{SCHEDULES}/upcoming").json()
    few = client.get(f"{SCHEDULES}/upcoming", params={"limit": 3}).json()
    rare = client.get(f"{SCHEDULES}/upcoming", params={"each": 30}).json()

    times = [datetime.fromisoformat(each["at"]) for each in told["items"]]
    assert times == sorted(times)
    assert times[-1] - times[0] <= timedelta(days=1)
    assert len(told["items"]) in {24 + 72, 24 + 73, 25 + 73}
    assert (len(few["items"]), few["cut"], told["cut"]) == (3, True, False)
    assert {each["schedule"] for each in rare["items"]} == {"hourly"}
    assert rare["frequent"] == ["often"]
    for bad in ({"until": "2020-01-01T00:00:00Z"}, {"from": "x"}, {"from": "2026-01-01T00:00"}):
        assert client.get(f"{SCHEDULES}/upcoming", params=bad).status_code == 400
