"""Slack: a message to an incoming webhook of Slack, as text."""

from __future__ import annotations

import msgspec

from rota.rules.alerts.words import text_of
from rota.runtime.alerts.send import Outgoing
from rota.runtime.chores.webhook import post

MARKS = {"critical": ":rotating_light:", "error": ":red_circle:", "warning": ":warning:"}
OVER = ":white_check_mark:"


def send(message: Outgoing) -> None:
    """Post the message; raises NotDelivered unless Slack takes it."""
    body = msgspec.json.encode({"text": text(message)})
    post(message.url, body, key=message.id, allow_private=message.allow_private)


def text(message: Outgoing) -> str:
    """Return the text with the few characters escaped that Slack reads as markup."""
    facts = message.facts
    mark = OVER if facts["kind"] == "recovered" else MARKS.get(facts["severity"], "")
    return f"{mark} *{_plain(facts['title'])}*\n{_plain(text_of(facts))}".strip()


def _plain(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
