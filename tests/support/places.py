"""Folders for what tests throw away: in memory where there is enough of it.

Making a database of PostgreSQL makes 500 files. That took 0.3 s of a core on a disk, mostly in the
file system, and 0.02 s in memory; a commit of SQLite waits for a disk, too.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path

import psutil

MEMORY = Path("/dev/shm")
ENOUGH = 4 * 2**30


@cache
def quick_folder() -> Path:
    """Return a folder for files that need not outlive the machine."""
    return MEMORY if _is_roomy(MEMORY) else Path(tempfile.gettempdir())


def _is_roomy(folder: Path) -> bool:
    """Whether a folder has room: containers often have 64 MB there, or forbid programs in it."""
    try:
        facts = os.statvfs(folder)
    except OSError:
        return False
    free = min(facts.f_bavail * facts.f_frsize, psutil.virtual_memory().available)
    return free >= ENOUGH and not facts.f_flag & os.ST_NOEXEC and os.access(folder, os.W_OK)
