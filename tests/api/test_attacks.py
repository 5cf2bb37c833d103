"""Ways in that others were taken by: what a credential may define, whose address counts."""

from __future__ import annotations

from typing import Any

import pytest

from rota.api.options import ServerOptions
from rota.api.proxied import Proxied
from tests.api.serving import Served, serving

VERSION = "/api/v1/version"


def files(text: str) -> dict[str, Any]:
    return {"files": [{"name": "jobs.yaml", "text": text}]}


@pytest.mark.parametrize(
    "text",
    [
        "jobs: {own: {python: 'os:system', parameters: {command: str}}}",
        "jobs: {own: {command: [id]}}",
        "jobs: {own: {http: {url: 'http://10.0.0.1/', allow_private: true}}}",
    ],
)
def test_an_author_without_exec_defines_nothing_that_runs_or_reaches_inside(
    served: Served, text: str
) -> None:
    path = "/api/v1/files/apply"

    refused = served.client("author").post(path, json=files(text))
    jobs = served.client().get("/api/v1/jobs").json()["items"]
    allowed = served.client("author", "exec").post(path, json=files(text))

    assert (refused.status_code, refused.json()["code"]) == (403, "not-permitted")
    assert "own" not in [each["jobId"] for each in jobs]
    assert allowed.status_code == 200


@pytest.mark.parametrize("command", [["{name}", "x"], ["sh", "-c", "echo {name}"]])
def test_whoever_starts_a_run_chooses_no_program(served: Served, command: list[str]) -> None:
    answer = served.client().post("/api/v1/jobs", json={"name": "own", "command": command})

    assert answer.status_code == 400
    assert "command:" in answer.json()["detail"]


def test_a_job_may_not_speak_for_another_host(served: Served) -> None:
    request = {"url": "https://example.org", "headers": {"Host": "metadata"}}

    answer = served.client("author").post("/api/v1/jobs", json={"name": "own", "http": request})

    assert answer.status_code == 400
    assert "Host" in answer.json()["detail"]


def test_who_makes_up_an_address_is_counted_by_the_one_of_the_proxy(sqlite_url: str) -> None:
    with serving(sqlite_url, behind_proxy=True) as served:
        codes = []
        for number in range(12):
            headers = {
                "Authorization": "Bearer rota_guess",
                "X-Forwarded-For": f"198.51.100.{number}, 203.0.113.9",
            }
            codes.append(served.anyone(**headers).get(VERSION).status_code)
        elsewhere = {"Authorization": "Bearer rota_guess", "X-Forwarded-For": "203.0.113.10"}

        assert codes == [401] * 10 + [429] * 2
        assert served.anyone(**elsewhere).get(VERSION).status_code == 401


def test_without_a_proxy_nobody_may_say_where_it_comes_from(sqlite_url: str) -> None:
    with serving(sqlite_url) as served:
        codes = [
            served.anyone(
                **{"Authorization": "Bearer rota_guess", "X-Forwarded-For": f"203.0.113.{number}"}
            )
            .get(VERSION)
            .status_code
            for number in range(11)
        ]

    assert codes == [401] * 10 + [429]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("1.2.3.4, 203.0.113.9:5123", "203.0.113.9"),
        ("1.2.3.4, 203.0.113.9, 10.0.0.2", "203.0.113.9"),
        ("1.2.3.4,[2001:db8::7]:99", "2001:db8::7"),
        ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("203.0.113.9, unknown", None),
        ("", None),
        ("x" * 1000, None),
    ],
)
def test_the_last_address_that_is_no_proxy_of_ours_counts(said: str, expected: str | None) -> None:
    proxied = Proxied(None, ServerOptions(behind_proxy=True, proxies=("10.0.0.0/8",)))  # type: ignore[arg-type]

    found = proxied._last(said)

    assert (None if found is None else str(found)) == expected


def test_a_page_that_came_by_http_changes_nothing_at_a_server_of_https(sqlite_url: str) -> None:
    with serving(sqlite_url, behind_proxy=True) as served:
        host = served.address.partition("//")[2]
        client = served.client("operator")
        answers = [
            client.post("/api/v1/runs", json={"jobId": "add"}, headers={"Origin": origin})
            for origin in (f"http://{host}", f"https://{host}", f"ftp://{host}")
        ]

    assert [each.status_code for each in answers] == [403, 201, 403]


def test_a_session_is_no_token_and_a_token_no_session(served: Served) -> None:
    token = served.token("operator")
    client = served.anyone()
    client.post("/login", data={"token": token})
    session = client.cookies["rota"]
    assert client.get(VERSION).status_code == 200
    assert served.anyone(Authorization=f"Bearer {token}").get(VERSION).status_code == 200

    as_token = served.anyone(Authorization=f"Bearer {session}").get(VERSION)
    as_session = served.anyone(Cookie=f"rota={token}").get(VERSION)

    assert [as_token.status_code, as_session.status_code] == [401, 401]


def test_signing_in_again_ends_the_session_before(served: Served) -> None:
    token = served.token("viewer")
    client = served.anyone()
    client.post("/login", data={"token": token})
    first = client.cookies["rota"]
    client.post("/login", data={"token": token})

    assert client.cookies["rota"] != first
    assert client.get(VERSION).status_code == 200
    served.site.identities.forget()
    assert served.anyone(Cookie=f"rota={first}").get(VERSION).status_code == 401
