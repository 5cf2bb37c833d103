"""The default actor in the audit: the user of this process on this machine."""

from __future__ import annotations

import getpass
import os
import socket


def whoami() -> str:
    """Return `ann@host`; a container without a name for its user gives `uid1000@host`."""
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        user = f"uid{os.getuid()}"
    return f"{user}@{socket.gethostname()}"
