"""Huge, deep, slow and half-sent requests: refused, and nobody else notices."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack

import pytest

from rota.api.server.json_depth import is_deeper
from rota.api.server.options import ServerOptions, check_posture
from rota.errors import BadOption
from tests.api.serving import Served, serving
from tests.support.postgres import PostgresServer

RUNS = "/api/v1/runs"


def raw(served: Served, data: bytes) -> socket.socket:
    sock = socket.create_connection(("127.0.0.1", served.site.options.port), timeout=20)
    sock.sendall(data)
    return sock


def test_a_body_that_is_too_large_is_refused(shared: Served) -> None:
    client = shared.client()
    filler = "x" * (1024 * 1024)

    answer = client.post(RUNS, json={"jobId": "add", "args": {"a": filler}})

    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")


@pytest.mark.parametrize("depth", [33, 10_000, 100_000])
def test_json_that_is_too_deep_is_refused(shared: Served, depth: int) -> None:
    deep = '{"jobId":"add","args":{"a":' + "[" * depth + "]" * depth + "}}"

    answer = shared.client().post(
        RUNS, content=deep.encode(), headers={"Content-Type": "application/json"}
    )

    assert answer.status_code == 400
    assert "levels deep" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        (b"[[]]", 2, False),
        (b"[[[]]]", 2, True),
        (b'["[[[[[["]', 1, False),
        (b'["\\"[[[[[["]', 1, False),
        (b'["\\\\", [[]]]', 2, True),
        (b"[" + b"[]," * 100 + b"[]]", 2, False),
        (b'{"a":{"b":[]}}', 3, False),
        (b'{"a":{"b":[]}}', 2, True),
    ],
)
def test_depth_is_told_without_decoding(text: bytes, limit: int, expected: object) -> None:
    assert is_deeper(text, limit) is expected


@pytest.mark.parametrize(
    "body", [b"", b"{", b"nul", b"\xff\xfe", b'{"jobId": "\xff"}', b"[1,2]", b'"x"', b"\x00"]
)
def test_a_body_that_is_no_json_is_told_so(shared: Served, body: bytes) -> None:
    answer = shared.client().post(RUNS, content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 400, answer.text
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_form_is_no_json(shared: Served) -> None:
    answer = shared.client().post(RUNS, data={"jobId": "add"})

    assert (answer.status_code, answer.json()["code"]) == (415, "unsupported-media-type")


def test_a_head_that_is_too_large_is_refused(shared: Served) -> None:
    for head in (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: ", b"GET /"):
        with raw(shared, head + b"x" * 20_000) as sock:
            sock.sendall(
                b" HTTP/1.1\r\nHost: localhost\r\n\r\n" if head == b"GET /" else b"\r\n\r\n"
            )
            assert sock.recv(100).split()[1] in (b"400", b"431")


def test_half_sent_requests_end_and_hurt_nobody(sqlite_url: str) -> None:
    with serving(sqlite_url, header_s=0.5) as served, ExitStack() as stack:
        client = served.client()
        slow = [
            stack.enter_context(raw(served, b"GET /healthz HTTP/1.1\r\nHost: lo"))
            for _ in range(200)
        ]
        idle = [stack.enter_context(raw(served, b"")) for _ in range(20)]
        assert client.get("/api/v1/version").status_code == 200

        ends = [sock.recv(100) for sock in (*slow, *idle)]

    assert set(ends) == {b""}, "closed without an answer"


def test_a_body_that_does_not_come_ends(sqlite_url: str) -> None:
    with serving(sqlite_url, body_s=0.3) as served:
        token = served.token()
        head = (
            f"POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
            "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        )
        with raw(served, head.encode()) as sock:
            assert sock.recv(100).split()[1] == b"408"
        assert served.client().get("/api/v1/runs").json()["items"] == []


def test_a_request_that_is_cut_off_changes_nothing(served: Served) -> None:
    token = served.token()
    head = (
        f"POST {RUNS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n"
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jobId": "add"'
    )
    raw(served, head.encode()).close()
    raw(served, head.encode().replace(b"100", b"2000000")).close()

    assert served.client().get("/api/v1/runs").json()["items"] == []


@pytest.mark.postgres
def test_an_outage_is_told_and_over_when_it_is_over(
    postgres_server: PostgresServer, postgres_url: str
) -> None:
    with serving(postgres_url) as served:
        client, unknown = served.client(), served.client("viewer")
        assert client.get("/api/v1/runs").status_code == 200
        postgres_server.stop()
        try:
            answers = [client.get("/api/v1/runs"), client.post(RUNS, json={"jobId": "add"})]
            page = unknown.get("/runs", headers={"Accept": "text/html"})
            assert served.anyone().get("/healthz").status_code == 200
            assert served.anyone().get("/readyz").status_code == 503
        finally:
            postgres_server.start()
        assert (page.status_code, page.headers["Refresh"]) == (503, "5")
        assert "Rota cannot reach its database" in page.text
        assert [each.status_code for each in answers] == [503, 503]
        assert all(each.json()["code"] == "store-unavailable" for each in answers)
        assert all(each.headers["Retry-After"] == "1" for each in answers)
        end = time.monotonic() + 20
        while client.get("/api/v1/runs").status_code != 200:
            assert time.monotonic() < end


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.3.2.1"])
def test_a_server_for_this_machine_needs_no_tls(host: str) -> None:
    check_posture(ServerOptions(host=host))


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "rota.example.org", ""])
def test_other_addresses_need_tls_or_a_proxy(host: str) -> None:
    with pytest.raises(BadOption, match="in the clear"):
        check_posture(ServerOptions(host=host))
    check_posture(ServerOptions(host=host, behind_proxy=True))
    check_posture(ServerOptions(host=host, tls_cert="c.pem", tls_key="k.pem"))
    with pytest.raises(BadOption, match="both"):
        check_posture(ServerOptions(host=host, tls_cert="c.pem"))
