"""Requests and programs of jobs at the door: no secret in an address, no sign that splits lines."""

from __future__ import annotations

import base64
from typing import Any

import httpx2
import pytest

from rota.app import App
from rota.errors import BadArguments, BadInput, BadOption
from rota.model.jobs.spec import CommandTarget, HttpTarget, JobSpec
from rota.rules.security.web_address import apart, shown_address, split_address
from tests.api.serving import HOME, Served

JOBS = "/api/v1/jobs"
URL = "https://bob:tell%20nobody@example.org/hook?x=1"
SHOWN = "https://example.org/hook?x=1"
BASIC = "Basic " + base64.b64encode(b"bob:tell nobody").decode()
SECRETS = ("nobody", BASIC[6:])


def files(text: str) -> dict[str, Any]:
    return {"files": [{"name": "jobs.yaml", "text": text}]}


def all_that_is_told(client: httpx2.Client) -> str:
    plan = files("jobs: {filed: {http: 'https://example.org/other'}}")
    answers = [
        client.post("/api/v1/files/plan", json=plan),
        *(client.get(f"{JOBS}/{job}") for job in ("made", "filed", "old")),
        *(client.get(f"{JOBS}/{job}/versions") for job in ("made", "filed", "old")),
        client.get(f"{JOBS}/made/versions/1/diff/2"),
        client.get(f"{JOBS}/old/versions/1/diff/2"),
        client.get(JOBS, params={"spec": "true"}),
        client.get("/api/v1/templates/t"),
        client.get("/api/v1/search", params={"q": "made"}),
    ]
    assert {each.status_code for each in answers} == {200}
    return "".join(each.text for each in answers)


