"""Finding a Chromium: that of the machine, since playwright's own builds come from elsewhere."""

from __future__ import annotations

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = ("--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu")
"""Root has no sandbox, containers have little shared memory and no screen."""
MISSING = "Chromium is missing; install it with: sudo apt-get install chromium"


def find_chromium() -> str | None:
    """The program, if there is one; `ROTA_CHROMIUM` may name another."""
    names = filter(None, (os.environ.get("ROTA_CHROMIUM"), *NAMES))
    return next(filter(None, map(shutil.which, names)), None)
