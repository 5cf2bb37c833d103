"""A worker watches for alerts and sends them: to a web server, a mail server, a foreign service."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from threading import Event
from typing import Any

import msgspec
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP

from rota.app import App
from rota.model.alerts.incident import MessageView
from tests.integration.conftest import Serve
from tests.support.calls import eventually
from tests.support.postgres import free_port
from tests.support.webserver import Seen, WebServer

SECRET = "a key that both know"


class Mailbox:
    """Takes all mail that comes."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.sessions: list[SMTP] = []

    def is_idle(self) -> bool:
        """Whether every connection has been closed, from both sides."""
        return all(session.transport is None for session in self.sessions)

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"


class MailServer(Controller):
    """Remembers the connections of its mailbox."""

    def factory(self) -> SMTP:
        session = SMTP(self.handler)
        self.handler.sessions.append(session)
        return session


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, int]]:
    box = Mailbox()
    port = free_port()
    controller = MailServer(box, hostname="127.0.0.1", port=port)
    controller.start()
    yield box, port
    eventually(box.is_idle)  # a connection that is open when its loop stops is never closed
    controller.stop()


@pytest.fixture
def failing(app: App) -> Any:
    @app.job(retries=0)
    def backup() -> None:
        raise ValueError("the disk is full")

    return backup


def posts(web: WebServer) -> list[Seen]:
    return [seen for seen in web.seen if seen.method == "POST"]


def messages(app: App) -> list[MessageView]:
    return app.alerts.messages()


def test_a_failed_run_reaches_a_webhook_with_a_signature(
    app: App, serve: Serve, web: WebServer, failing: Any
) -> None:
    app.alerts.put_channel("ops", web.url("/status/204"), secret=SECRET)
    app.alerts.put_rule("all", on=["run.failed"], to=["ops"])
    serve(alert_private=True)

    run = failing.submit()

    eventually(lambda: [each.state for each in messages(app)] == ["sent"])
    (post,) = posts(web)
    told = msgspec.json.decode(post.body)
    assert told["title"] == "backup failed: ValueError: the disk is full"
    assert (told["kind"], told["incidents"][0]["runId"]) == ("opened", run.id)
    at, message_id = post.headers["webhook-timestamp"], post.headers["webhook-id"]
    text = f"{message_id}.{at}.{post.body}".encode()
    digest = hmac.new(SECRET.encode(), text, hashlib.sha256).digest()
    assert post.headers["webhook-signature"] == f"v1,{base64.b64encode(digest).decode()}"
    assert told["id"] == message_id


def test_a_failed_run_reaches_a_mailbox(
    app: App, serve: Serve, mailbox: tuple[Mailbox, int], failing: Any
) -> None:
    box, port = mailbox
    app.alerts.put_channel("ops", f"smtp://127.0.0.1:{port}/?from=rota@x.org&to=a@x.org,b@x.org")
    app.alerts.put_rule("all", on=["run.failed"], to=["ops"])
    serve()

    run = failing.submit()

    eventually(lambda: len(box.mails) == 1)
    (mail,) = box.mails
    assert mail["Subject"] == "[rota] backup failed: ValueError: the disk is full"
    assert mail["To"] == "a@x.org, b@x.org"
    assert isinstance(mail, EmailMessage)
    assert run.id in mail.get_content()


def test_a_service_of_apprise_is_told(app: App, serve: Serve, web: WebServer, failing: Any) -> None:
    app.alerts.put_channel("ops", f"json://127.0.0.1:{web.port}/status/200")
    app.alerts.put_rule("all", on=["run.failed"], to=["ops"])
    serve()

    failing.submit()

    eventually(lambda: [each.state for each in messages(app)] == ["sent"])
    (post,) = posts(web)
    assert msgspec.json.decode(post.body)["title"] == "backup failed: ValueError: the disk is full"


