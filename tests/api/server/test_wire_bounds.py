"""Every part of a request has an end before anybody knows who sends it: told on raw sockets."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from rota.api.server.request import SOON_READ
from rota.rules.text.json_keys import check_keys
from tests.api.serving import Served, serving

CHUNKED = b"Host: localhost\r\nTransfer-Encoding: chunked\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\n"
LOGIN = b"POST /login HTTP/1.1\r\n" + CHUNKED + FORM + b"\r\n"
PIECE = 64 * 1024
MOST_SENT = 16 * 1024 * 1024
"""What the buffers of two sockets hold is far less; a tenth of it is far more than is allowed."""


def dial(served: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", served.site.options.port), timeout=60)


def accepted(served: Served, first: bytes, piece: bytes) -> int:
    """How many bytes go out before the server ends the connection; it may never do so."""
    sent = 0
    with dial(served) as sock, suppress(ConnectionError):
        sock.sendall(first)
        while sent < MOST_SENT:
            sock.sendall(piece)
            sent += len(piece)
    return sent


def answers(served: Served, request: bytes) -> bytes:
    """All that comes back until the connection ends."""
    found = b""
    with dial(served) as sock, suppress(ConnectionError):
        sock.sendall(request)
        while part := sock.recv(PIECE):
            found += part
    return found


@pytest.mark.parametrize(
    ("start", "piece"),
    [
        (b"0\r\nX: ", b"x" * PIECE),
        (b"0\r\n", b"X: y\r\n" * 10_000),
        (b"0\r\n" + b"x" * 10, b"x" * PIECE),
        (b"1;", b"x" * PIECE),
        (b"5\r\ntoken\r\n0\r\n", b"A: " + b"y" * 997 + b"\r\n"),
        (b"", b"1;" + b"x" * 1_000 + b"\r\ny\r\n"),
        (b"", b"1;" + b"x" * 12_000 + b"\r\ny\r\n"),
        (b"", b"0000000001\r\ny\r\n"),
    ],
    ids=["trailer", "trailers", "name", "extension", "after", "extensions", "long", "zeros"],
)
@pytest.mark.parametrize("path", [b"/login", b"/api/v1/runs"], ids=["login", "runs"])
def test_what_comes_after_the_head_and_is_no_body_has_an_end(
    shared: Served, path: bytes, start: bytes, piece: bytes
) -> None:
    assert accepted(shared, LOGIN.replace(b"/login", path) + start, piece) < MOST_SENT
    assert shared.anyone().get("/healthz").status_code == 200


@pytest.mark.parametrize(("count", "each"), [(40, 500), (5, 4_000), (1, 20_000)])
@pytest.mark.parametrize("at_once", [True, False], ids=["at once", "piece by piece"])
def test_extensions_of_all_chunks_have_one_bound(
    shared: Served, count: int, each: int, at_once: object
) -> None:
    """More than 16 KiB together end the connection before the body has come to its end."""
    start, last = LOGIN[:-2] + b"Connection: close\r\n\r\n", b"0\r\n\r\n"
    chunks = [b"5;" + b"x" * each + b"\r\ntoken\r\n"] * count
    few = [b"5;" + b"x" * 100 + b"\r\ntoken\r\n"] * 10

    assert b"HTTP/1.1 4" in sent_to(shared, [start, *few, last], at_once=bool(at_once))
    assert sent_to(shared, [start, *chunks], at_once=bool(at_once)) == b""


def sent_to(served: Served, parts: list[bytes], *, at_once: bool) -> bytes:
    """What comes back; the server reads each part by itself, if they are not sent at once."""
    found = b""
    with dial(served) as sock, suppress(ConnectionError):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for part in [b"".join(parts)] if at_once else parts:
            sock.sendall(part)
        while part := sock.recv(PIECE):
            found += part
    return found


def test_a_trailer_is_no_header(shared: Served) -> None:
    token = shared.token()
    body = b'{"jobId": "add"}'
    trailers = f"Authorization: Bearer {token}\r\nContent-Type: application/json\r\n".encode()
    request = (
        b"POST /api/v1/runs HTTP/1.1\r\n"
        + CHUNKED
        + b"Connection: close\r\n\r\n"
        + b"%x\r\n%b\r\n0\r\n%b\r\n" % (len(body), body, trailers)
    )

    assert answers(shared, request).split()[1] == b"401"


def test_chunks_that_are_small_and_trailers_that_are_few_are_fine(shared: Served) -> None:
    """A body of one byte a chunk has seven times as much around it as in it."""
    token = shared.token()
    body = b'{"jobId": "add", %b "args": {"a": 1}}' % (b" " * 20_000)
    head = f"POST /api/v1/runs HTTP/1.1\r\nAuthorization: Bearer {token}\r\n".encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body)
    rest = b"Content-Type: application/json\r\nConnection: close\r\n\r\n"

    found = answers(shared, head + CHUNKED + rest + chunks + b"0\r\nX-Sum: 1\r\n\r\n")

    assert found.split()[1] == b"201", found


def test_requests_behind_one_that_goes_on_have_an_end(shared: Served) -> None:
    head = f"Host: localhost\r\nAuthorization: Bearer {shared.token()}\r\n\r\n".encode()
    stream = b"GET /api/v1/events HTTP/1.1\r\n" + head

    assert accepted(shared, stream, b"GET /healthz HTTP/1.1\r\n" + head) < MOST_SENT


def test_a_response_that_nobody_reads_is_cut_off(shared: Served) -> None:
    head = b"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9999999999\r\n\r\n"

    assert accepted(shared, head, b"x" * PIECE) < MOST_SENT


@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_form_that_is_too_large_is_refused(shared: Served, is_chunked: object) -> None:
    form = b"token=" + b"[" * 5000
    if is_chunked:
        request = LOGIN[:-2] + b"Connection: close\r\n\r\n%x\r\n%b\r\n0\r\n\r\n" % (len(form), form)
    else:
        size = b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(form)
        request = b"POST /login HTTP/1.1\r\nHost: localhost\r\n" + FORM + size + form

    found = answers(shared, request)

    assert found.split()[1] == b"413", found
    assert b"problem+json" in found


def test_a_form_that_does_not_come_ends(sqlite_url: str) -> None:
    with serving(sqlite_url, body_s=0.3) as served:
        assert answers(served, LOGIN + b"5\r\ntok").split()[1] == b"408"


@pytest.mark.parametrize(
    ("line", "host", "status"),
    [
        ("GET /healthz", "localhost", b"200"),
        ("GET /healthz", "LOCALHOST:8470", b"200"),
        ("GET /healthz", "[::1]:8470", b"200"),
        ("GET http://localhost/healthz", "localhost", b"200"),
        ("GET HTTP://LocalHost:1/healthz?x", "localhost:1", b"200"),
        ("GET http://evil.example/healthz", "localhost", b"421"),
        ("GET http://localhost/healthz", "localhost:1", b"421"),
        ("GET http://evil.example@localhost/healthz", "localhost", b"421"),
        ("GET http://localhost@evil.example/healthz", "localhost", b"421"),
        ("GET ftp://localhost/healthz", "localhost", b"421"),
        ("GET /healthz", "user@localhost", b"421"),
        ("GET /healthz", "user:password@localhost", b"421"),
        ("GET /healthz", "localhost:x", b"421"),
        ("GET /healthz", "localhost/", b"421"),
        ("GET /healthz", "localhost#x", b"421"),
        ("GET //healthz", "localhost", b"404"),
        ("GET /api//v1/version", "localhost", b"404"),
        ("GET http://localhost//healthz", "localhost", b"404"),
    ],
)
def test_the_host_is_a_name_and_a_port_and_a_path_has_single_slashes(
    shared: Served, line: str, host: str, status: bytes
) -> None:
    request = f"{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"

    assert answers(shared, request.encode()).split()[1] == status


TWICE = (
    ('{"jobId": "add", "jobId": "say"}', "jobId"),
    ('{"jobId": "add", "args": {"a": 1, "b": 2, "a": 3}}', "a"),
    ('{"jobId": "add", "args": {"a": 1, "\\u0061": 3}}', "a"),
    ('{"jobId": "add", "args": {"a": [{"x": {}, "x": 1}]}}', "x"),
    ('{"jobId": "add", "args": {"n": %s, "n": 1}}' % ("9" * 5_000), "n"),
    ('{"jobId": "add", "args": {"a": "%s", "a": 1}}' % ("x" * SOON_READ), "a"),
)


@pytest.mark.parametrize(("text", "key"), TWICE, ids=range(len(TWICE)))
def test_a_key_that_is_given_twice_is_named(shared: Served, text: str, key: str) -> None:
    answer = shared.client().post(
        "/api/v1/runs", content=text.encode(), headers={"Content-Type": "application/json"}
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "bad-input"), answer.text
    assert f"the key '{key}' is given twice" in answer.json()["detail"]
    assert answer.headers["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "text", ["{}", "[]", "", "{", "[" * 5_000, '[{"a": 1}, {"a": 1}]', '{"a": {"a": 1}}', '"\x01"']
)
def test_a_text_without_such_a_key_is_not_judged(text: str) -> None:
    check_keys(text)


GARBAGE = (
    b"Authorization: Bearer " + b"x" * 8_000,
    b"Authorization: Bearer \xff\xfe\xc3\xa4",
    b"Authorization: Bearer rota_ x y",
    b"Authorization: bearer\trota_x",
    b"Authorization: Basic YTpi",
    b"Authorization: Digest username=x",
    b"Authorization:",
    b"Cookie: rota=" + b"a" * 4_000,
    b"Cookie: ;;;=;rota;\xff=\xff",
    b"Cookie: rota=x; rota=y\r\nX-CSRF-Token: z",
    b"X-Forwarded-User: admin\r\nX-Remote-User: admin\r\nX-Forwarded-For: 127.0.0.1",
)


@pytest.mark.parametrize("proxied", [False, True], ids=["alone", "behind a proxy"])
def test_no_operation_takes_garbage_for_a_credential(sqlite_url: str, proxied: object) -> None:
    """Generated from the description, on one connection for each form of garbage."""
    with serving(sqlite_url, behind_proxy=bool(proxied)) as served:
        expired = f"Authorization: Bearer {served.token('admin', expires='1ms')}".encode()
        document = served.client().get("/api/v1/openapi.json").json()
        every = [
            (method.upper(), re.sub(r"{\w+}", "1", path))
            for path, methods in document["paths"].items()
            for method in methods
        ]
        assert len(every) > 80
        for garbage in (*GARBAGE, expired):
            with dial(served) as sock, sock.makefile("rb") as answer:
                for method, path in every:
                    served.site.identities.patience.clear()
                    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n".encode()
                    sock.sendall(head + garbage + b"\r\nContent-Length: 0\r\n\r\n")
                    status, body = read_answer(answer)
                    assert status == 401, (method, path, garbage[:40], body)
                    assert b"not-signed-in" in body


def read_answer(answer: Any) -> tuple[int, bytes]:
    """One that has a Content-Length."""
    status = int(answer.readline().split()[1])
    size = 0
    while (line := answer.readline().strip().lower()) != b"":
        if line.startswith(b"content-length:"):
            size = int(line.split()[1])
    return status, answer.read(size)


@pytest.mark.parametrize("name", ["Authorization", "Content-Type", "Idempotency-Key", "If-Match"])
def test_a_header_that_decides_comes_once(shared: Served, name: str) -> None:
    good = {"Authorization": f"Bearer {shared.token()}", "Content-Type": "application/json"}
    pairs = [*good.items(), (name, good.get(name, '"a"')), (name.lower(), "other")]
    head = "".join(f"{each}: {text}\r\n" for each, text in pairs)
    request = (
        f"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n{head}"
        'Connection: close\r\nContent-Length: 16\r\n\r\n{"jobId": "add"}'
    )

    found = answers(shared, request.encode())

    assert found.split()[1] == b"400", found
    assert f"The header {name.lower()} comes twice".encode() in found


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for path, methods in document["paths"].items():
        for method, said in methods.items():
            if "requestBody" in said:
                yield method.upper(), path


def test_no_operation_takes_a_key_twice(shared: Served) -> None:
    """Generated from the description: whatever the body should have been."""
    client, worker = shared.client(), shared.client("worker", queues=["default"])
    found = list(_operations(client.get("/api/v1/openapi.json").json()))
    assert len(found) > 30
    for method, path in found:
        sender = worker if path.startswith("/api/v1/worker/") else client
        answer = sender.request(
            method,
            re.sub(r"{\w+}", "1", path),
            content=b'{"x": 1, "x": 2}',
            headers={"Content-Type": "application/json"},
        )
        assert answer.status_code == 400, (method, path, answer.text)
        assert "the key 'x' is given twice" in answer.json()["detail"], (method, path)
