"""The time zone this machine is set to, as a name."""

from __future__ import annotations

import os
from pathlib import Path

LINK = Path("/etc/localtime")
NAME = Path("/etc/timezone")


def machine_zone() -> str:
    """Return the zone of TZ, /etc/timezone or the target of /etc/localtime; otherwise UTC."""
    from rota.errors import BadInput
    from rota.rules.schedules.zones import zone

    for name in (os.environ.get("TZ", "").removeprefix(":"), _written(), _linked()):
        try:
            if name:
                return zone(name).name
        except BadInput:
            continue
    return "UTC"


def _written() -> str:
    try:
        return NAME.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def _linked() -> str:
    try:
        return str(LINK.resolve()).partition("zoneinfo/")[2]
    except OSError:
        return ""
