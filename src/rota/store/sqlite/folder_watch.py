"""Whether files of a folder were made, moved or deleted since the last look, told by inotify.

The system notes such a change before the call that makes it returns, so a look that finds nothing
says for certain that each name still leads to the same file. It costs a microsecond; to ask for
three files by their names costs ten, on the way of every commit.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Collection
from pathlib import Path
from struct import Struct

_CLOEXEC, _NONBLOCK = 0o2000000, 0o4000
_CREATE, _DELETE, _MOVED = 0x100, 0x200, 0xC0
_DELETE_SELF, _MOVE_SELF = 0x400, 0x800
_CHANGES = _CREATE | _DELETE | _MOVED | _DELETE_SELF | _MOVE_SELF
_EVENT = Struct("iIII")
"""Watch, kind, cookie, bytes of the name that follows."""
_MANY_BYTES = 64 * 1024


class FolderWatch:
    """Looks at changes of these names; where the system cannot tell, there may always be some."""

    def __init__(self, folder: Path, names: Collection[str]) -> None:
        self._names = {os.fsencode(name) for name in names}
        self._owner = os.getpid()
        self._handle = _watch(folder)

    def has_changed(self) -> bool:
        """Whether one of the names may lead to another file than at the last call."""
        if self._handle is None or self._owner != os.getpid():  # a fork would take our events
            return True
        try:
            events = os.read(self._handle, _MANY_BYTES)
        except BlockingIOError:
            return False
        except OSError:
            return True
        return self._concern_us(events)

    def close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _concern_us(self, events: bytes) -> bool:
        at = 0
        while at < len(events):
            _, kind, _, size = _EVENT.unpack_from(events, at)
            at += _EVENT.size + size
            if not kind & (_CREATE | _DELETE | _MOVED):
                return True  # the folder itself, or more events than the system keeps
            if events[at - size : at].rstrip(b"\0") in self._names:
                return True
        return False


def _watch(folder: Path) -> int | None:
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)
    handle: int = libc.inotify_init1(_CLOEXEC | _NONBLOCK)
    if handle < 0:
        return None
    if libc.inotify_add_watch(handle, os.fsencode(folder), _CHANGES) < 0:
        os.close(handle)
        return None
    return handle
