"""Migrations: numbered, shared by both dialects, applied under a lock, printable.

Each names the code that can live with it: the number of the oldest schema whose code reads and
writes the new one rightly. A database that is newer than this code is used as long as its steps
allow it (ADR 41); an older one is brought forward.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from rota.errors import SchemaMismatch
from rota.store.sqlite.legacy_names import (
    applied_before,
    is_ours,
    objects_of,
    refuse_clashes,
    rename,
)
from rota.store.statements import Dialect, expand

_FOLDER = Path(__file__).parent / "migrations"
_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")
_MARK = re.compile(r"^-- readable from: (\d+)$", re.MULTILINE)

FIRST = 35
"""The schema of 0.1.0, whose code refuses every step in `migration` that it does not know.

A later step is in that table only if that code must not go on; all are in `schema_step`.
"""
_OWN_NAME = re.compile(r"\b((?:create|drop) (?:unique )?(?:index|trigger) )(?!rota_)(\w+)")

TABLE = """
create schema if not exists rota;
create table if not exists rota.migration (
    number     int not null primary key,
    name       text not null,
    digest     text not null
);
create table if not exists rota.schema_step (
    number        int not null primary key,
    name          text not null,
    digest        text not null,
    readable_from int not null
);
"""


class Migration(NamedTuple):
    """One step of the schema, as text for one dialect."""

    number: int
    name: str
    text: str
    readable_from: int
    """The oldest schema whose code can work with a database that has this step."""

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def migrations(dialect: Dialect) -> list[Migration]:
    """Return all steps in order; a dialect's own part follows the shared one."""
    steps = []
    for path in sorted(_FOLDER.glob("*.sql")):
        if match := _NAME.match(path.name):
            own = path.with_name(f"{path.stem}.{dialect.name}.sql")
            text = path.read_text() + (own.read_text() if own.exists() else "")
            number, sql = int(match[1]), _prefix(expand(text, dialect), dialect)
            steps.append(Migration(number, match[2], sql, readable_from(text, number)))
    return steps


def readable_from(text: str, number: int) -> int:
    """Return the schema that a migration is readable from; without a mark, its own number."""
    marks = [int(mark) for mark in _MARK.findall(text)]
    return max(marks) if marks else number


def _prefix(text: str, dialect: Dialect) -> str:
    """Prefix names of indexes and triggers in a dialect without schemas."""
    if dialect.schema == "rota.":
        return text
    return _OWN_NAME.sub(lambda match: match[1] + dialect.schema + match[2], text)


def printable(dialect: Dialect) -> str:
    """Return the whole schema as a script for people who apply it themselves."""
    parts = [bootstrap(dialect).strip()]
    for step in migrations(dialect):
        parts.append(f"-- {step.number:04d} {step.name}\n{step.text}")
        parts.append(_note(step, dialect))
    return "\n\n".join(parts) + "\n"


def bootstrap(dialect: Dialect) -> str:
    """Return the statements that must run before the first migration."""
    text = (
        TABLE
        if dialect.schema == "rota."
        else TABLE.replace("create schema if not exists rota;", "")
    )
    return expand(text, dialect)


def migrate(tx: Any, dialect: Dialect) -> list[str]:
    """Bring the schema forward inside one transaction; return the names of new steps."""
    steps = {step.number: step for step in migrations(dialect)}
    if dialect.name == "sqlite":
        _make_room(tx, steps)
    tx.script(bootstrap(dialect))
    applied = noted(tx)
    check(applied, steps)
    fresh = [step for number, step in sorted(steps.items()) if number not in applied]
    if dialect.name == "sqlite":
        refuse_clashes(tx, objects_of(step.text for step in fresh))
    for step in fresh:
        tx.script(step.text)
        tx.script(_note(step, dialect))
    return [f"{step.number:04d}_{step.name}" for step in fresh]


def _make_room(tx: Any, migrations: Mapping[int, Migration]) -> None:
    """Rename the tables of a 0.1.0 file; refuse a stranger's table with a name of ours."""
    if is_ours(tx):
        return
    if before := applied_before(tx):
        rename(tx, before, {number: step.text for number, step in migrations.items()})
        for number in before:
            tx.raw(
                "update rota_migration set digest = ? where number = ?",
                (migrations[number].digest, number),
            )
    else:
        refuse_clashes(tx, ["rota_migration", "rota_schema_step"])


def noted(tx: Any) -> dict[int, Any]:
    """Return the steps that the database has, by number; none where there is no schema yet."""
    there = tx.one("has_schema")
    rows = tx.all("list_migrations") if there["is_there"] else []
    if there["has_steps"]:
        rows += tx.all("list_steps")
    return {row["number"]: row for row in rows}


def check(applied: dict[int, Any], migrations: dict[int, Migration]) -> None:
    """Refuse a schema that this code cannot work with; newer steps may allow older code."""
    ours = max(migrations)
    for number in beyond(applied, migrations):
        if (applied[number]["readable_from"] or number) > ours:
            raise SchemaMismatch(
                f"the database has schema {number}, this Rota knows up to {ours}; "
                "upgrade Rota on this machine"
            )
    for number, row in applied.items():
        if number in migrations and row["digest"] != migrations[number].digest:
            raise SchemaMismatch(
                f"migration {number} in the database differs from the one in this Rota; "
                "the schema was changed by hand or by another build"
            )


def beyond(applied: Iterable[int], numbers: Iterable[int]) -> list[int]:
    """Return the steps of newer code, the newest first."""
    return sorted(set(applied) - set(numbers), reverse=True)


def _note(step: Migration, dialect: Dialect) -> str:
    facts = f"{step.number}, '{step.name}', '{step.digest}'"
    notes = []
    if step.number <= FIRST or step.readable_from > FIRST:
        notes.append(f"insert into rota.migration (number, name, digest) values ({facts});")
    if step.number > FIRST:
        notes.append(
            "insert into rota.schema_step (number, name, digest, readable_from) "
            f"values ({facts}, {step.readable_from});"
        )
    return expand("\n".join(notes), dialect)
