"""Inotify: watches of the Linux kernel on files and folders, which the standard library lacks."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

_CLOEXEC = 0o2000000
MODIFY = 0x2
CREATE, DELETE, MOVED = 0x100, 0x200, 0xC0
DELETE_SELF, MOVE_SELF = 0x400, 0x800


def watched(*places: tuple[Path, int]) -> tuple[int, list[int]] | None:
    """Return a descriptor for these kinds of events, and the number of each watch.

    None where the system has no watches, or none to spare.
    """
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    handle: int = libc.inotify_init1(_CLOEXEC)
    if handle < 0:
        return None
    numbers = [libc.inotify_add_watch(handle, os.fsencode(path), kinds) for path, kinds in places]
    if min(numbers) < 0:
        os.close(handle)
        return None
    return handle, numbers
