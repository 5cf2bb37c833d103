"""Migrations: numbered, shared by both dialects, applied under a lock, printable.

A database that is newer than this code is refused; an older one is brought forward.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, NamedTuple

from rota.errors import SchemaMismatch
from rota.store.statements import Dialect, expand

_FOLDER = Path(__file__).parent / "migrations"
_NAME = re.compile(r"^(\d{4})_(\w+)\.sql$")

TABLE = """
create schema if not exists rota;
create table if not exists rota.migration (
    number     int not null primary key,
    name       text not null,
    digest     text not null
);
"""


class Migration(NamedTuple):
    """One step of the schema, as text for one dialect."""

    number: int
    name: str
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def migrations(dialect: Dialect) -> list[Migration]:
    """All steps in order; a dialect's own part follows the shared one."""
    steps = []
    for path in sorted(_FOLDER.glob("*.sql")):
        if match := _NAME.match(path.name):
            own = path.with_name(f"{path.stem}.{dialect.name}.sql")
            text = path.read_text() + (own.read_text() if own.exists() else "")
            steps.append(Migration(int(match[1]), match[2], expand(text, dialect)))
    return steps


def printable(dialect: Dialect) -> str:
    """The whole schema as a script for people who apply it themselves."""
    parts = [bootstrap(dialect).strip()]
    for step in migrations(dialect):
        parts.append(f"-- {step.number:04d} {step.name}\n{step.text}")
        parts.append(_note(step, dialect))
    return "\n\n".join(parts) + "\n"


def bootstrap(dialect: Dialect) -> str:
    """What must be there before the first migration."""
    text = TABLE if dialect.schema else TABLE.replace("create schema if not exists rota;", "")
    return expand(text, dialect)


def migrate(tx: Any, dialect: Dialect) -> list[str]:
    """Bring the schema forward inside one transaction; returns the names of new steps."""
    tx.script(bootstrap(dialect))
    known = {step.number: step for step in migrations(dialect)}
    applied = {row["number"]: row for row in tx.all("list_migrations")}
    check(applied, known)
    fresh = [step for number, step in sorted(known.items()) if number not in applied]
    for step in fresh:
        tx.script(step.text)
        tx.script(_note(step, dialect))
    return [f"{step.number:04d}_{step.name}" for step in fresh]


def check(applied: dict[int, Any], known: dict[int, Migration]) -> None:
    """Refuse a schema that this code cannot work with."""
    newer = sorted(set(applied) - set(known))
    if newer:
        raise SchemaMismatch(
            f"the database has schema {newer[-1]}, this Rota knows up to {max(known)}; "
            "upgrade Rota on this machine"
        )
    for number, row in applied.items():
        if row["digest"] != known[number].digest:
            raise SchemaMismatch(
                f"migration {number} in the database differs from the one in this Rota; "
                "the schema was changed by hand or by another build"
            )


def _note(step: Migration, dialect: Dialect) -> str:
    return expand(
        "insert into rota.migration (number, name, digest) "
        f"values ({step.number}, '{step.name}', '{step.digest}');",
        dialect,
    )
