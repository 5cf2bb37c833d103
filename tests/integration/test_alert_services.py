"""Messages to services: PagerDuty and Teams through Apprise, and mail servers that want more."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from email import message_from_bytes
from email.message import Message
from email.policy import default
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, LoginPassword
from apprise.plugins import pagerduty

from rota.errors import RotaError
from rota.model.alerts.channel import AlertChannel
from rota.runtime.alerts.mail import MailNotSent
from rota.runtime.alerts.send import send
from tests.support.calls import eventually
from tests.support.certificates import Certificate, self_signed
from tests.support.postgres import free_port
from tests.support.webserver import WebServer

USER, PASSWORD = "rota", "a secret & more"
INCIDENT: dict[str, Any] = {
    "id": "01a1f1a2-0000-7000-8000-000000000001",
    "kind": "run.failed",
    "title": "backup failed: OSError: the disk is full",
    "openedAt": "2026-11-19T02:28:38.796Z",
    "lastAt": "2026-11-19T02:28:38.796Z",
}


def tell(channel: str, kind: str = "opened", **more: Any) -> None:
    """Send one message about one incident, unless it says otherwise."""
    facts = {
        "id": "01a1f1a2-0000-7000-8000-00000000000f",
        "kind": kind,
        "at": "2026-11-19T02:28:38.796Z",
        "namespace": "default",
        "rule": "failures",
        "severity": "error",
        "title": INCIDENT["title"],
        "incidents": [INCIDENT],
        "more": 0,
    } | more
    payload = msgspec.json.encode(facts).decode()
    send(str(facts["id"]), payload, AlertChannel(url=channel), allow_private=True)


def bodies(web: WebServer) -> list[dict[str, Any]]:
    return [msgspec.json.decode(seen.body) for seen in web.seen]


@pytest.fixture
def certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Certificate:
    """A certificate that this process trusts."""
    made = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(made.cert))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(made.cert))
    return made


@pytest.fixture
def tls(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.cert, certificate.key)
    return context


@pytest.fixture
def duty(monkeypatch: pytest.MonkeyPatch) -> Iterator[WebServer]:
    """A web server in the place of PagerDuty's."""
    with WebServer() as web:
        monkeypatch.setitem(pagerduty.PAGERDUTY_API_LOOKUP, "us", web.url("/status/202"))
        yield web


def test_pagerduty_resolves_the_incident_that_an_alert_opened(duty: WebServer) -> None:
    for kind in ("opened", "reminder", "recovered"):
        tell("pagerduty://integration@key", kind)

    sent = bodies(duty)
    assert [each["event_action"] for each in sent] == ["trigger", "trigger", "resolve"]
    assert {each["dedup_key"] for each in sent} == {INCIDENT["id"]}
    assert sent[0]["payload"]["severity"] == "error"
    assert "the disk is full" in sent[0]["payload"]["summary"]


def test_pagerduty_has_one_incident_for_a_digest(duty: WebServer) -> None:
    tell("pagerduty://integration@key", "digest", incidents=[INCIDENT, INCIDENT])

    (sent,) = bodies(duty)
    assert (sent["event_action"], sent["dedup_key"][-1]) == ("trigger", "f")


def test_what_the_url_says_to_pagerduty_stays(duty: WebServer) -> None:
    tell("pagerduty://integration@key?severity=info&dedup=mine")

    (sent,) = bodies(duty)
    assert (sent["payload"]["severity"], sent["dedup_key"]) == ("info", "mine")


def test_teams_is_told_through_its_workflow(tls: ssl.SSLContext) -> None:
    with WebServer(tls) as web:
        tell(f"workflows://127.0.0.1:{web.port}/workflow/signature/")

    (seen,) = web.seen
    assert seen.path.startswith("/workflows/workflow/triggers/manual/paths/invoke")
    assert "the disk is full" in seen.body


class Mailbox:
    """Takes all mail that comes, except to who has gone."""

    def __init__(self) -> None:
        self.mails: list[Message] = []
        self.logins: list[LoginPassword] = []
        self.sessions: list[SMTP] = []

    def is_idle(self) -> bool:
        """Whether every connection has been closed, from both sides."""
        return all(session.transport is None for session in self.sessions)

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Any, address: str, _options: Any
    ) -> str:
        if address.startswith("gone@"):
            return "550 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:  # noqa: N802
        self.mails.append(message_from_bytes(envelope.content, policy=default))
        return "250 OK"

    def authenticate(
        self, _server: Any, _session: Any, _envelope: Any, _mechanism: str, found: Any
    ) -> AuthResult:
        self.logins.append(cast("LoginPassword", found))
        is_good = found == LoginPassword(USER.encode(), PASSWORD.encode())
        return AuthResult(success=is_good)


class MailServer(Controller):
    """Remembers the connections of its mailbox."""

    def factory(self) -> SMTP:
        session = SMTP(self.handler, **self.SMTP_kwargs)
        self.handler.sessions.append(session)
        return session


@pytest.fixture
def box() -> Mailbox:
    return Mailbox()


@pytest.fixture
def mail_port(box: Mailbox, tls: ssl.SSLContext) -> Iterator[int]:
    """A mail server that takes mail only after STARTTLS and a login."""
    port = free_port()
    controller = MailServer(
        box,
        hostname="127.0.0.1",
        port=port,
        tls_context=tls,
        require_starttls=True,
        authenticator=box.authenticate,
        auth_required=True,
    )
    controller.start()
    yield port
    eventually(box.is_idle)  # a connection that is open when its loop stops is never closed
    controller.stop()


def mail_url(port: int, *, password: str = "a%20secret%20%26%20more", to: str = "b@x.org") -> str:
    return f"smtp://{USER}:{password}@127.0.0.1:{port}/?from=a@x.org&to={to}"


def test_mail_is_encrypted_before_the_password_is_sent(box: Mailbox, mail_port: int) -> None:
    tell(mail_url(mail_port))

    assert [mail["Subject"] for mail in box.mails] == [f"[rota] {INCIDENT['title']}"]
    assert len(box.logins) == 1


def test_a_mail_has_the_id_of_its_message(box: Mailbox, mail_port: int) -> None:
    for _ in range(2):
        tell(mail_url(mail_port))

    assert {mail["Message-ID"] for mail in box.mails} == {
        "<01a1f1a2-0000-7000-8000-00000000000f@rota>"
    }


def test_a_wrong_password_is_an_error_that_does_not_show_it(mail_port: int) -> None:
    with pytest.raises(MailNotSent) as error:
        tell(mail_url(mail_port, password="wrong-one"))

    assert "wrong-one" not in str(error.value)


def test_a_mail_that_one_of_its_receivers_did_not_get_is_not_sent(
    box: Mailbox, mail_port: int
) -> None:
    with pytest.raises(MailNotSent, match=r"refused gone@x\.org"):
        tell(mail_url(mail_port, to="b@x.org,gone@x.org"))

    assert len(box.mails) == 1


def test_a_mail_server_that_nobody_vouches_for_gets_no_password(
    box: Mailbox, mail_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_FILE")

    with pytest.raises(RotaError, match="certificate verify failed"):
        tell(mail_url(mail_port))

    assert box.logins == []
