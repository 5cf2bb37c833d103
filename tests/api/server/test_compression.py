"""Compressed answers: for whom, of what, and never where a secret could be guessed from them."""

from __future__ import annotations

import gzip
from typing import Any

import httpx2
import pytest

from rota.api.server.compression import LEAST
from tests.api.serving import Served
from tests.contract.builders import given_run

V1 = "/api/v1"
ASKS = {"Accept-Encoding": "gzip, br"}


def encoding(client: httpx2.Client, path: str, **headers: str) -> str | None:
    answer = client.get(f"{V1}{path}", headers=headers)
    assert answer.status_code == 200, answer.text
    found: str | None = answer.headers.get("content-encoding")
    return found


@pytest.fixture
def client(served: Served) -> httpx2.Client:
    for _ in range(20):
        given_run(served.app.store, job="add")
    return served.client("admin")


def test_a_long_answer_is_compressed_for_who_asks_for_that(client: httpx2.Client) -> None:
    with client.stream("GET", f"{V1}/runs", headers=ASKS) as answer:
        raw = b"".join(answer.iter_raw())
    plain = client.get(f"{V1}/runs", headers={"Accept-Encoding": "identity"})

    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(raw))
    assert "Accept-Encoding" in answer.headers["vary"]
    assert gzip.decompress(raw) == plain.content
    assert len(raw) < len(plain.content) / 4
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("said", ["gzip;q=0", "gzip; q=0.0", "br", "identity"])
def test_a_client_without_gzip_gets_plain_bytes(client: httpx2.Client, said: str) -> None:
    assert encoding(client, "/runs", **{"Accept-Encoding": said}) is None


def test_a_short_answer_stays_as_it_is(client: httpx2.Client) -> None:
    answer = client.get(f"{V1}/version", headers=ASKS)

    assert len(answer.content) < LEAST
    assert "content-encoding" not in answer.headers


@pytest.mark.usefixtures("client")
def test_another_site_can_have_nothing_compressed(served: Served) -> None:
    browser = served.anyone()
    browser.post("/login", data={"token": served.token("admin")})
    given: dict[str, Any] = {"Accept-Encoding": "gzip"}

    for site in ("cross-site", "same-site", "none"):
        assert encoding(browser, "/runs", **given | {"Sec-Fetch-Site": site}) is None
    assert encoding(browser, "/runs", **given) is None
    assert encoding(browser, "/runs", **given | {"Sec-Fetch-Site": "same-origin"}) == "gzip"


def test_an_answer_with_credentials_is_never_compressed(client: httpx2.Client) -> None:
    for number in range(10):
        client.post(f"{V1}/tokens", json={"name": f"ci-{number}", "roles": ["viewer"]})

    assert encoding(client, "/tokens", **ASKS) is None
    assert encoding(client, "/session", **ASKS) is None


def test_a_stream_is_not_held_back(served: Served) -> None:
    client = served.client("viewer")
    with client.stream("GET", f"{V1}/events", headers=ASKS) as answer:
        first = next(answer.iter_lines())

    assert "content-encoding" not in answer.headers
    assert first
