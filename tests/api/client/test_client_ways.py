"""The way to a server: TLS, proxies, names, versions; a token goes where it is meant to, only."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from rota import Client, errors
from rota.notices import subscribe, unsubscribe
from tests.api.serving import Served, serving
from tests.support.certificates import self_signed
from tests.support.proxy import Proxy


class Stranger(ThreadingHTTPServer):
    """Something that listens and is no server of ours; it remembers who came."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.body, self.kind = 404, b"<html>", "text/html"
        self.asked: list[tuple[str, str | None]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, status: int, body: dict[str, Any]) -> None:
        self.status, self.body, self.kind = status, json.dumps(body).encode(), "application/json"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        stranger = self.server
        assert isinstance(stranger, Stranger)
        stranger.asked.append((self.path, self.headers["Authorization"]))
        self.send_response(stranger.status)
        self.send_header("Content-Type", stranger.kind)
        self.send_header("Content-Length", str(len(stranger.body)))
        self.end_headers()
        self.wfile.write(stranger.body)

    do_POST = do_CONNECT = do_GET  # noqa: N815  # as the library wants them called

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def stranger() -> Iterator[Stranger]:
    server = Stranger()
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(autouse=True)
def plain(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROTA_SERVER", "ROTA_TOKEN", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def test_a_certificate_is_trusted_when_it_is_named(tmp_path: Path) -> None:
    files = self_signed(tmp_path)
    tls = {"tls_cert": str(files.cert), "tls_key": str(files.key)}
    with serving(f"sqlite:///{tmp_path}/rota.db", **tls) as served:
        assert served.address.startswith("https://")
        with Client(served.address, token=served.token(), ca_file=files.cert) as client:
            assert client.session().namespace == "default"
        with (
            Client(served.address, token=served.token()) as careful,
            pytest.raises(errors.ServerUnavailable, match=r"not to be trusted.*ca_file"),
        ):
            careful.jobs()
        plain = served.address.replace("https://", "http://")
        with (
            Client(plain, token=served.token(), patience=0) as client,
            pytest.raises(errors.RotaError),
        ):
            client.jobs()


def test_tls_where_none_is_spoken_is_told_at_once(shared: Served) -> None:
    tls = shared.address.replace("http://", "https://")
    with (
        Client(tls, token=shared.token(), patience="1h") as client,
        pytest.raises(errors.ServerUnavailable, match="speaks no TLS"),
    ):
        client.jobs()


def test_a_name_that_nobody_has_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> object:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with (
        Client("https://rota.example.org", token="t", patience="1h") as client,
        pytest.raises(errors.ServerUnavailable, match="no host of the name"),
    ):
        client.jobs()


def test_a_call_that_a_server_does_not_know_is_told_as_that(stranger: Stranger) -> None:
    stranger.answer(404, {"code": "not-found", "detail": "there is nothing at /x"})
    with Client(stranger.url, token="t") as client:
        with pytest.raises(errors.BadInput, match=r"does not know this call.*another version"):
            client.send("orders.closed")
        stranger.answer(200, {"things": []})
        with pytest.raises(errors.BadUrl, match=r"none that Rota .* can read"):
            client.jobs()
        stranger.answer(404, {"title": "Not Found"})
        with pytest.raises(errors.BadUrl, match="no Rota server does"):
            client.jobs()


def test_the_way_to_this_machine_leads_through_no_proxy(
    shared: Served, stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", stranger.url)
    monkeypatch.setenv("ALL_PROXY", stranger.url)
    with Client(shared.address, token=shared.token()) as client:
        assert client.session().who == "token:test"

    assert stranger.asked == []


def test_tls_goes_through_a_proxy_which_learns_no_token(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", stranger.url)
    stranger.status = 403
    with (
        Client("https://rota.example.org", token="secret", patience=0) as client,
        pytest.raises(errors.ServerUnavailable, match=r"proxy .* cannot be reached: 403"),
    ):
        client.send("orders.closed")

    assert stranger.asked == [("rota.example.org:443", None)]


def test_a_proxy_that_is_none_is_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy")
    with (
        Client("https://rota.example.org", token="t") as client,
        pytest.raises(errors.BadOption, match="HTTPS_PROXY"),
    ):
        client.jobs()


def test_the_token_of_the_environment_is_for_its_server(
    stranger: Stranger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sent() -> str | None:
        stranger.asked.clear()
        with Client(stranger.url) as client, pytest.raises(errors.BadUrl):
            client.jobs()
        return stranger.asked[0][1]

    assert sent() is None
    monkeypatch.setenv("ROTA_TOKEN", "secret")
    assert sent() == "Bearer secret", "it is nobody's in particular"
    monkeypatch.setenv("ROTA_SERVER", stranger.url + "/")
    assert sent() == "Bearer secret"
    monkeypatch.setenv("ROTA_SERVER", "https://rota.example.org")
    assert sent() is None, "it is for another server"


def test_waiting_for_a_server_emits_a_notice(shared: Served) -> None:
    heard: list[tuple[str, dict[str, Any]]] = []

    def listen(notice: str, facts: dict[str, Any]) -> None:
        heard.append((notice, facts))

    with Proxy(9) as proxy:
        port = proxy.port
    subscribe(listen)
    try:
        with (
            Client(f"http://127.0.0.1:{port}", token="secret", patience="4s") as client,
            pytest.raises(errors.ServerUnavailable),
        ):
            client.jobs()
    finally:
        unsubscribe(listen)

    told = [facts for notice, facts in heard if notice == "server.unavailable"]
    assert len(told) == 1
    assert "cannot be reached" in str(told[0]["error"])
    assert "secret" not in str(told)
