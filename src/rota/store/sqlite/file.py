"""The file of a SQLite store: made for its owner only, with facts from the operating system."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from rota.store.sqlite.file_guard import by_ourselves

_MOUNTS = Path("/proc/self/mounts")


def make_private(path: Path) -> None:
    """Make a missing file, for its owner only; SQLite gives its log the same mode.

    An existing file stays as it is. It is not opened: to close it would drop the locks of all
    connections that this process has to it.
    """
    target = Path(os.path.realpath(path))  # a link may lead to nothing yet
    if path.name == ":memory:" or target.exists():
        return
    with suppress(FileExistsError):
        try:
            os.mknod(target, stat.S_IFREG | 0o600)
        except PermissionError:  # some systems let only root do that
            with by_ourselves():
                os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def file_facts(log: Path) -> dict[str, str | int]:
    """Return bytes in the write-ahead log, bytes free on its disk, file system if known."""
    disk = os.statvfs(log.parent)
    facts: dict[str, str | int] = {
        "wal_bytes": log.stat().st_size if log.exists() else 0,
        "free_bytes": disk.f_bavail * disk.f_frsize,
    }
    kind = file_system(log)
    return facts | ({"file_system": kind} if kind else {})


def file_system(path: Path, mounts: str | None = None) -> str | None:
    """Return the type of the file system that holds the path: that of the longest mount."""
    try:
        text = _MOUNTS.read_text() if mounts is None else mounts
    except OSError:
        return None
    mounted = [line.split()[1:3] for line in text.splitlines()]
    # The last of equals counts: it was mounted over the others.
    above = [
        (len(at), number, kind) for number, (at, kind) in enumerate(mounted) if _holds(at, path)
    ]
    return max(above)[2] if above else None


def _holds(mount: str, path: Path) -> bool:
    return path.resolve().is_relative_to(mount.encode().decode("unicode_escape"))
