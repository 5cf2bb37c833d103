"""Calendars and credentials for some queues: nobody moves the schedules of others."""

from __future__ import annotations

import msgspec
import pytest

from tests.api.serving import ADD, Served

V1 = "/api/v1"
OFF = {"weekend": [], "off": ["2026-05-04"]}


@pytest.fixture
def shop(served: Served) -> Served:
    """`theirs` is gone by in the queue default, `mine` in mail, `both` in both, `free` nowhere."""
    served.define(msgspec.structs.replace(ADD, name="send", queue="mail"))
    admin = served.client()
    for name in ("theirs", "mine", "both", "free"):
        assert admin.put(f"{V1}/calendars/{name}", json={}).status_code == 200
    users = {"a": ("add", "theirs"), "b": ("send", "mine"), "c": ("add", "both")}
    users |= {"d": ("send", "both")}
    for name, (job, calendar) in users.items():
        args = {"a": 1, "b": 2}
        asked = {"job": job, "expression": "@daily", "calendar": calendar, "args": args}
        answer = admin.put(f"{V1}/schedules/{name}", json=asked)
        assert answer.status_code == 200, answer.text
    return served


def test_a_calendar_of_others_stays_as_it_is(shop: Served) -> None:
    some = shop.client("author", queues=["mail"])

    changed = {
        name: some.put(f"{V1}/calendars/{name}", json=OFF).status_code
        for name in ("theirs", "both", "mine", "free", "new")
    }
    removed = {
        name: some.delete(f"{V1}/calendars/{name}").status_code
        for name in ("theirs", "both", "mine", "free", "new")
    }

    assert changed == {"theirs": 403, "both": 403, "mine": 200, "free": 200, "new": 200}
    assert removed == {"theirs": 403, "both": 403, "mine": 400, "free": 200, "new": 200}
    kept = shop.client().get(f"{V1}/calendars/theirs").json()
    assert (kept["version"], kept["off"]) == (1, [])


def test_verbs_say_what_may_be_changed(shop: Served) -> None:
    some, whole = (shop.client("author", queues=queues) for queues in (["mail"], None))

    def verbs(client: object) -> dict[str, bool]:
        items = client.get(f"{V1}/calendars").json()["items"]  # type: ignore[attr-defined]
        return {each["name"]: bool(each["verbs"]) for each in items}

    assert verbs(some) == {"both": False, "free": True, "mine": True, "theirs": False}
    assert set(verbs(whole).values()) == {True}
    assert some.get(f"{V1}/calendars/both").json()["verbs"] == []


def test_files_obey_it_too(shop: Served) -> None:
    some = shop.client("author", queues=["mail"])

    def apply(name: str) -> int:
        text = "jobs: {call: {http: 'https://example.org', queue: mail}}\n"
        text += f"calendars: {{{name}: {{off: [2026-05-04]}}}}\n"
        file = {"name": "rota.yaml", "text": text}
        return some.post(f"{V1}/files/apply", json={"files": [file]}).status_code

    assert {name: apply(name) for name in ("theirs", "both", "mine", "free")} == {
        "theirs": 403,
        "both": 403,
        "mine": 200,
        "free": 200,
    }
