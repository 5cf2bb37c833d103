"""Sends one message over one channel; a new kind of channel is a file and a row here."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple

import msgspec

from rota.model.alerts.channel import AlertChannel, ChannelKind
from rota.rules.alerts.checks import filled, kind_of

_facts = msgspec.json.Decoder(dict[str, Any])
_SENDERS: Mapping[ChannelKind, str] = {
    "webhook": "rota.runtime.alerts.webhook",
    "slack": "rota.runtime.alerts.slack",
    "email": "rota.runtime.alerts.mail",
    "apprise": "rota.runtime.alerts.apprise",
}
"""The module of each sender, imported at the first message: most workers never send one."""


class Outgoing(NamedTuple):
    """A message with what its sender needs."""

    id: str
    payload: str
    """A JSON object; see docs/alerts.md."""
    url: str
    secret: str | None
    allow_private: bool

    @property
    def facts(self) -> dict[str, Any]:
        """The payload, decoded."""
        return _facts.decode(self.payload)


def send(message_id: str, payload: str, channel: AlertChannel, *, allow_private: bool) -> None:
    """Send once; RotaError or OSError says why it did not arrive."""
    environment = dict(os.environ)
    url = filled(channel.url, environment)
    secret = None if channel.secret is None else filled(channel.secret, environment)
    kind = kind_of(msgspec.structs.replace(channel, url=url))
    module = import_module(_SENDERS[kind])
    sender: Callable[[Outgoing], None] = module.send
    sender(Outgoing(message_id, payload, url, secret, allow_private))
