"""SQLite files of 0.1.0, whose tables had no prefix: known by their migrations, then renamed.

A user's own tables are in the same file. Only tables of the applied migrations are renamed, and
only if the table `migration` holds what 0.1.0 wrote there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from rota.errors import SchemaMismatch

PREFIX = "rota_"
# What 0.1.0 wrote into its table `migration` on SQLite: digests of texts without the prefix.
DIGESTS = {
    1: "c9939fd0fff22c98",
    2: "93b238c791b25ba4",
    3: "c788c526ec39bb77",
    4: "98e49978f3abccf5",
    5: "33a90ea7d1700d9a",
    6: "c56801ceac7d3ac0",
    7: "7d480a5748b25bd8",
    8: "d8d9cae506eb3c68",
    9: "9eba889b88b8811d",
    10: "9462b43ffec33ef4",
    11: "1a5fc4f28992193f",
    12: "dab8aa1d666dfabc",
    13: "f4cc80ea12e3c920",
    14: "bdd9ac9b35727daa",
    15: "9f2f3adeddf3429a",
    16: "7f7dbb19a88c9728",
    17: "5e3011a10a386ec7",
    18: "e3b0c44298fc1c14",
    19: "e3b0c44298fc1c14",
    20: "d80248a8574e5d8b",
    21: "6048e768180ed041",
    22: "e3b0c44298fc1c14",
    23: "504b3a5080f5aa05",
    24: "c11bdb964de2a030",
    26: "c873f40966727b88",
    27: "70c5d64aef135ae3",
    28: "e3b0c44298fc1c14",
    32: "7d998542e12e7218",
    33: "ba1e7688740b3125",
    35: "c0c893f353257929",
}
_COLUMNS = ("number", "name", "digest")
# What keeps 0.1.0 away from a file that was renamed: it reads a schema newer than its own.
_MARK = """
create table migration (number int not null primary key, name text not null, digest text not null);
insert into migration (number, name, digest)
values (40, 'names', 'the tables of Rota are called rota_... since Rota 0.2');
"""
_CHANGES = re.compile(
    r"\bcreate (?:virtual )?(table|(?:unique )?index|trigger|view) (?:if not exists )?(\w+)"
    r"|\balter table (\w+) rename to (\w+)"
    r"|\bdrop (?:table|index|trigger|view) (?:if exists )?(\w+)"
)
_SHADOWS = ("data", "idx", "content", "docsize", "config")


def is_ours(tx: Any) -> bool:
    """Whether the file has Rota's tables by the names of today."""
    return _columns(tx, "rota_migration") == _COLUMNS


def applied_before(tx: Any) -> dict[int, str]:
    """Return the migrations of a file of 0.1.0, with their names there; none for other files.

    SchemaMismatch if some of them are 0.1.0's and others are not.
    """
    if _columns(tx, "migration") != _COLUMNS:
        return {}
    rows = tx.raw("select number, name, digest from migration")
    strange = [row["number"] for row in rows if DIGESTS.get(row["number"]) != row["digest"]]
    if len(strange) == len(rows):
        return {}
    if strange:
        raise SchemaMismatch(
            f"migration {strange[0]} in the database differs from the one in Rota 0.1.0; "
            "the schema was changed by hand or by another build"
        )
    return {row["number"]: row["name"] for row in rows}


def rename(tx: Any, applied: Iterable[int], texts: Mapping[int, str]) -> None:
    """Give the tables, indexes and triggers of the applied migrations their prefix."""
    objects = objects_of(texts[number] for number in sorted(applied))
    olds = {name.removeprefix(PREFIX): kind for name, kind in objects.items()}
    olds["migration"] = "table"
    refuse_clashes(tx, {PREFIX + name for name in olds})
    tables = {name for name, kind in olds.items() if kind == "table"}
    figures = _take_figures(tx, tables)
    for name in sorted(tables):
        _rename_table(tx, name)
    for row in tx.raw("select type, name, sql from sqlite_schema where sql is not null"):
        if row["type"] in ("index", "trigger") and row["name"] in olds.keys() - tables:
            _make_anew(tx, row)
    for table, index, figure in figures:
        tx.raw("insert into sqlite_stat1 (tbl, idx, stat) values (?, ?, ?)", (table, index, figure))
    tx.raw("analyze sqlite_schema")
    tx.script(_MARK)


def objects_of(texts: Iterable[str]) -> dict[str, str]:
    """Return the objects that migrations leave behind: their names, and what each of them is."""
    kinds: dict[str, str] = {}
    for text in texts:
        for match in _CHANGES.finditer(text):
            kind, created, old, new, dropped = match.groups()
            if created:
                kinds[created] = kind.split()[-1]
            elif old:
                kinds[new] = kinds.pop(old)
            else:
                kinds.pop(dropped, None)
    return kinds


def refuse_clashes(tx: Any, names: Iterable[str]) -> None:
    """Raise SchemaMismatch if the file has tables of these names that are not Rota's."""
    names_lower = {name.lower() for name in names}
    if PREFIX + "log_words" in names_lower:
        names_lower |= {f"{PREFIX}log_words_{part}" for part in _SHADOWS}
    rows = tx.raw("select type, name from sqlite_schema order by type desc, name")
    if clashes := [row for row in rows if row["name"].lower() in names_lower]:
        what, name = clashes[0]["type"], clashes[0]["name"]
        article = "an" if what == "index" else "a"
        raise SchemaMismatch(
            f"the file has {article} {what} {name} that Rota did not make, and Rota needs the "
            "name: rename yours, or give Rota a file of its own (names that begin with "
            f"{PREFIX} are for Rota)"
        )


def _columns(tx: Any, table: str) -> tuple[str, ...]:
    rows = tx.raw("select name from pragma_table_info(?) order by cid", (table,))
    return tuple(row["name"] for row in rows)


def _take_figures(tx: Any, tables: Iterable[str]) -> list[tuple[str, str | None, str]]:
    """Remove and return the planner's statistics of these tables, as read for their new names."""
    if not tx.raw("select 1 from sqlite_schema where name = 'sqlite_stat1'"):
        return []
    figures: list[tuple[str, str | None, str]] = []
    for table in sorted(tables):
        rows = tx.raw("select idx, stat from sqlite_stat1 where tbl = ?", (table,))
        figures += [(PREFIX + table, _renamed_index(row["idx"]), row["stat"]) for row in rows]
        tx.raw("delete from sqlite_stat1 where tbl = ?", (table,))
    return figures


def _renamed_index(name: str | None) -> str | None:
    own = "sqlite_autoindex_"
    if name is None:
        return None
    return own + PREFIX + name.removeprefix(own) if name.startswith(own) else PREFIX + name


def _rename_table(tx: Any, name: str) -> None:
    from apsw import SQLError  # noqa: PLC0415  # drivers are imported by who needs them

    try:
        tx.raw(f"alter table {name} rename to {PREFIX}{name}")
    except SQLError as error:
        raise SchemaMismatch(
            f"table {name} cannot be renamed to {PREFIX}{name}: {error}; mend that first"
        ) from error


def _make_anew(tx: Any, row: Mapping[str, str]) -> None:
    """Drop an index or a trigger and make it anew: SQLite cannot rename them."""
    text = re.sub(
        rf"(?i)\b({row['type']}\s+)\W?{row['name']}\b\W?",
        rf"\1{PREFIX}{row['name']} ",
        row["sql"],
        count=1,
    )
    tx.raw(f"drop {row['type']} {row['name']}")
    tx.raw(text)
