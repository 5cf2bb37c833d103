"""Opening a store by its address; `kinds` says which database that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rota.errors import (
    BadOption,
    NotAllowed,
    RightMissing,
    SchemaMismatch,
)
from rota.store.kinds import BY_NAME, Opening, dialect_named, kind_of
from rota.store.migrate import Migration, beyond, check, migrate, migrations, noted, printable

if TYPE_CHECKING:
    from rota.rules.insight.integrity import Integrity
    from rota.store.postgres.store import PostgresStore
    from rota.store.sqlite.store import SqliteStore

T = TypeVar("T")


_forbidden: list[str] = []


def forbid(reason: str) -> None:
    """Forbid this process to open stores from now on; NotAllowed gives the reason.

    For workers without a database: a handler that submits must not make an empty file instead.
    """
    _forbidden[:] = [reason]


def dialect_of(url: str) -> str:
    """Return `sqlite` or `postgres`; BadUrl names the addresses that work."""
    return kind_of(url).name


def file_of(url: str) -> Path | None:
    """Return the file that a SQLite address means; None when the store is a server."""
    return kind_of(url).opening.file_of(url)


def open_store(
    url: str, *, clock: Callable[[], int] | None = None, upgrade: bool = True
) -> SqliteStore | PostgresStore:
    """Connect and make sure that the schema fits; `upgrade=False` only checks."""
    store = connect(url, clock=clock)
    try:
        if upgrade:
            upgrade_schema(store)
        else:
            check_schema(store)
        store.know_login()
    except BaseException:
        store.close()
        raise
    return store


def upgrade_schema(store: SqliteStore | PostgresStore) -> list[str]:
    """Apply missing steps, under a lock; return the names of new steps."""
    if not pending(store):
        return []
    opening = BY_NAME[store.dialect].opening
    try:
        names: list[str] = opening.change(store, lambda tx: _migrate(tx, opening))
    except RightMissing as error:
        raise SchemaMismatch(
            f"the database lacks {', '.join(pending(store))}, and this login may not change it"
            f" ({error}); run `rota db migrate` as the owner of the tables"
        ) from error
    store.rotate(keep_good_ms=7 * 86_400_000, keep_bad_ms=30 * 86_400_000)
    return names


def pending(store: SqliteStore | PostgresStore) -> list[str]:
    """Return the names of steps that this code has and the database lacks.

    SchemaMismatch if the database has newer ones that code as old as this cannot work with.
    """
    steps = {step.number: step for step in migrations(dialect_named(store.dialect))}
    applied = store.read(lambda tx: _applied(tx, steps, store.dialect))
    check(applied, steps)
    return [f"{n:04d}_{steps[n].name}" for n in sorted(set(steps) - set(applied))]


def newer_schema(store: SqliteStore | PostgresStore) -> int | None:
    """Return the number of a newer schema that this code can still work with."""
    numbers = {step.number for step in migrations(dialect_named(store.dialect))}
    return next(iter(beyond(store.read(noted), numbers)), None)


def check_schema(store: SqliteStore | PostgresStore) -> None:
    """Refuse to work with a schema that lacks a step of ours, or is too new."""
    if missing := pending(store):
        raise SchemaMismatch(
            f"the database lacks {', '.join(missing)}; run `rota db migrate` first"
        )


def examine_integrity(store: SqliteStore | PostgresStore, *, deep: bool) -> Integrity | None:
    """Read the stored data and check whether it holds together; `deep` takes all the time it needs.

    Return None where only a deep check could tell.
    """
    return BY_NAME[store.dialect].opening.examine(store, deep=deep)


def set_protection(url: str, *, role: str | None = None, is_on: bool = True) -> str | None:
    """Switch row-level security on or off; return the name of the role that servers take on."""
    kind = kind_of(url)
    if not kind.has_logins:
        raise BadOption(f"{kind.title} has no roles: only Rota keeps namespaces apart there")
    from rota.store.postgres.opening import protect, unprotect  # noqa: PLC0415  # few need it

    return as_owner(url, lambda tx: protect(tx, role) if is_on else unprotect(tx))


def as_owner(url: str, work: Callable[[Any], T], *, dry: bool = False) -> T:
    """Change roles and permissions of a database; `dry` rolls everything back."""
    kind = kind_of(url)
    if not kind.has_logins:
        raise BadOption(f"{kind.title} has no logins: who can open the file can do everything")
    store = connect(url)
    try:
        check_schema(store)
        return kind.opening.change(store, lambda tx: _in_savepoint(tx, work, dry=dry))
    finally:
        store.close()


def _in_savepoint(tx: Any, work: Callable[[Any], T], *, dry: bool) -> T:
    tx.script("savepoint work")
    answer = work(tx)
    if dry:
        tx.script("rollback to savepoint work")
    return answer


def schema_script(dialect: str) -> str:
    """Return the whole schema as text."""
    return printable(dialect_named(dialect))


def _applied(tx: Any, known: Mapping[int, Migration], dialect: str) -> dict[int, Any]:
    return noted(tx) or BY_NAME[dialect].opening.applied_before(tx, known)


def _migrate(tx: Any, opening: Opening) -> list[str]:
    names = migrate(tx, opening.DIALECT)
    opening.migrated(tx)
    return names


def connect(url: str, *, clock: Callable[[], int] | None = None) -> SqliteStore | PostgresStore:
    """Connect without a look at the schema; for callers that change or check it."""
    if _forbidden:
        raise NotAllowed(_forbidden[-1])
    return kind_of(url).opening.connect(url, clock=clock)
