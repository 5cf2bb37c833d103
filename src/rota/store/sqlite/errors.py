"""Translates errors of apsw for users of a store."""

from __future__ import annotations

from pathlib import Path

import apsw

from rota.errors import StoreLost, StoreRefused, StoreUnavailable

BUSY_MS = 10_000


def lost(path: Path, why: str) -> StoreLost:
    return StoreLost(
        f"the SQLite file {path} is damaged under this process ({why}); nothing is written any "
        "more. Stop all that use it, look with `rota db check`, and put a backup into its place "
        "if needed"
    )


def is_damage(error: Exception) -> bool:
    """Whether pages of the file do not hold together; errors of extensions do not count."""
    if isinstance(error, apsw.CorruptError):
        return getattr(error, "extendedresult", 0) != apsw.SQLITE_CORRUPT_VTAB
    if isinstance(error, apsw.SQLError):
        return str(error).startswith("no such table: rota_")
    return isinstance(error, apsw.NotADBError)


def translated(error: Exception, *, path: Path, is_living: bool = False) -> Exception:
    """Return StoreUnavailable or one of its kinds, with SQLite's own message.

    A store that worked before (`is_living`) and is damaged now is lost.
    """
    if isinstance(error, apsw.BusyError):
        return StoreUnavailable(
            f"the SQLite file {path} was locked by another process for {BUSY_MS // 1000} s"
        )
    if is_living and is_damage(error):
        return lost(path, str(error))
    if isinstance(error, apsw.NotADBError | apsw.CantOpenError | apsw.PermissionsError):
        return StoreRefused(f"cannot use the SQLite file {path}: {error}")
    is_outage = isinstance(error, apsw.Error | OSError)
    if not is_outage or isinstance(error, apsw.ConstraintError | apsw.SQLError):
        return error  # the caller's, or a bug of ours: let it be seen as it is
    return StoreUnavailable(f"cannot use the SQLite file {path}: {error}")
