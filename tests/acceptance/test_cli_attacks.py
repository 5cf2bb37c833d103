"""A server process under what people throw at it: it refuses, stays small and goes on."""

from __future__ import annotations

import gzip
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.support.cli import Rota, Served

TOKEN = "attacks-token-0123456789-abcdef-0123"
MOST_GROWTH = 64 * 1024 * 1024
LAUGHS = "\n".join(
    ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10))]
)
NO_PICKLES = """
import os
import pickle

def refused(*_, **__):
    os.write(2, b"PICKLE WAS USED\\n")
    raise RuntimeError("no pickles here")

pickle.load = pickle.loads = pickle.Unpickler = refused
"""
SHOP = """
from rota import App
app = App()

@app.job(isolation="process")
def apart(a: int) -> int:
    return a + 1

@app.job
def inside(a: int) -> int:
    return a + 2

say = app.command("say", ["echo", "{word}"])
"""


@pytest.fixture
def rota(tmp_path: Path) -> Rota:
    return Rota(tmp_path, ROTA_URL=f"sqlite:///{tmp_path}/rota.db")


def address(served: Served) -> str:
    served.wait_for("server started")
    found = re.search(r"listens on (\S+)", served.text)
    assert found, served.text
    return found[1]


def test_a_fresh_server_has_nothing_but_its_first_token(rota: Rota) -> None:
    with rota.started("server", "--port", "0") as served:
        url = address(served)
        token = re.findall(r"rota_\S+", served.text)[-1]
        headers = {"Authorization": f"Bearer {token}"}
        with httpx2.Client(base_url=f"{url}/api/v1", headers=headers, timeout=60) as client:
            kinds = ("jobs", "runs", "schedules", "graphs", "queues", "workers", "templates")
            there = {kind: client.get(f"/{kind}").json()["items"] for kind in kinds}
            tokens = [each["name"] for each in client.get("/tokens").json()["items"]]

    assert {kind: len(items) for kind, items in there.items()} == dict.fromkeys(kinds, 0)
    assert tokens == ["first start"]
    assert token not in (rota.folder / "rota.db").read_bytes().decode("latin-1")


def test_huge_deep_slow_and_packed_requests_leave_the_server_small(rota: Rota) -> None:
    with rota.started("server", "--port", "0", ROTA_ADMIN_TOKEN=TOKEN) as served:
        url = address(served)
        process = psutil.Process(served.process.pid)
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        with httpx2.Client(base_url=url, headers=headers, timeout=60) as client:
            for _ in range(20):
                assert client.get("/api/v1/session").status_code == 200
            before = process.memory_info().rss

            codes = [_code(client, path, **sent) for path, sent in _bombs()]
            with ExitStack() as stack:
                for _ in range(100):
                    stack.enter_context(_half_sent(url))
                during = process.memory_info().rss
                assert client.get("/api/v1/session").status_code == 200
            after = process.memory_info().rss

        assert set(codes) <= {400, 413, 431}, codes
        assert max(during, after) - before < MOST_GROWTH
        assert "Traceback" not in served.text


TRICKS = (
    "GET {path}",
    "GET {path}/healthz",
    "GET {path}?/healthz",
    "GET {path};/healthz",
    "GET {path}%2f..%2fhealthz",
    "GET {path}/%2e%2e/runs",
    "GET /healthz/..{path}",
    "GET /healthz/..;{path}",
    "GET /login/..{path}",
    "GET /%61pi/v1/runs",
    "GET //api/v1/runs",
    "GET /./api/v1/runs",
    "GET /api/v1/RUNS",
    "GET {path}/",
    "GET {path}%20",
    "GET {path}#/healthz",
    "GET http://localhost{path}",
    "GET http://evil.example{path}",
    "get {path}",
    "HEAD {path}",
    "TRACE {path}",
    "CONNECT localhost:80",
    "OPTIONS {path}",
    "OPTIONS *",
    "PROPFIND {path}",
    "POST {path}",
    "GET /docs",
    "GET /metrics",
    "GET /schema/openapi.json",
    "GET /api/v1/openapi.json",
    "GET /api/v1/events",
    "GET /.env",
    "GET /../../../../etc/passwd",
    "GET /assets/..%2f..%2f..%2fetc%2fpasswd",
)
HEADERS = (
    "",
    "X-HTTP-Method-Override: GET\r\n",
    "X-Original-URL: /healthz\r\n",
    "X-Rewrite-URL: /healthz\r\n",
    "X-Forwarded-For: 127.0.0.1\r\nX-Real-IP: 127.0.0.1\r\n",
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n",
    "Authorization: Bearer\r\n",
    "Authorization: Basic YWRtaW46YWRtaW4=\r\n",
    "Cookie: rota=; __Host-rota=x\r\n",
    "Host: localhost\r\n",
    "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
)


