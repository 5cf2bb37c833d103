"""Apprise: Teams, PagerDuty, Telegram and a hundred more, through the package of that name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode

from rota.errors import BadOption, RotaError
from rota.rules.alerts.words import text_of
from rota.runtime.alerts.send import Outgoing

TYPES = {"info": "info", "warning": "warning", "error": "failure", "critical": "failure"}


class NotNotified(RotaError):
    """The service did not take the message; it is sent again later."""


def send(message: Outgoing) -> None:
    """Send the message; NotNotified unless the service takes it."""
    facts = message.facts
    is_over = facts["kind"] == "recovered"
    scheme = message.url.partition("://")[0]
    if not _service(with_incident(message.url, facts)).notify(
        title=facts["title"],
        body=text_of(facts),
        notify_type="success" if is_over else TYPES.get(facts["severity"], "info"),
    ):
        raise NotNotified(f"{scheme}:// did not take the message")


def with_incident(url: str, facts: Mapping[str, Any]) -> str:
    """Return the URL, for PagerDuty with the incident: what opens it resolves it when it is over.

    Parts that somebody has written into the URL stay as they are.
    """
    if url.partition("://")[0] != "pagerduty":
        return url
    incidents = facts["incidents"]
    one = incidents[0]["id"] if len(incidents) == 1 else facts["id"]
    own = {"action": "map", "dedup": one, "severity": facts["severity"]}
    query = parse_qs(url.partition("?")[2])
    more = urlencode({name: value for name, value in own.items() if name not in query})
    return f"{url}{'&' if '?' in url else '?'}{more}"


def _service(url: str) -> Any:
    try:
        import apprise  # noqa: PLC0415
    except ImportError as error:
        scheme = url.partition("://")[0]
        raise BadOption(f"{scheme}:// needs the package apprise: install rota[alerts]") from error
    service = apprise.Apprise()
    if not service.add(url):
        raise BadOption(f"{url.partition('://')[0]}:// is not a URL that Apprise knows")
    return service
