"""Anchors as text: what is written is read again, what was changed is refused; places for them."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from rota.errors import BadFile, BadOption
from rota.model.identity.audit import Anchor
from rota.rules.security.anchors import check_key, read_anchors, write_anchor
from rota.runtime.chores.anchors import open_sink
from rota.runtime.chores.webhook import NotDelivered

KEY = "a key that nobody guesses"
FIRST = Anchor(namespace="default", seq=7, hash="ab" * 32, at=1_800_000_000_123, kept_until=None)
SECOND = Anchor(
    namespace="default", seq=9, hash="cd" * 32, at=1_800_000_060_000, kept_until=1_807_776_000_000
)
OTHER = Anchor(namespace="other", seq=1, hash="ef" * 32, at=1_800_000_000_000)


def lines(*anchors: Anchor, key: str | None = KEY) -> str:
    return "".join(write_anchor(each, key) + "\n" for each in anchors)


def read(text: str, key: str | None = KEY) -> list[Anchor]:
    return read_anchors(text, "sink", namespace="default", key=key)


def test_written_anchors_are_read_back_in_the_order_of_the_chain() -> None:
    assert read(lines(SECOND, OTHER, FIRST)) == [FIRST, SECOND]
    assert read(lines(FIRST, key=None), None) == [FIRST]
    assert read(lines(FIRST), None) == [FIRST], "a signature that nobody can check is left alone"


def test_text_around_an_anchor_line_is_ignored() -> None:
    text = f"Nov 16 09:00:00 db rota: {lines(FIRST)}\n# a note\n" + lines(SECOND)

    assert read(text.replace('{"rota":"anchor"', '{ "rota": "anchor"')) == [FIRST, SECOND]


def test_a_last_line_that_was_cut_while_it_was_written_does_not_count() -> None:
    assert read(lines(FIRST, SECOND)[:-20]) == [FIRST]
    assert read(lines(FIRST, SECOND).rstrip("\n")) == [FIRST, SECOND]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"seq":9', '"seq":8', "line 2 does not fit its signature"),
        ("cdcd", "cdce", "line 2 does not fit its signature"),
        ("abab", "abac", "line 1 does not fit its signature"),
        ('"seq":7', '"seq":"x"', "line 1 is not an anchor"),
        ('"hash"', '"hush"', "line 1 is not an anchor"),
    ],
)
def test_a_line_that_was_changed_is_refused(old: str, new: str, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read(lines(FIRST, SECOND).replace(old, new))


def test_a_signature_that_is_missing_or_of_another_key_is_refused() -> None:
    with pytest.raises(BadFile, match="line 1 has no signature"):
        read(lines(FIRST, key=None))
    with pytest.raises(BadFile, match="does not fit"):
        read(lines(FIRST, key=KEY + "!"))


@pytest.mark.parametrize("text", ["", "nothing\n", lines(OTHER)])
def test_no_anchors_are_no_proof(text: str) -> None:
    with pytest.raises(BadFile, match="holds no anchor of namespace default"):
        read(text)


def test_a_key_that_can_be_guessed_is_refused() -> None:
    assert check_key(KEY) == KEY
    with pytest.raises(BadOption, match="8 characters"):
        check_key("password")


@pytest.mark.parametrize(
    "address",
    ["", "anchors", "file://host/anchors", "file:anchors", "ftp://x/y", "https://", "syslog:///x",
     "http://[", "syslog://h:99999"],
)  # fmt: skip
def test_a_place_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(BadOption, match="anchor: "):
        open_sink(address)


def test_a_file_grows(tmp_path: Path) -> None:
    sink = open_sink(f"file://{tmp_path}/anchors")
    sink.write(["one", "two"])
    sink.write(["three"])

    assert (tmp_path / "anchors").read_text() == "one\ntwo\nthree\n"


def test_a_syslog_gets_datagrams() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(30)
        open_sink(f"syslog://127.0.0.1:{listener.getsockname()[1]}").write([lines(FIRST).strip()])
        said = listener.recv(4096).decode().rstrip("\0")

    assert said.startswith("<38>rota: {")
    assert read(said) == [FIRST]


@pytest.fixture
def receiver() -> Iterator[HTTPServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            server.told.append(json.loads(body))  # type: ignore[attr-defined]
            self.send_response(500 if self.path == "/bad" else 204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    server.told = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_webhook_gets_objects_and_must_take_them(receiver: HTTPServer) -> None:
    url = f"http://127.0.0.1:{receiver.server_port}"
    open_sink(f"{url}/good").write(lines(FIRST, SECOND).splitlines())

    told = receiver.told  # type: ignore[attr-defined]
    assert [each["seq"] for each in told[0]["anchors"]] == [7, 9]
    with pytest.raises(NotDelivered, match="answered 500"):
        open_sink(f"{url}/bad").write(["{}"])
