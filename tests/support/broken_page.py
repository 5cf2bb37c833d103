"""One broken page in a SQLite file, as a bad disk leaves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import apsw

PAGE = 4096


def break_page_of_history(path: Path) -> int:
    """Overwrite the begin of a leaf with zeros and return its number; the file must be closed."""
    with apsw.Connection(str(path)) as connection:
        connection.execute("pragma wal_checkpoint(truncate)")
        root: Any = connection.execute(
            "select rootpage from sqlite_master where name = 'rota_run_history'"
        ).fetchall()[0][0]
    connection.close()
    with path.open("r+b") as file:
        page = _a_leaf_below(file.read(), int(root))
        file.seek((page - 1) * PAGE)
        file.write(b"\xff" * 64)
    return page


def _a_leaf_below(file: bytes, root: int) -> int:
    """Return the last child of an inner page of a table."""
    at = (root - 1) * PAGE
    assert file[at] == 5, "the table has more than one page"
    return int.from_bytes(file[at + 8 : at + 12])
