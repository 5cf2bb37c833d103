"""Ways in that others were taken by: what a credential may define, whose address counts."""

from __future__ import annotations

from typing import Any

import pytest

from rota.api.server.options import ServerOptions
from rota.api.server.proxy import ProxyMiddleware
from tests.api.serving import OTHER, Served, serving

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
def test_a_command_whose_program_is_an_argument_is_refused(
    served: Served, command: list[str]
) -> None:
    answer = served.client().post("/api/v1/jobs", json={"name": "own", "command": command})

    assert answer.status_code == 400
    assert "command:" in answer.json()["detail"]


def test_a_job_may_not_speak_for_another_host(served: Served) -> None:
    request = {"url": "https://example.org", "headers": {"Host": "metadata"}}

    answer = served.client("author").post("/api/v1/jobs", json={"name": "own", "http": request})

    assert answer.status_code == 400
    assert "Host" in answer.json()["detail"]


def test_a_forged_address_counts_as_that_of_the_proxy(sqlite_url: str) -> None:
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


def test_all_addresses_of_one_network_of_ipv6_are_one(sqlite_url: str) -> None:
    with serving(sqlite_url, behind_proxy=True) as served:
        codes = [
            served.anyone(
                **{
                    "Authorization": "Bearer rota_guess",
                    "X-Forwarded-For": f"2001:db8:1:2::{number:x}",
                }
            )
            .get(VERSION)
            .status_code
            for number in range(11)
        ]

    assert codes == [401] * 10 + [429]


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
    proxied = ProxyMiddleware(None, ServerOptions(behind_proxy=True, proxies=("10.0.0.0/8",)))  # type: ignore[arg-type]

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
    ((cookie, session),) = client.cookies.items()
    assert client.get(VERSION).status_code == 200
    assert served.anyone(Authorization=f"Bearer {token}").get(VERSION).status_code == 200

    as_token = served.anyone(Authorization=f"Bearer {session}").get(VERSION)
    as_session = served.anyone(Cookie=f"{cookie}={token}").get(VERSION)

    assert [as_token.status_code, as_session.status_code] == [401, 401]


def test_signing_in_again_ends_the_session_before(served: Served) -> None:
    token = served.token("viewer")
    client = served.anyone()
    client.post("/login", data={"token": token})
    ((cookie, first),) = client.cookies.items()
    client.post("/login", data={"token": token})

    assert client.cookies[cookie] != first
    assert client.get(VERSION).status_code == 200
    served.site.identities.forget()
    assert served.anyone(Cookie=f"{cookie}={first}").get(VERSION).status_code == 401


def test_nobody_gets_hold_of_more_than_they_have_by_rotating(served: Served) -> None:
    admin = served.client("admin")
    narrow = served.client("admin", queues=["mail"])
    served.token("viewer", "exec")
    powerful = served.issued
    served.token("viewer", queues=["web"])
    elsewhere = served.issued

    answers = [
        admin.post(f"/api/v1/tokens/{powerful}/rotate", json={}),
        narrow.post(f"/api/v1/tokens/{elsewhere}/rotate", json={}),
        admin.post(f"/api/v1/tokens/{elsewhere}/rotate", json={"overlap": "31d"}),
    ]

    assert [each.status_code for each in answers] == [403, 404, 400]


def test_an_admin_of_some_queues_rules_over_these_alone(served: Served) -> None:
    narrow = served.client("admin", "exec", queues=["mail"])
    served.token("viewer", queues=["mail", "web"])
    wider = served.issued
    served.token("viewer", queues=["mail"])
    own = served.issued

    listed = [each["id"] for each in narrow.get("/api/v1/tokens").json()["items"]]
    refused = [
        narrow.delete(f"/api/v1/tokens/{wider}"),
        narrow.get("/api/v1/audit"),
        narrow.get("/api/v1/audit/verify"),
        narrow.post("/api/v1/namespaces", json={"name": "mine"}),
        narrow.put(f"/api/v1/namespaces/{OTHER}", json={"quotas": {"queued": 1}}),
        narrow.delete(f"/api/v1/namespaces/{OTHER}"),
    ]

    assert own in listed
    assert wider not in listed
    assert [each.status_code for each in refused] == [404, 403, 403, 403, 403, 403]
    assert len(narrow.get("/api/v1/namespaces").json()["items"]) == 1
    assert narrow.delete(f"/api/v1/tokens/{own}").status_code == 200


