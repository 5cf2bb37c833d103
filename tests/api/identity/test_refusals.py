"""Who tries what is not allowed is noticed, in one line whatever the request says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from rota.api.identity.security_events import TOLD
from rota.cli.serve.log_lines import line_in
from rota.notices import subscribe, unsubscribe
from tests.api.serving import Served

Heard = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def heard() -> Iterator[Heard]:
    told: Heard = []

    def listen(notice: str, facts: dict[str, Any]) -> None:
        told.append((notice, facts))

    subscribe(listen)
    yield told
    unsubscribe(listen)


def test_a_refusal_says_its_reason(served: Served, heard: Heard) -> None:
    looks = served.client("viewer")

    looks.post("/api/v1/queues/mail/pause")
    served.anyone(Host="evil.example").get("/healthz")
    looks.post("/api/v1/queues/mail/pause", headers={"Origin": "https://evil.example"})
    served.anyone(Authorization="Bearer guess").get("/api/v1/runs")

    refused = {facts["code"]: facts for notice, facts in heard if notice == "api.refused"}
    assert set(refused) == {"not-permitted", "foreign-host", "foreign-origin"}
    assert refused["not-permitted"]["who"] == "token:test"
    assert refused["not-permitted"]["detail"] == "POST /api/v1/queues/mail/pause"
    assert {each["address"] for each in refused.values()} == {"127.0.0.1"}
    assert "api.denied" in [notice for notice, _ in heard]


def test_a_flood_of_refusals_is_not_a_flood_of_notices(served: Served, heard: Heard) -> None:
    for _ in range(30):
        served.anyone(Host="evil.example").get("/healthz")

    assert len([notice for notice, _ in heard if notice == "api.refused"]) <= TOLD + 2


@pytest.mark.parametrize(
    "text", ["a\nERROR forged", "\x1b[2J\x1b]8;;http://x\x07", "\r\0", "é\u2028x"]
)
def test_text_of_a_caller_stays_on_one_log_line(text: str) -> None:
    plain = line_in("text")("warning", text, {"detail": text, "list": [text]})
    machine = line_in("json")("warning", text, {"detail": text})

    assert plain.splitlines() == [plain]
    assert not any(ord(sign) < 32 for sign in plain)
    assert machine.splitlines() == [machine] or "\u2028" in machine
    assert json.loads(machine)["detail"] == text
