"""HTTP requests as handlers, against a real server on loopback; and the guard around them."""

from __future__ import annotations

import ipaddress
import socket
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import pytest

from rota.rules.runs.effect_keys import idempotency_key
from rota.runtime.attempts.attempt import Stopped
from rota.runtime.executors.http.executor import HttpExecutor
from rota.runtime.executors.http.ssrf import PrivateAddress, check_address
from tests.support.calls import BACKFILLED, TIMES, Ledger, eventually, http_call
from tests.support.webserver import WebServer

AUTH = "Authorization"


@pytest.fixture(scope="module")
def server() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def executor(ledger: Ledger) -> Iterator[HttpExecutor]:
    executor = HttpExecutor(slots=4, started=ledger.started, done=ledger.done)
    yield executor
    executor.close()


def test_an_expected_answer_is_the_result(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call, plain = http_call(server.url("/json")), http_call(server.url("/"), method="GET")
    executor.start(call)
    executor.start(plain)

    assert ledger.value(call) == {
        "status": 200,
        "headers": {"content-type": "application/json; charset=utf-8", "etag": '"7"'},
        "body": {"cat": "Tom"},
        "truncated": False,
    }
    assert ledger.value(plain)["body"] == "plain ä"


def test_a_request_carries_the_facts_of_its_run_and_its_arguments(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call = http_call(server.url("/"), headers={"X-Cat": "{cat}"}, args={"cat": "Tom"})
    executor.start(call)
    ledger.wait(call)

    seen = server.seen[-1]

    assert (seen.method, seen.body) == ("POST", '{"cat":"Tom"}')
    assert seen.headers["Content-Type"] == "application/json"
    assert seen.headers["X-Cat"] == "Tom"
    assert seen.headers["Rota-Run-Id"] == call.lease.run_id
    assert (seen.headers["Rota-Attempt"], seen.headers["Rota-Fence"]) == ("1", "7")
    assert seen.headers["Idempotency-Key"] == idempotency_key(call.lease.run_id, "request")


def test_a_request_knows_the_time_its_run_is_for(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call = http_call(
        server.url("/?day={run.scheduled_day}"),
        headers={"X-Since": "{run.interval_start}"},
        body='{{"since": "{run.interval_start}"}}',
        origin=BACKFILLED,
    )
    executor.start(call)
    ledger.wait(call)

    seen = server.seen[-1]

    assert seen.query == {"day": "2026-03-29"}
    assert seen.headers["X-Since"] == TIMES["ROTA_INTERVAL_START"]
    assert seen.headers["Rota-Scheduled-For"] == TIMES["ROTA_SCHEDULED_FOR"]
    assert seen.headers["Rota-Schedule"] == "nightly"
    assert seen.headers["Rota-Started-By"] == "backfill"
    assert TIMES["ROTA_INTERVAL_START"] in seen.body


def test_values_are_escaped_where_they_are_put(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    nasty = 'a/../b?x=1&"quoted"\n#'
    call = http_call(
        server.url("/cats/{name}?q={name}&n={count}"),
        body='{{"name": "{name}", "count": {count}}}',
        method="PUT",
        args={"name": nasty, "count": 3},
    )
    executor.start(call)
    ledger.wait(call)

    seen = server.seen[-1]

    assert seen.path.startswith("/cats/a%2F..%2Fb%3F")
    assert seen.query == {"q": nasty, "n": "3"}
    assert seen.body == '{"name": "a/../b?x=1&\\"quoted\\"\\n#", "count": 3}'


def test_credentials_in_an_address_are_sent_and_never_told(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    """New definitions have none there; versions that were stored before may."""
    secret = "us%40er:tell%20nobody"
    found = http_call(server.url("/json", host=f"{secret}@127.0.0.1"))
    missing = http_call(f"http://{secret}@127.0.0.1:1/")
    own = http_call(
        server.url("/", host=f"{secret}@127.0.0.1"), headers={"Authorization": "Bearer x"}
    )
    broken = http_call(f"http://{secret}@127.0.0.1:99999/")
    for call in (found, missing, own, broken):
        executor.start(call)

    assert ledger.value(found)["status"] == 200
    basic = next(each for each in server.seen if each.path == "/json" and AUTH in each.headers)
    assert basic.headers[AUTH] == "Basic " + b64encode(b"us@er:tell nobody").decode()
    ledger.value(own)
    assert server.seen[-1].headers[AUTH] == "Bearer x"
    for call, says in ((missing, "127.0.0.1"), (broken, "out of range")):
        told = str(ledger.wait(call))
        assert "nobody" not in told, told
        assert says in told


def test_a_key_of_its_own_is_sent_instead_of_ours(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call = http_call(server.url("/"), headers={"idempotency-key": "order-14"})
    executor.start(call)
    ledger.wait(call)

    sent = [text for name, text in server.seen[-1].pairs if name.lower() == "idempotency-key"]
    assert sent == ["order-14"]


@pytest.mark.parametrize(
    ("status", "gives_up"),
    [(500, False), (503, False), (429, False), (408, False), (409, False), (404, True)],
)
def test_other_statuses_fail_and_only_some_are_worth_another_attempt(
    executor: HttpExecutor, ledger: Ledger, server: WebServer, status: int, gives_up: object
) -> None:
    call = http_call(server.url(f"/status/{status}"))
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.types == ("HttpStatus",)
    assert raised.error.message.startswith(f"the server answered {status} ")
    assert raised.error.message.endswith(": the reason")
    assert raised.gives_up is gives_up
    assert raised.retry_after_s is None


def test_a_redirect_is_not_followed(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call = http_call(server.url("/status/302?Location=/json"))
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.error.message == "the server answered 302 Found: /json"
    assert raised.gives_up
    assert not any(seen.path == "/json" and seen.method == "GET" for seen in server.seen)


@pytest.mark.parametrize(
    ("expect", "status", "is_fine"), [((404,), 404, True), ((201,), 200, False), ((), 204, True)]
)
def test_the_job_says_which_statuses_are_expected(
    executor: HttpExecutor,
    ledger: Ledger,
    server: WebServer,
    expect: tuple[int, ...],
    status: int,
    is_fine: object,
) -> None:
    call = http_call(server.url(f"/status/{status}"), expect=expect)
    executor.start(call)

    assert (type(ledger.wait(call)).__name__ == "Returned") is is_fine


@pytest.mark.parametrize(
    ("text", "expected_s"),
    [("120", 120.0), ("Wed, 21 Oct 2015 07:28:30 GMT", 30.0), ("soon", None)],
)
def test_the_server_may_say_when_to_come_back(
    executor: HttpExecutor, ledger: Ledger, server: WebServer, text: str, expected_s: float | None
) -> None:
    date = "Wed, 21 Oct 2015 07:28:00 GMT"
    call = http_call(server.url(f"/status/503?Retry-After={text}&Date={date}"))
    executor.start(call)

    assert ledger.raised(call).retry_after_s == expected_s


def test_a_large_answer_is_cut(executor: HttpExecutor, ledger: Ledger, server: WebServer) -> None:
    call = http_call(server.url("/big"))
    executor.start(call)

    result = ledger.value(call)

    assert result["truncated"]
    assert set(result["body"]) == {"\x01"}
    assert 100_000 < len(result["body"]) <= 256 * 1024


def test_a_server_that_is_not_there_may_be_tried_again(
    executor: HttpExecutor, ledger: Ledger
) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        call = http_call(f"http://127.0.0.1:{port}/")
        executor.start(call)

        raised = ledger.raised(call)

    assert "OSError" in raised.types
    assert str(port) in raised.error.message
    assert not raised.gives_up


def test_a_request_that_takes_too_long_is_stopped(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    call = http_call(server.url("/slow"))
    executor.start(call)
    eventually(lambda: server.seen and server.seen[-1].path == "/slow")
    executor.stop(call, "timeout")

    assert ledger.wait(call) == Stopped("timeout")


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0177.0.0.1",
        "127.1",
        "0x7f.0.0.1",
        "0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]",
    ],
)
def test_no_spelling_of_a_private_address_is_called(
    executor: HttpExecutor, ledger: Ledger, server: WebServer, host: str
) -> None:
    before = len(server.seen)
    call = http_call(server.url("/json", host=host), allow_private=False)
    executor.start(call)

    raised = ledger.raised(call)

    assert raised.gives_up
    assert "not on the public internet" in raised.error.message
    assert len(server.seen) == before


def test_a_guarded_request_gets_no_connection_of_an_open_one(
    executor: HttpExecutor, ledger: Ledger, server: WebServer
) -> None:
    opened = http_call(server.url("/json", host="localhost"))
    executor.start(opened)
    assert ledger.value(opened)["status"] == 200
    guarded = http_call(server.url("/json", host="localhost"), allow_private=False)
    executor.start(guarded)

    assert ledger.raised(guarded).gives_up


@pytest.mark.parametrize(
    ("url", "options"),
    [
        ("file:///etc/passwd", {}),
        ("ftp://example.org/", {}),
        ("http:///nowhere", {}),
        ("just text", {}),
        ("http://127.0.0.1:99999/", {}),
        ("http://127.0.0.1/", {"headers": {"X": "a\r\nInjected: b"}}),
        ("http://127.0.0.1/", {"method": "GET /x HTTP/1.1\r\nX: y"}),
    ],
)
def test_a_request_that_makes_no_sense_is_not_tried_again(
    executor: HttpExecutor, ledger: Ledger, url: str, options: dict[str, Any]
) -> None:
    call = http_call(url, **options)
    executor.start(call)

    assert ledger.raised(call).gives_up


@pytest.mark.parametrize(
    "text",
    [
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "fd00::1",
        "fe80::1",
        "ff02::1",
        "::",
        "2002:7f00:1::",
        "::ffff:169.254.169.254",
    ],
)
def test_addresses_inside_are_refused(text: str) -> None:
    with pytest.raises(PrivateAddress, match="allow_private"):
        check_address(ipaddress.ip_address(text), text)


@pytest.mark.parametrize("text", ["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111"])
def test_public_addresses_pass(text: str) -> None:
    check_address(ipaddress.ip_address(text), text)
