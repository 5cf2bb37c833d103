"""What no credential can do: foreign hosts and origins, tricks with paths, leaks in errors."""

from __future__ import annotations

from http import HTTPStatus

import msgspec
import pytest
from litestar import get
from litestar.exceptions import HTTPException

from rota import errors
from rota.api.identity.authorization import needs
from rota.api.server.asgi import make_litestar
from rota.api.server.options import ServerOptions
from rota.api.server.problems import code_of, problem_of, told_of
from rota.api.server.request import ApiRequest
from rota.api.server.state import ServerState
from rota.app import App
from rota.errors import BadOption, RotaError
from tests.api.serving import Served, serving


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "", "[::1", "a b"]
)
def test_a_foreign_host_is_refused_also_here(shared: Served, host: str) -> None:
    answer = shared.client().get("/api/v1/version", headers={"Host": host})

    assert (answer.status_code, answer.json()["code"]) == (421, "foreign-host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:9", "[::1]:8470"])
def test_the_names_of_this_machine_are_its_own(shared: Served, host: str) -> None:
    assert shared.client().get("/api/v1/version", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
        {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    ],
)
def test_pages_of_others_change_nothing(shared: Served, headers: dict[str, str]) -> None:
    client = shared.client()
    before = client.get("/api/v1/runs").json()["items"]

    answer = client.post("/api/v1/runs", json={"jobId": "add"}, headers=headers)

    assert (answer.status_code, answer.json()["code"]) == (403, "foreign-origin")
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert client.get("/api/v1/runs").json()["items"] == before
    own = {"Origin": shared.address}
    assert client.post("/api/v1/runs", json={"jobId": "add"}, headers=own).status_code == 201


def test_our_own_form_signs_in_as_browsers_send_it(shared: Served) -> None:
    headers = {"Origin": "null", "Sec-Fetch-Site": "same-origin"}

    answer = shared.anyone().post("/login", data={"token": shared.token()}, headers=headers)

    assert answer.status_code == 303