def test_credentials_in_an_address_become_a_header_and_are_told_as_such(served: Served) -> None:
    admin, author, viewer = (served.client(*roles) for roles in ((), ("author",), ("viewer",)))
    for number in range(2):
        body = {"name": "made", "http": {"url": URL}, "retries": number}
        assert author.put(f"{JOBS}/made", json=body).status_code == 200
    yaml = f"jobs: {{filed: {{http: '{URL}'}}}}"
    assert author.post("/api/v1/files/apply", json=files(yaml)).status_code == 200
    template = {"definition": {"name": "t", "http": {"url": URL}}}
    assert author.put("/api/v1/templates/t", json=template).status_code == 200
    assert author.post("/api/v1/templates/t/instantiate").status_code == 201
    for number in range(2):  # as versions before this one stored it
        served.define(JobSpec(name="old", target=HttpTarget(url=f"{URL}{number}")))

    shown = author.get(f"{JOBS}/made").json()
    assert shown["url"] == shown["definition"]["http"]["url"] == SHOWN
    assert shown["definition"]["http"]["headers"] == {"Authorization": BASIC}
    assert author.get(f"{JOBS}/t").json()["url"] == SHOWN
    assert author.get(f"{JOBS}/old").json()["url"] == f"{SHOWN}1"
    told = all_that_is_told(viewer)
    assert SHOWN in told
    assert [secret for secret in SECRETS if secret in told] == []
    assert "bob" not in told
    acts = admin.get("/api/v1/audit", params={"limit": 500}).text
    assert [secret for secret in SECRETS if secret in acts] == []


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://u:p@h/x", ("https://h/x", "u:p")),
        ("https://u@h", ("https://h", "u:")),
        ("https://:p@h", ("https://h", ":p")),
        ("https://u:p@q@h/@", ("https://h/@", "u:p@q")),
        ("https://u%3A:p%2F@[::1]:8/", ("https://[::1]:8/", "u::p/")),
        ("https://h/a@b", ("https://h/a@b", None)),
        ("https://h?a=b@c", ("https://h?a=b@c", None)),
        ("https://h#@", ("https://h#@", None)),
    ],
)
def test_an_address_is_told_without_what_stands_before_its_host(
    url: str, expected: tuple[str, str | None]
) -> None:
    basic = expected[1] and "Basic " + base64.b64encode(expected[1].encode()).decode()

    assert split_address(url) == (expected[0], basic)
    assert shown_address(url) == expected[0]
    assert apart(url, {}) == (expected[0], {"Authorization": basic} if basic else {})


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        ("https://{user}:x@h", {}),
        ("https://u:p@h", {"authorization": "Bearer x"}),
        ("ftp://u:nobody@h", {}),
        ("https://u:nobody@", {}),
        ("https://u:nobody@h\r\nX: y", {}),
        ("https://h\\@evil.example", {}),
        ("https://h evil/", {}),
        ("https:///x", {}),
        ("u:nobody@h", {}),
    ],
)
def test_an_address_that_is_none_is_refused_everywhere_without_its_secret(
    shared: Served, url: str, headers: dict[str, str]
) -> None:
    author = shared.client("author")
    body = {"name": "own", "http": {"url": url, "headers": headers}}

    answer = author.post(JOBS, json=body)

    assert answer.status_code == 400, answer.text
    assert answer.json()["detail"].startswith("http: ")
    assert "u:nobody@" not in answer.text.replace("'u:nobody@h'", "")
    with pytest.raises(BadInput):
        App("sqlite:///:memory:").http("own", url, headers=headers)


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "a\r\nX-B: b"},
        {"X-A": "a\nb"},
        {"X-A": "a\0b"},
        {"X-A": "a\x7fb"},
        {"X A": "b"},
        {"X-A\r\nX-B": "b"},
        {"": "b"},
        {"X-A:": "b"},
        {"X-A": "1", "x-a": "2"},
        {"Connection": "close"},
        {"Keep-Alive": "1"},
        {"TE": "trailers"},
        {"Transfer-Encoding": "chunked"},
        {"Upgrade": "h2c"},
        {"Proxy-Authorization": "x"},
        {"content-length": "1"},
    ],
)
def test_headers_that_would_be_something_else_are_refused_where_they_are_defined(
    shared: Served, headers: dict[str, str]
) -> None:
    author = shared.client("author")
    asked = {"url": "https://example.org", "headers": headers}
    text = httpx2.Request("POST", "http://x", json={"jobs": {"own": {"http": asked}}}).content

    answers = [
        author.post(JOBS, json={"name": "own", "http": asked}),
        author.post("/api/v1/files/apply", json=files(text.decode())),
    ]

    assert [each.status_code for each in answers] == [400, 400], [each.text for each in answers]
    assert "header" in answers[0].json()["detail"]
    with pytest.raises(BadOption):
        App("sqlite:///:memory:").http("own", "https://example.org", headers=headers)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"http": {"url": "https://example.org"}, "env": {"A": "b"}}, "env"),
        ({"http": {"url": "https://example.org"}, "cwd": "/tmp"}, "cwd"),
        ({"http": {"url": "https://example.org"}, "command": None}, "command"),
        ({"command": None}, "command"),
        ({"command": "true", "http": None}, "http"),
        ({"command": "true", "http": {"url": "https://example.org"}}, "exactly one"),
        ({}, "exactly one"),
        ({"command": ["echo", "a\0b"]}, "zero byte"),
    ],
)
def test_a_job_with_conflicting_fields_is_refused(
    shared: Served, body: dict[str, Any], field: str
) -> None:
    answer = shared.client().post(JOBS, json={"name": "own"} | body)

    assert answer.status_code == 400, answer.text
    assert field in answer.json()["detail"]


def test_no_way_gives_a_program_a_zero_byte(served: Served) -> None:
    target = CommandTarget(argv=("echo", "{word}"))
    served.define(JobSpec(name="say", target=target, parameters={"word": "str"}))
    client = served.client()
    bad, fine = {"word": "a\0b"}, {"word": "a\\u0000b"}
    timed = {"job": "say", "expression": "@yearly"}
    assert client.put("/api/v1/schedules/s", json=timed | {"args": fine}).status_code == 200

    answers = [
        client.post("/api/v1/runs", json={"jobId": "say", "args": bad}),
        client.post("/api/v1/runs/bulk", json={"runs": [{"jobId": "say", "args": bad}]}),
        client.post(f"{JOBS}/say/trigger", json={"args": bad}),
        client.put("/api/v1/schedules/s", json=timed | {"args": bad}),
        client.post("/api/v1/schedules/s/trigger", json={"args": bad}),
        client.post(
            "/api/v1/schedules/s/backfill",
            json={"from": "2026-01-01", "until": "2026-01-02", "args": bad},
        ),
    ]

    assert {each.status_code for each in answers} == {422}, [each.text for each in answers]
    assert all("zero byte" in each.json()["detail"] for each in answers)
    good = client.post("/api/v1/runs", json={"jobId": "say", "args": fine})
    assert good.status_code == 201, "a backslash and a u are no zero byte"
    assert served.app.namespace == HOME
    job = App("sqlite:///:memory:").command("say", ["echo", "{word}"])
    with pytest.raises(BadArguments, match="zero byte"):
        job.signature.bind((), bad)
