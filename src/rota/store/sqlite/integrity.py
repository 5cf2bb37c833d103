"""Reads the pages of a SQLite file, to check whether they still hold together."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw

from rota.clock import elapsed_s
from rota.rules.insight.integrity import Integrity

QUICK_S = 10.0
"""The limit for a check that nobody expects to take long; 1 GB takes about two seconds."""
MOST = 20
STEPS = 20_000
"""Steps of SQLite's virtual machine between checks of the clock: about a millisecond."""


def examine_pages(path: Path, *, deep: bool) -> Integrity:
    """Check all pages of tables and indexes; `deep` also compares each index with its table.

    On a connection of its own, besides the normal work.
    """
    with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        return _examine(connection, path, deep=deep)


def _examine(connection: apsw.Connection, path: Path, *, deep: bool) -> Integrity:
    pragma = "integrity_check" if deep else "quick_check"
    end_s = elapsed_s() + QUICK_S
    if not deep:
        connection.set_progress_handler(lambda: elapsed_s() > end_s, STEPS)
    looked_at = f"{path.name} ({pragma})"
    lines: list[str] = []
    is_whole = True
    try:
        for row in connection.execute(f"pragma {pragma}({MOST})"):
            lines += str(row[0]).splitlines()
    except apsw.InterruptError:
        is_whole = False
    except (apsw.CorruptError, apsw.NotADBError, apsw.IOError) as error:
        lines.append(str(error))  # after the problems found so far
    finally:
        connection.set_progress_handler(None)
    problems = [_plain(each) for each in lines if each != "ok"]
    return Integrity(looked_at, problems=tuple(problems), is_whole=is_whole)


def _plain(text: str) -> str:
    return text.removeprefix("*** in database main ***").strip() or "the file is broken"
