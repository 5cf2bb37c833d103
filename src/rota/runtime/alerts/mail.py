"""E-mail: a message over SMTP, encrypted where the server can."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import format_datetime
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urlsplit

from rota.clock import read_moment
from rota.errors import BadOption, RotaError
from rota.rules.alerts.words import text_of
from rota.runtime.alerts.send import Outgoing

TIMEOUT_S = 10.0
PORTS = {"smtp": 587, "smtps": 465}
MAX_SUBJECT = 200


class MailNotSent(RotaError):
    """The mail server did not take the message; it is sent again later."""


class MailServer(NamedTuple):
    """A mail server and the two ends of a message, as the URL of a channel says them."""

    host: str
    port: int
    is_tls: bool
    user: str | None
    password: str | None
    sender: str
    receivers: tuple[str, ...]


def send(message: Outgoing) -> None:
    """Send the message; MailNotSent unless the server takes it for all receivers."""
    server = read_server(message.url)
    mail = compose(message, server)
    try:
        with _connected(server) as smtp:
            if server.user is not None:
                smtp.login(server.user, server.password or "")
            refused = smtp.send_message(mail)
    except (smtplib.SMTPException, ssl.SSLError) as error:
        raise MailNotSent(f"{server.host}: {error}") from error
    if refused:
        raise MailNotSent(f"{server.host} refused {', '.join(sorted(refused))}")


def read_server(url: str) -> MailServer:
    """Return the server and the addresses in a URL; BadOption if one is missing."""
    address = urlsplit(url)
    query = parse_qs(address.query)
    receivers = tuple(each.strip() for part in query.get("to", ()) for each in part.split(","))
    sender = next(iter(query.get("from", ())), "")
    if not address.hostname or not sender or not any(receivers):
        raise BadOption("the URL of an e-mail channel needs a host, from= and to=")
    return MailServer(
        host=address.hostname,
        port=address.port or PORTS[address.scheme],
        is_tls=address.scheme == "smtps",
        user=None if address.username is None else unquote(address.username),
        password=None if address.password is None else unquote(address.password),
        sender=sender,
        receivers=receivers,
    )


def compose(message: Outgoing, server: MailServer) -> EmailMessage:
    """Return the mail; its id is that of the message, so that a second copy can be told."""
    facts = message.facts
    mail = EmailMessage()
    mail["From"] = server.sender
    mail["To"] = ", ".join(server.receivers)
    mail["Subject"] = f"[rota] {facts['title']}"[:MAX_SUBJECT]
    mail["Date"] = format_datetime(read_moment(facts["at"]))
    mail["Message-ID"] = f"<{message.id}@rota>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(f"{facts['title']}\n\n{text_of(facts)}\n")
    return mail


def _connected(server: MailServer) -> smtplib.SMTP:
    context = ssl.create_default_context()
    if server.is_tls:
        return smtplib.SMTP_SSL(server.host, server.port, timeout=TIMEOUT_S, context=context)
    smtp = smtplib.SMTP(server.host, server.port, timeout=TIMEOUT_S)
    try:
        _encrypt(smtp, server, context)
    except BaseException:
        smtp.close()
        raise
    return smtp


def _encrypt(smtp: smtplib.SMTP, server: MailServer, context: ssl.SSLContext) -> None:
    """Encrypt the connection; MailNotSent if it cannot be and a password would be sent."""
    smtp.ehlo()
    if smtp.has_extn("starttls"):
        smtp.starttls(context=context)
        smtp.ehlo()
    elif server.user is not None:
        raise MailNotSent(f"{server.host} offers no encryption, and the channel has a password")