def test_a_secret_is_replaced_without_a_gap(served: Served) -> None:
    old = served.client("viewer")
    path = f"/api/v1/tokens/{served.issued}/rotate"
    admin = served.client("admin")

    made = admin.post(path, json={"overlap": "1h"})
    new = served.anyone(Authorization=f"Bearer {made.json()['token']}")
    assert [each.get(VERSION).status_code for each in (old, new)] == [200, 200]
    hurried = admin.post(path, json={"overlap": "0s"})

    assert (made.status_code, hurried.status_code) == (201, 201)
    assert [each.get(VERSION).status_code for each in (old, new)] == [401, 200]


@pytest.mark.parametrize(
    "path",
    ["jobs", "runs", "schedules", "audit", "tokens", "dead-letters", "backfills", "templates"],
)
def test_a_page_has_an_end(shared: Served, path: str) -> None:
    client = shared.client()

    assert client.get(f"/api/v1/{path}?limit=500").status_code == 200
    for limit in ("501", "0", "-1", "1e9", "9" * 40):
        assert client.get(f"/api/v1/{path}?limit={limit}").status_code == 400, limit


def test_who_checks_need_not_rule(served: Served) -> None:
    auditor, viewer = served.client("viewer", "audit"), served.client("viewer")

    assert auditor.get("/api/v1/audit").status_code == 200
    assert auditor.get("/api/v1/audit/verify").status_code == 200
    assert auditor.get("/api/v1/tokens").status_code == 403
    assert viewer.get("/api/v1/audit").status_code == 403


def test_hidden_variables_and_headers_are_not_shown_by_a_detour(
    served: Served,
) -> None:
    author, viewer = served.client("author", "exec"), served.client("viewer")
    plain, admin = served.client("author"), served.client("admin")
    yaml = (
        "jobs:\n"
        "  own: {command: [env], env: {PASSWORD: tell-nobody}}\n"
        "  hook: {http: {url: 'https://example.org', headers: {X-Key: tell-authors}}}\n"
        "  inside: {http: {url: 'https://x.org', allow_private: true,\n"
        "                  headers: {X-Key: tell-nobody}}}\n"
    )
    other = yaml.replace("tell-", "guess-")
    template = {
        "definition": {"name": "t", "command": ["env"], "env": {"PASSWORD": "tell-nobody"}},
    }
    asked = {"name": "t", "http": {"url": "https://x.org", "headers": {"X-Key": "tell-authors"}}}
    assert author.post("/api/v1/files/apply", json=files(yaml)).status_code == 200
    twice = yaml.replace("tell-", "never-tell-")
    assert author.post("/api/v1/files/apply", json=files(twice)).status_code == 200
    assert author.put("/api/v1/templates/one", json=template).status_code == 200
    assert author.put("/api/v1/templates/two", json={"definition": asked}).status_code == 200

    def told(client: Any) -> str:
        answers = [
            client.post("/api/v1/files/plan", json=files(other)),
            client.get("/api/v1/templates"),
            client.get("/api/v1/templates/one"),
            client.get("/api/v1/jobs?spec=true"),
            client.get("/api/v1/jobs/own"),
            client.get("/api/v1/jobs/own/versions"),
            client.get("/api/v1/jobs/own/versions/1/diff/2"),
            client.get("/api/v1/jobs/inside"),
            client.get("/api/v1/jobs/inside/versions/1/diff/2"),
        ]
        assert {each.status_code for each in answers} == {200}
        return "".join(each.text for each in answers)

    assert told(viewer).count("tell-") == 0
    assert "(hidden)" in told(viewer)
    assert told(author).count("tell-nobody") >= 5
    for client in (plain, admin):  # they write headers, and neither programs nor what is inside
        assert told(client).count("tell-nobody") == 0
        assert told(client).count("tell-authors") >= 3
