"""Alert channels in files: they hold no secrets, and neither does a plan of their changes."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from msgspec.structs import replace

from rota.errors import BadOption
from rota.model.alerts.channel import AlertChannel
from rota.model.jobs.apply_plan import FieldChange
from rota.rules.alerts.checks import check_channel, kind_of, shown_url, variables_in

HIDDEN = "hidden"
_VARIABLE = re.compile(r"\$\{\w+\}")


def check_file_channel(channel: AlertChannel) -> AlertChannel:
    """Return the channel; BadOption if it has a secret that is not a `${NAME}`."""
    check_channel(channel)
    if channel.secret is not None and not _VARIABLE.fullmatch(channel.secret):
        raise BadOption("secret: a file holds no secrets; write ${NAME}, a variable")
    if kind_of(channel) in ("slack", "apprise") and not variables_in(channel.url):
        raise BadOption("url: a file holds no secrets; write ${NAME} for the key in this address")
    _, at, _ = channel.url.partition("://")[2].partition("/")[0].rpartition("@")
    password = urlsplit(_VARIABLE.sub("", channel.url)).password if at else None
    if password:
        raise BadOption("url: a file holds no secrets; write ${NAME} for the password")
    return channel


def shown_change(
    old: AlertChannel | None, new: AlertChannel
) -> tuple[AlertChannel | None, AlertChannel, tuple[FieldChange, ...]]:
    """Return both without their secrets, and a change of what is not shown of them."""
    if old is None:
        return None, _shown(new), ()
    hidden = tuple(
        FieldChange(field=field, old=HIDDEN, new=HIDDEN)
        for field in ("url", "secret")
        if getattr(old, field) != getattr(new, field)
        and getattr(_shown(old), field) == getattr(_shown(new), field)
    )
    return _shown(old), _shown(new), hidden


def _shown(channel: AlertChannel) -> AlertChannel:
    secret = None if channel.secret is None else HIDDEN
    return replace(channel, url=shown_url(channel), secret=secret)