def test_no_way_of_asking_gets_an_answer_without_a_credential(rota: Rota) -> None:
    with rota.started("server", "--port", "0", ROTA_ADMIN_TOKEN=TOKEN) as served:
        url = address(served)
        got = {}
        for trick in TRICKS:
            for header in HEADERS:
                line = trick.format(path="/api/v1/runs")
                told = _raw(url, f"{line} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n")
                got[line, header] = told.split(b" ", 2)[1:2]
        for line in ("GET /api/v1/runs HTTP/1.0\r\n\r\n", "GET /api/v1/runs HTTP/1.1\r\n\r\n"):
            got[line, ""] = _raw(url, line).split(b" ", 2)[1:2]
        assert "Traceback" not in served.text

    let_in = {at: code for at, code in got.items() if code and code[0][:1] in b"25"}
    assert let_in == {}


def _raw(url: str, text: str) -> bytes:
    """The beginning of the answer; a connection that is closed without one is an answer, too."""
    host, _, port = url.partition("//")[2].partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as sock:
        sock.sendall(text.encode())
        try:
            return sock.recv(200)
        except ConnectionError:
            return b""


def _bombs() -> Iterator[tuple[str, dict[str, Any]]]:
    runs, plan = "/api/v1/runs", "/api/v1/files/plan"
    packed = gzip.compress(b" " * 100_000_000, compresslevel=1)
    for _ in range(3):
        yield runs, {"content": b'{"jobId": "' + b"x" * (1024 * 1024) + b'"}'}
        yield runs, {"content": _endless()}
        yield runs, {"content": b"[" * 500_000 + b"]" * 500_000}
        yield runs, {"content": b'{"a":' * 100_000 + b"1" + b"}" * 100_000}
        yield runs, {"content": b'{"jobId": "add", "args": {"a": ' + b"9" * 500_000 + b"}}"}
        yield runs, {"content": packed, "headers": {"Content-Encoding": "gzip"}}
        yield plan, {"json": {"files": [{"name": "a.yaml", "text": LAUGHS}]}}
        yield plan, {"json": {"files": [{"name": "a.yaml", "text": "[" * 200_000}]}}
    yield runs, {"content": b"{}", "headers": {f"X-{n}": "x" * 1000 for n in range(30)}}


def _endless() -> Iterator[bytes]:
    for _ in range(64):
        yield b" " * 65_536


def _code(client: httpx2.Client, path: str, **sent: Any) -> int:
    """413 where the server hangs up while it is still being told."""
    try:
        return client.post(path, **sent).status_code
    except httpx2.TransportError:
        return 413


def _half_sent(url: str) -> socket.socket:
    host, _, port = url.partition("//")[2].partition(":")
    sock = socket.create_connection((host, int(port)), timeout=20)
    sock.sendall(
        f"POST /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n".encode()
        + b"x" * 60_000
    )
    return sock


def test_nothing_that_is_stored_or_sent_is_ever_unpickled(rota: Rota, tmp_path: Path) -> None:
    folder = tmp_path / "hook"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(NO_PICKLES)
    (tmp_path / "jobs.py").write_text(SHOP)
    env = {"PYTHONPATH": str(folder)}
    words = [sys.executable, "-c", "import pickle; pickle.loads(b'')"]
    tried = subprocess.run(words, env=rota.env | env, capture_output=True, text=True, check=False)
    assert "PICKLE" in tried.stderr, "the hook hooks"

    with rota.serving("up", "jobs.py", **env) as served:
        said = [
            rota.good("submit", *words, "--wait").out.strip()
            for words in (("apart", "1"), ("inside", "1"), ("say", "word=hello"))
        ]
        served.process.terminate()
        served.wait()

    assert said[:2] == ["2", "3"]
    assert "hello" in said[2]
    assert "PICKLE" not in served.text


def test_the_doctor_tells_weak_points_until_there_are_none(rota: Rota, tmp_path: Path) -> None:
    rota.good("db", "migrate")
    rota.good("tokens", "create", "deploy", "--role", "admin")

    weak = rota("doctor", "--security", "--json")
    assert weak.code == 1
    found = {each["check"]: each["status"] for each in weak.documents}
    assert found["tokens that never expire"] == "warning"
    assert found["audit"] == "warning"
    assert found["listener"] == "ok"
    assert found["files"] == "ok", "we make them for their owner only"

    (tmp_path / "anchor.key").write_text(
        "d2f1c0a98b7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f10"
    )
    (tmp_path / "rota.toml").write_text(
        f'[audit]\nanchor = "file://{tmp_path}/anchors"\nanchor_key_file = "anchor.key"\n'
        '[commands]\nuser = "nobody"\n'
    )
    (token,) = rota.good("tokens", "list", "--json").documents
    rota.good("tokens", "rotate", token["id"], "--overlap", "0s", "--expires", "90d")
    for path in tmp_path.iterdir():
        path.chmod(0o600)
    good = rota("doctor", "--security")
    assert good.code == 0, good
