"""Alert channels: a way to reach people, as one URL."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.clock import Moment
from rota.model.view import View

ChannelKind = Literal["webhook", "email", "slack", "apprise"]


class AlertChannel(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A channel; `${NAME}` in it is a variable of the environment of the process that sends."""

    url: str
    """`https://...` posts JSON, `smtp://user:password@host:587/?from=A&to=B` sends e-mail, a URL of
    hooks.slack.com posts to Slack; any other scheme is one of Apprise."""
    secret: str | None = None
    """The key that signs the messages of a webhook."""
    note: str = ""


class AlertChannelView(View, frozen=True):
    """A channel as people see it: its secrets are left out."""

    name: str
    kind: ChannelKind
    url: str
    """Without passwords, tokens and paths that may hold them."""
    is_signed: bool
    note: str
    waiting: int
    """The number of messages that are still to be sent."""
    sent_at: Moment | None
    """The time of the last message that arrived."""
    failed_at: Moment | None
    """The time of the last try that failed, if none arrived since."""
    error: str | None
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""
