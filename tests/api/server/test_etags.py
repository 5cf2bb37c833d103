"""ETags: of those who would overwrite each other unseen one does, and the others are told."""

from __future__ import annotations

from functools import partial
from typing import Any

import httpx2
import pytest

from tests.api.serving import Served
from tests.support.races import at_once

Body = dict[str, Any]
CLIENTS = 6
ROUNDS = 8
of_each_kind = pytest.mark.parametrize(
    ("kind", "body", "other"),
    [
        (
            "schedules",
            {"job": "add", "expression": "@daily"},
            {"job": "add", "expression": "@hourly"},
        ),
        ("calendars", {"off": ["2026-01-02"]}, {"off": ["2026-01-05"]}),
        (
            "blackouts",
            {"kind": "skip", "start": "2026-01-01T00:00", "end": "2026-01-02T00:00"},
            {"kind": "skip", "start": "2026-01-01T00:00", "end": "2026-01-03T00:00"},
        ),
        (
            "templates",
            {"definition": {"name": "a", "http": {"url": "https://a.example"}}},
            {"definition": {"name": "a", "http": {"url": "https://b.example"}}},
        ),
    ],
)


def put(client: httpx2.Client, path: str, body: Body, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.put(f"/api/v1/{path}", json=body, headers=named)


def etag_of(client: httpx2.Client, path: str) -> str:
    return client.get(f"/api/v1/{path}").headers["ETag"]


@of_each_kind
def test_if_none_match_does_not_overwrite_an_existing_thing(
    served: Served, kind: str, body: Body, other: Body
) -> None:
    client = served.client("author")

    first = put(client, f"{kind}/mine", body, If_None_Match="*")
    second = put(client, f"{kind}/mine", other, If_None_Match="*")
    strange = put(client, f"{kind}/mine", other, If_None_Match='"abc"')
    change = put(client, f"{kind}/mine", body)

    assert first.is_success, first.text
    assert (second.status_code, second.json()["code"]) == (412, "outdated")
    assert (strange.status_code, strange.json()["code"]) == (400, "bad-input")
    assert change.is_success, change.text


@of_each_kind
def test_one_of_many_creators_of_the_same_thing_wins(
    served: Served, kind: str, body: Body, other: Body
) -> None:
    clients = [served.client("author") for _ in range(CLIENTS)]

    for turn in range(ROUNDS):
        asks = [
            partial(put, client, f"{kind}/new-{turn}", body if n % 2 else other, If_None_Match="*")
            for n, client in enumerate(clients)
        ]
        codes = sorted(each.status_code for each in at_once(*asks))
        assert codes == [200, *[412] * (CLIENTS - 1)]


@of_each_kind
def test_one_of_many_writers_with_the_same_etag_wins(
    served: Served, kind: str, body: Body, other: Body
) -> None:
    clients = [served.client("author") for _ in range(CLIENTS)]
    put(clients[0], f"{kind}/mine", body)

    for turn in range(ROUNDS):
        etag = etag_of(clients[0], f"{kind}/mine")
        wanted = body if turn % 2 else other
        asks = [partial(put, each, f"{kind}/mine", wanted, If_Match=etag) for each in clients]
        codes = sorted(each.status_code for each in at_once(*asks))
        assert codes == [200, *[412] * (CLIENTS - 1)]


@of_each_kind
def test_a_thing_that_was_removed_and_created_again_has_another_etag(
    served: Served, kind: str, body: Body, other: Body
) -> None:
    client = served.client("author")
    put(client, f"{kind}/mine", body)
    etag = etag_of(client, f"{kind}/mine")
    assert client.delete(f"/api/v1/{kind}/mine").is_success
    put(client, f"{kind}/mine", other)

    late = put(client, f"{kind}/mine", body, If_Match=etag)

    assert (late.status_code, late.json()["code"]) == (412, "outdated")
