"""Two SQLite libraries in one process, kept off the same file.

Locks of a file belong to the process: a second copy of SQLite does not see those of the first,
and its close drops them and removes the log. Measured: both write at once, rows vanish (ADR 11).
"""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path
from threading import Lock

from rota.errors import WrongConnection
from rota.store.sqlite.file_guard import SUFFIXES, is_same_library, names
from rota.store.sqlite.file_guard import owned as _owned

_lock = Lock()
_lent: dict[Path, set[int]] = {}


def own(path: Path) -> None:
    """Register a store's file; WrongConnection while a known sqlite3 connection has it open."""
    path = path.resolve()
    with _lock:
        if not is_same_library() and _living(_lent.pop(path, set())):
            raise WrongConnection(f"a sqlite3 connection to {path} is open; {_ADVICE}")
        _owned[path] += 1
        names.update(path.name + suffix for suffix in ("", *SUFFIXES))


def disown(path: Path) -> None:
    with _lock:
        _owned[path.resolve()] -= 1


def lend(path: Path, connection: sqlite3.Connection) -> None:
    """Register a sqlite3 connection to the file; WrongConnection while a store here has it open."""
    path = path.resolve()
    with _lock:
        if not is_same_library() and _owned[path] > 0:
            raise WrongConnection(f"Rota has {path} open in this process; {_ADVICE}")
        _lent.setdefault(path, set()).add(id(connection))


_ADVICE = (
    "Python's sqlite3 is another copy of SQLite, and two of them in one process break each "
    "other's locks. Close the one first, or use a connection of apsw"
)


def _living(ids: set[int]) -> bool:
    """Whether one of these connections is still open; they cannot be watched."""
    if not ids:
        return False
    connections = (each for each in gc.get_objects() if id(each) in ids)
    return any(
        isinstance(each, sqlite3.Connection) and not _is_closed(each) for each in connections
    )


def _is_closed(connection: sqlite3.Connection) -> bool:
    try:
        connection.total_changes  # noqa: B018  # raises when it is closed
    except sqlite3.ProgrammingError as error:
        return "closed" in str(error)
    return False
