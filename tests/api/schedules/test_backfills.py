"""Backfills, calendars and windows over HTTP."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from rota.engine.identity.audit_log import acts
from tests.api.serving import HOME, Served

SCHEDULES = "/api/v1/schedules"
BACKFILLS = "/api/v1/backfills"
CALENDARS = "/api/v1/calendars"
BLACKOUTS = "/api/v1/blackouts"
DAYS: dict[str, Any] = {"from": "2026-01-01", "until": "2026-01-04"}


def given_daily(served: Served) -> httpx2.Client:
    client = served.client("author")
    client.put(f"{SCHEDULES}/daily", json={"job": "add", "expression": "@daily"})
    return client


def fill(client: httpx2.Client, **fields: Any) -> httpx2.Response:
    return client.post(f"{SCHEDULES}/daily/backfill", json=DAYS | fields)


def test_a_dry_run_tells_and_writes_nothing(served: Served) -> None:
    client = given_daily(served)
    before = len(served.app.store.read(lambda tx: acts(tx, namespace=HOME)))

    told = fill(client, dryRun=True, order="newest").json()

    assert [each["at"][:10] for each in told["planned"]] == [
        "2026-01-03",
        "2026-01-02",
        "2026-01-01",
    ]
    assert all(each["starts"] for each in told["planned"])
    assert told["instants"] == len(told["planned"])
    assert (told["dryRun"], told["backfill"]) == (True, None)
    assert client.get(BACKFILLS).json()["items"] == []
    assert len(served.app.store.read(lambda tx: acts(tx, namespace=HOME))) == before


def test_a_backfill_is_begun_seen_and_stopped(served: Served) -> None:
    client = given_daily(served)

    begun = fill(client, concurrency=2, reprocess="failed")
    other = fill(client)
    listed = client.get(BACKFILLS, params={"limit": 1}).json()
    rest = client.get(BACKFILLS, params={"cursor": listed["next"]}).json()
    backfill = begun.json()["backfill"]
    stopped = client.post(f"{BACKFILLS}/{backfill['id']}/cancel", json={"note": "enough"})

    assert begun.status_code == 201, begun.text
    facts = ("schedule", "order", "reprocess", "concurrency", "state", "total", "verbs")
    assert [backfill[name] for name in facts] == [
        "daily", "oldest", "failed", 2, "active", 3, ["cancel"],
    ]  # fmt: skip
    assert [each["id"] for each in listed["items"]] == [other.json()["backfill"]["id"]]
    assert [each["id"] for each in rest["items"]] == [backfill["id"]]
    assert stopped.json() == {"id": backfill["id"], "state": "cancelled"}
    again = client.post(f"{BACKFILLS}/{backfill['id']}/cancel")
    assert (again.status_code, again.json()["code"]) == (409, "not-allowed")
    shown = client.get(BACKFILLS, params={"schedule": "daily"}).json()["items"][1]
    assert (shown["state"], shown["note"], shown["verbs"]) == ("cancelled", "enough", [])


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"until": "2026-01-01"}, 400),
        ({"from": "someday"}, 400),
        ({"concurrency": 0}, 400),
        ({"most": 2}, 400),
        ({"order": "random"}, 400),
        ({"args": {"c": 1}}, 422),
    ],
)
def test_a_backfill_that_makes_no_sense_is_refused(
    shared: Served, fields: dict[str, Any], status: int
) -> None:
    client = given_daily(shared)

    for dry in (False, True):
        answer = fill(client, dryRun=dry, **fields)
        assert answer.status_code == status, answer.text


def test_a_token_of_other_queues_sees_no_backfills(served: Served) -> None:
    backfill = fill(given_daily(served)).json()["backfill"]
    client = served.client("admin", queues=["elsewhere"])

    assert client.get(BACKFILLS).json()["items"] == []
    stopped = client.post(f"{BACKFILLS}/{backfill['id']}/cancel")
    assert stopped.json()["code"] == "unknown-backfill"


def test_calendars_are_kept_by_name_and_version(served: Served) -> None:
    client = served.client("author")
    made = client.put(f"{CALENDARS}/acme", json={"country": "FR", "off": ["2026-12-24"]})
    etag = client.get(f"{CALENDARS}/acme").headers["ETag"]
    client.put(f"{CALENDARS}/acme", json={"country": "FR"})

    late = client.put(f"{CALENDARS}/acme", json={}, headers={"If-Match": etag})
    shown = client.get(f"{CALENDARS}/acme").json()

    assert made.json() == {
        "name": "acme", "version": 1, "country": "FR", "weekend": [5, 6], "off": ["2026-12-24"],
        "on": [], "verbs": ["edit", "delete"],
    }  # fmt: skip
    assert (late.status_code, shown["version"], shown["off"]) == (412, 2, [])
    assert [each["name"] for each in client.get(CALENDARS).json()["items"]] == ["acme"]
    bad = client.put(f"{CALENDARS}/odd", json={"country": "Atlantis"})
    assert (bad.status_code, bad.json()["code"]) == (400, "bad-option")


def test_a_calendar_that_is_used_stays(served: Served) -> None:
    client = served.client("author")
    client.put(f"{CALENDARS}/acme", json={})
    body = {"job": "add", "expression": "@daily", "calendar": "acme"}
    assert client.put(f"{SCHEDULES}/s", json=body).status_code == 200

    refused = client.delete(f"{CALENDARS}/acme")
    client.delete(f"{SCHEDULES}/s")

    assert "used by schedule 's'" in refused.json()["detail"]
    assert client.delete(f"{CALENDARS}/acme").json() == {"name": "acme", "removed": True}
    assert client.delete(f"{CALENDARS}/acme").json()["code"] == "unknown-calendar"


def test_windows_are_kept_by_name(served: Served) -> None:
    client = served.client("operator")
    weekly = {"kind": "skip", "trigger": "0 2 * * sun", "duration": "4h", "queue": "default"}
    made = client.put(f"{BLACKOUTS}/sunday", json=weekly)
    read = client.get(f"{BLACKOUTS}/sunday")
    given = ("kind", "start", "end", "trigger", "duration", "zone", "job", "queue", "note")
    own = {name: value for name, value in read.json().items() if name in given}

    again = client.put(f"{BLACKOUTS}/sunday", json=own, headers={"If-Match": read.headers["ETag"]})
    late = client.delete(f"{BLACKOUTS}/sunday", headers={"If-Match": '"other"'})

    assert made.status_code == 200, made.text
    assert read.json()["trigger"] == {"type": "cron", "expression": "0 2 * * sun"}
    assert again.json() == read.json()
    assert late.status_code == 412
    assert client.delete(f"{BLACKOUTS}/sunday").json() == {"name": "sunday", "removed": True}
    assert client.get(f"{BLACKOUTS}/sunday").json()["code"] == "unknown-blackout"
    for bad in ({"kind": "skip"}, {"kind": "nap"}, weekly | {"trigger": "x"}):
        assert client.put(f"{BLACKOUTS}/odd", json=bad).status_code == 400


def test_a_window_tells_in_words_when_it_is_and_whether_it_is_now(served: Served) -> None:
    client = served.client("operator")
    once = {"kind": "defer", "zone": "Europe/Paris"}
    windows = {
        "past": once | {"start": "2001-12-24T22:00", "end": "2001-12-25T06:00"},
        "now": once | {"start": "2001-12-24T22:00Z", "end": "2190-12-25T06:00Z"},
        "coming": once | {"start": "2190-12-24T02:00", "end": "2190-12-24T06:00"},
        "weekly": once | {"trigger": "0 2 * * sun", "duration": "90m"},
    }

    for name, window in windows.items():
        assert client.put(f"{BLACKOUTS}/{name}", json=window).status_code == 200

    told = {each["name"]: each for each in client.get(BLACKOUTS).json()["items"]}
    assert {name: told[name]["description"] for name in windows} == {
        "past": "From 24 December 2001 at 22:00 to 25 December 2001 at 06:00, Europe/Paris",
        "now": "From 24 December 2001 at 22:00 UTC to 25 December 2190 at 06:00 UTC",
        "coming": "From 24 December 2190 at 02:00 to 06:00, Europe/Paris",
        "weekly": "At 02:00, on Sunday, for 90 minutes, Europe/Paris",
    }
    assert (told["past"]["beginsAt"], told["past"]["isNow"]) == (None, False)
    assert told["now"]["isNow"]
    assert told["coming"]["beginsAt"] == "2190-12-24T01:00:00.000Z"
    assert (told["coming"]["endsAt"], told["coming"]["isNow"]) == (
        "2190-12-24T05:00:00.000Z",
        False,
    )


def test_a_caller_with_one_queue_holds_back_no_other(served: Served) -> None:
    client = served.client("operator", queues=["mail"])
    once = {"kind": "drain", "start": "2026-12-24T22:00Z", "end": "2026-12-25T06:00Z"}

    answers = [
        client.put(f"{BLACKOUTS}/w", json=once | more)
        for more in ({}, {"queue": "default"}, {"queue": "mail"})
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 200]


def test_windows_of_other_queues_are_not_there_and_those_of_all_stay_as_they_are(
    served: Served,
) -> None:
    whole, some = served.client("admin"), served.client("operator", queues=["mail"])
    once = {"kind": "drain", "start": "2026-12-24T22:00Z", "end": "2026-12-25T06:00Z"}
    meant = {"all": {}, "mine": {"queue": "mail"}, "theirs": {"queue": "default"}}
    for name, more in (meant | {"job": {"job": "add"}}).items():
        assert whole.put(f"{BLACKOUTS}/{name}", json=once | more).status_code == 200

    def verbs(client: httpx2.Client) -> dict[str, bool]:
        items = client.get(BLACKOUTS).json()["items"]
        return {each["name"]: bool(each["verbs"]) for each in items}

    assert verbs(some) == {"all": False, "mine": True}
    assert verbs(whole) == {"all": True, "job": True, "mine": True, "theirs": True}
    assert {name: some.get(f"{BLACKOUTS}/{name}").status_code for name in verbs(whole)} == {
        "all": 200,
        "job": 404,
        "mine": 200,
        "theirs": 404,
    }
    assert {name: some.delete(f"{BLACKOUTS}/{name}").status_code for name in verbs(whole)} == {
        "all": 403,
        "job": 404,
        "mine": 200,
        "theirs": 404,
    }
