"""Apprise: Teams, PagerDuty, Telegram and a hundred more, through the package of that name."""

from __future__ import annotations

from typing import Any

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
    if not _service(message.url).notify(
        title=facts["title"],
        body=text_of(facts),
        notify_type="success" if is_over else TYPES.get(facts["severity"], "info"),
    ):
        raise NotNotified(f"{scheme}:// did not take the message")


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