def test_a_dead_channel_delays_no_other_and_shows_its_error(
    app: App, serve: Serve, web: WebServer, failing: Any
) -> None:
    app.alerts.put_channel("dead", web.url("/status/503"))
    app.alerts.put_channel("ops", web.url("/status/204"))
    app.alerts.put_rule("all", on=["run.failed"], to=["dead", "ops"])
    serve(alert_private=True)

    failing.submit()

    eventually(lambda: app.alerts.channels()["ops"].sent_at is not None)
    eventually(lambda: app.alerts.channels()["dead"].error is not None)
    dead = app.alerts.channels()["dead"]
    assert dead.waiting == 1, "it is tried again"
    assert "answered 503" in str(dead.error)


def test_a_channel_that_never_answers_delays_no_run(
    app: App, serve: Serve, web: WebServer, failing: Any
) -> None:
    @app.job
    def quick() -> str:
        return "done"

    app.alerts.put_channel("dead", web.url("/slow"))
    app.alerts.put_rule("all", on=["run.failed"], to=["dead"])
    serve(alert_private=True)
    failing.submit()
    eventually(lambda: posts(web))

    results = [quick.submit().result(timeout=20) for _ in range(20)]

    assert results == ["done"] * 20
    (message,) = messages(app)
    assert (message.state, message.sent_at) == ("waiting", None), "it is still being sent"
    assert len(posts(web)) == 1


def test_a_run_that_is_late_is_told_while_it_runs(app: App, serve: Serve, web: WebServer) -> None:
    may_end = Event()

    @app.job(deadline="500ms")
    def report() -> None:
        may_end.wait(60)

    app.alerts.put_channel("ops", web.url("/status/204"))
    app.alerts.put_rule("late", on=["deadline.missed"], to=["ops"])
    serve(alert_private=True)
    run = report.submit()

    eventually(lambda: [each.state for each in messages(app)] == ["sent"])
    assert run.show().deadline_missed
    (incident,) = app.alerts.list(state="open")
    assert (incident.kind, incident.job, incident.run_id) == ("deadline.missed", "report", run.id)
    may_end.set()
    run.wait(timeout=20)
    assert run.show().deadline_missed, "it ended too late"


def test_a_secret_comes_from_the_environment_of_the_process_that_sends(
    app: App, serve: Serve, web: WebServer, failing: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPS_HOOK", web.url("/status/204"))
    app.alerts.put_channel("ops", "${OPS_HOOK}")
    app.alerts.put_channel("lost", "${NO_SUCH_HOOK}")
    app.alerts.put_rule("all", on=["run.failed"], to=["ops", "lost"])
    serve(alert_private=True)

    failing.submit()

    eventually(lambda: app.alerts.channels()["ops"].sent_at is not None)
    eventually(lambda: app.alerts.channels()["lost"].error is not None)
    assert "NO_SUCH_HOOK is not set" in str(app.alerts.channels()["lost"].error)


def test_a_test_message_arrives_without_any_rule(app: App, serve: Serve, web: WebServer) -> None:
    app.alerts.put_channel("ops", web.url("/status/204"))
    serve(alert_private=True)

    told = app.alerts.test("ops")

    assert (told.kind, told.state) == ("test", "waiting")
    eventually(lambda: [each.state for each in messages(app)] == ["sent"])


def test_a_queue_that_nobody_serves_is_told_and_told_again_when_it_is_served(
    app: App, serve: Serve, web: WebServer
) -> None:
    @app.job(queue="fax")
    def send() -> None: ...

    app.alerts.put_channel("ops", web.url("/status/204"))
    app.alerts.put_rule("all", on=["queue.unserved"], to=["ops"])
    send.submit()
    serve(alert_private=True, queues=("default",))
    eventually(lambda: [each.kind for each in messages(app)] == ["opened"])

    serve(alert_private=True, queues=("fax",))

    eventually(lambda: [each.kind for each in messages(app)] == ["recovered", "opened"])
    assert app.alerts.list(state="open") == []