@pytest.mark.parametrize("path", ["/healthz", "/login", "/nope", "/api/v1/version"])
def test_every_answer_keeps_browsers_strict(shared: Served, path: str) -> None:
    headers = shared.anyone().get(path).headers

    policy = dict(part.split(maxsplit=1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "font-src": "'self'",
        "connect-src": "'self'",
        "form-action": "'self'",
        "base-uri": "'none'",
        "frame-ancestors": "'none'",
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Request-Id"]


@pytest.mark.parametrize(
    "path",
    [
        "//api/v1/runs",
        "/api/v1/runs/",
        "/api/v1//runs",
        "/api/v1/runs/healthz",
        "/healthz/../api/v1/runs",
        "/healthz%2f..%2fapi/v1/runs",
        "/API/V1/RUNS",
        "/api/v1/runs;/healthz",
        "/api/v1/runs?/healthz",
        "/api/v1/runs%3f/healthz",
        "/./api/v1/runs",
        "/api/v1/openapi.json",
        "/schema",
        "/nowhere/openapi.json",
        "/docs",
    ],
)
def test_no_spelling_of_a_path_leads_around_the_gate(shared: Served, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "HEAD", "PUT"):
        answer = shared.anyone().request(
            method, shared.address + path, headers={"X-HTTP-Method-Override": "GET"}
        )
        assert answer.status_code in (401, 404, 405), (method, path)


def test_a_token_in_the_address_is_none(shared: Served) -> None:
    token = shared.token()

    for name in ("token", "access_token", "authorization"):
        answer = shared.anyone().get(f"/api/v1/version?{name}={token}")
        assert answer.status_code == 401


def test_health_says_one_word_to_anybody(shared: Served) -> None:
    assert shared.anyone().get("/healthz").text == "ok"
    assert shared.anyone().get("/readyz").text == "ready"


def test_an_operation_without_a_role_does_not_start(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    @get("/open")
    async def open_door(request: ApiRequest) -> str:
        return "come in"

    @get("/unknown", opt={"needs": needs("viewer")})
    async def odd_door(request: ApiRequest) -> str:
        return "come in"

    folder = tmp_path_factory.mktemp("never")
    site = ServerState(App(f"sqlite:///{folder}/never.db"), ServerOptions())
    for route in (open_door, odd_door):
        with pytest.raises(BadOption, match="does not say which role"):
            make_litestar(site, [route])


def test_each_error_has_a_code_a_status_and_a_remedy() -> None:
    kinds = [each for each in vars(errors).values() if isinstance(each, type)]
    ours = [each for each in kinds if issubclass(each, RotaError)]
    assert len(ours) > 25
    for kind in ours:
        told = told_of(kind)
        assert 400 <= told.status < 600
        assert told.remedy.endswith(".")
        assert code_of(kind) == code_of(kind).lower().strip("-")
    assert len({code_of(kind) for kind in ours}) == len(ours)
    assert code_of(errors.UnknownRun) == "unknown-run"


@pytest.mark.parametrize("status", [each for each in HTTPStatus if 400 <= each < 600])
def test_whatever_the_status_there_is_a_remedy(status: HTTPStatus) -> None:
    problem, _ = problem_of(HTTPException(status_code=status, detail="so it is"))

    assert problem.remedy.endswith(".")
    assert len(problem.remedy) > 20
    assert problem.code == problem.code.lower()


def test_every_problem_that_is_made_by_hand_has_a_remedy(shared: Served) -> None:
    """Those of the doors, which are no exceptions."""
    large = {"X-Filler": "x" * 20_000}
    answers = [
        shared.anyone(Host="evil.example").get("/healthz"),
        shared.client().post("/api/v1/runs", headers={"Origin": "https://evil.example"}),
        shared.anyone(**large).get("/healthz"),
        shared.anyone().get("/healthz?x=%00"),
        shared.anyone().get("/api/v1/runs"),
        shared.client().get("/api/v1/nowhere"),
        shared.client().put("/api/v1/runs"),
    ]

    codes = [answer.json()["code"] for answer in answers]
    assert len(set(codes)) == len(codes)
    for answer in answers:
        assert answer.json()["remedy"].endswith("."), answer.text


def test_an_unexpected_error_shows_only_its_request_id() -> None:
    for error in (
        KeyError("secret"),
        RuntimeError("select * from rota.token"),
        errors.StoreUnavailable("could not connect to db.internal as rota"),
        errors.CommitUnknown("db.internal"),
    ):
        problem, headers = problem_of(error, "r-1")
        text = msgspec.json.encode(problem).decode()
        assert problem.request_id == "r-1"
        assert "db.internal" not in text
        assert "rota.token" not in text
        if problem.status == 503:
            assert headers["Retry-After"] == "1"


def test_an_error_inside_of_a_verb_is_a_problem_and_changes_nothing(
    shared: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a table named secret_table")

    client = shared.client()
    monkeypatch.setattr("rota.api.runs.submit_batcher.submit", broken)
    answer = client.post("/api/v1/runs", json={"jobId": "add"}, headers={"Idempotency-Key": "k"})
    monkeypatch.undo()

    assert (answer.status_code, answer.json()["code"]) == (500, "internal")
    assert "secret_table" not in answer.text
    again = client.post("/api/v1/runs", json={"jobId": "add"}, headers={"Idempotency-Key": "k"})
    assert again.status_code == 201


def test_names_that_were_given_are_names_too(sqlite_url: str) -> None:
    with serving(sqlite_url, names=("rota.example.org",)) as served:
        answer = served.client().get("/api/v1/version", headers={"Host": "rota.example.org"})
        assert answer.status_code == 200


def test_a_zero_byte_is_refused_by_both_databases_alike(served: Served) -> None:
    client = served.client("author")
    hook = {"name": "hook", "http": {"url": "https://example.org"}, "queue": "a\0b"}

    answers = [
        client.get("/api/v1/jobs/a%00b"),
        client.get("/api/v1/jobs?cursor=%00"),
        client.post("/api/v1/runs", json={"jobId": "a\0b"}),
        client.post("/api/v1/jobs", json=hook),
    ]

    assert [answer.status_code for answer in answers[:2]] == [400, 400]
    assert all(answer.status_code in (400, 404) for answer in answers[2:])
