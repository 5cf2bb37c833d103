"""Finding a Chromium: that of the machine, since playwright's own builds come from elsewhere."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
"""Root has no sandbox, containers have little shared memory and no screen."""


class ChromiumMissing(RuntimeError):
    """There is no Chromium on this machine."""


def find_chromium() -> str:
    """The program; `ROTA_CHROMIUM` may name another one."""
    named = os.environ.get("ROTA_CHROMIUM")
    found = next(filter(None, map(shutil.which, (named,) if named else NAMES)), None)
    if found is None:
        raise ChromiumMissing(
            f"{named or 'Chromium'} is missing; install it with: sudo apt-get install chromium"
        )
    return found
