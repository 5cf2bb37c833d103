"""Opening a store by its address; the only place that picks a dialect."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from rota.errors import (
    BadOption,
    BadUrl,
    NotAllowed,
    RightMissing,
    RoomsRefused,
    SchemaMismatch,
)
from rota.store.migrate import Migration, beyond, check, migrate, migrations, noted, printable
from rota.store.options import PoolOptions
from rota.store.sqlite.legacy_names import applied_before
from rota.store.statements import Dialect

if TYPE_CHECKING:
    from rota.rules.insight.integrity import Integrity
    from rota.store.postgres.store import PostgresStore
    from rota.store.sqlite.store import SqliteStore

T = TypeVar("T")


_forbidden: list[str] = []
_DIRECT = re.compile(r"[^:/\s]*(:\d+)?(/[^/\s]+)?")


def forbid(reason: str) -> None:
    """Forbid this process to open stores from now on; NotAllowed gives the reason.

    For workers without a database: a handler that submits must not make an empty file instead.
    """
    _forbidden[:] = [reason]


def dialect_of(url: str) -> str:
    """Return `sqlite` or `postgres`; BadUrl names the addresses that work."""
    scheme = urlsplit(url).scheme
    if scheme == "sqlite":
        return "sqlite"
    if scheme in ("postgresql", "postgres"):
        return "postgres"
    raise BadUrl(
        f"cannot open {url!r}: an address starts with sqlite:/// or postgresql://, "
        "for example sqlite:///rota.db"
    )


def file_of(url: str) -> Path | None:
    """Return the file that a SQLite address means; None when the store is a server."""
    return _sqlite_path(url) if dialect_of(url) == "sqlite" else None


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
    dialect = _dialect(store.dialect)
    try:
        names: list[str] = _change(store, lambda tx: _migrate(tx, dialect))
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
    steps = {step.number: step for step in migrations(_dialect(store.dialect))}
    applied = store.read(lambda tx: _applied(tx, steps, store.dialect))
    check(applied, steps)
    return [f"{n:04d}_{steps[n].name}" for n in sorted(set(steps) - set(applied))]


def newer_schema(store: SqliteStore | PostgresStore) -> int | None:
    """Return the number of a newer schema that this code can still work with."""
    numbers = {step.number for step in migrations(_dialect(store.dialect))}
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
    if store.dialect == "sqlite":
        from rota.store.sqlite.integrity import examine_pages  # noqa: PLC0415

        return examine_pages(_sqlite_path(store.url), deep=deep)
    from rota.store.postgres.integrity import examine_indexes  # noqa: PLC0415

    return examine_indexes(store.read, deep=deep)


def set_protection(url: str, *, role: str | None = None, is_on: bool = True) -> str | None:
    """Switch row-level security on or off; return the name of the role that servers take on."""
    if dialect_of(url) == "postgres":
        return as_owner(url, lambda tx: _protect(tx, role) if is_on else _unprotect(tx))
    raise BadOption("SQLite has no roles: only Rota keeps namespaces apart there")


def as_owner(url: str, work: Callable[[Any], T], *, dry: bool = False) -> T:
    """Change roles and permissions of a database; `dry` rolls everything back."""
    if dialect_of(url) != "postgres":
        raise BadOption("SQLite has no logins: who can open the file can do everything")
    store = connect(url)
    try:
        check_schema(store)
        return _change(store, lambda tx: _in_savepoint(tx, work, dry=dry))
    finally:
        store.close()


def _change(store: SqliteStore | PostgresStore, work: Callable[[Any], T]) -> T:
    """Change tables in one transaction; on SQLite it is alone anyway."""
    if store.dialect == "sqlite":
        return store.write(work)
    from rota.store.lock_timeouts import patiently  # noqa: PLC0415

    return patiently(store, work)  # type: ignore[arg-type]  # the other dialect


def _in_savepoint(tx: Any, work: Callable[[Any], T], *, dry: bool) -> T:
    tx.script("savepoint work")
    answer = work(tx)
    if dry:
        tx.script("rollback to savepoint work")
    return answer


def _unprotect(tx: Any) -> None:
    from rota.store.access.row_security import unprotect  # noqa: PLC0415

    unprotect(tx)


def _protect(tx: Any, role: str | None = None) -> str:
    from rota.store.access.logins import refresh  # noqa: PLC0415
    from rota.store.access.row_security import protect  # noqa: PLC0415

    name = protect(tx, role)
    refresh(tx, name)
    return name


def schema_script(dialect: str) -> str:
    """Return the whole schema as text."""
    return printable(_dialect(dialect))


def _applied(tx: Any, known: Mapping[int, Migration], dialect: str) -> dict[int, Any]:
    if applied := noted(tx):
        return applied
    if dialect == "sqlite":
        return {number: {"digest": known[number].digest} for number in applied_before(tx)}
    return {}


def _migrate(tx: Any, dialect: Dialect) -> list[str]:
    names = migrate(tx, dialect)
    if dialect.name == "postgres":
        _protect_if_allowed(tx)
    return names


def _protect_if_allowed(tx: Any) -> None:
    """Give new tables their policies; without permission go on, and `rota doctor` reports it."""
    tx.script("savepoint protection")
    try:
        _protect(tx)
    except RoomsRefused:
        tx.script("rollback to savepoint protection")


# Drivers are imported when a store of that kind is opened: psycopg alone takes 0.2 s and 18 MB,
# which a worker on SQLite and `rota --help` need not pay.


def _dialect(name: str) -> Dialect:
    if name == "sqlite":
        from rota.store.sqlite import dialect as sqlite_dialect  # noqa: PLC0415

        return sqlite_dialect.DIALECT
    from rota.store.postgres import dialect as postgres_dialect  # noqa: PLC0415

    return postgres_dialect.DIALECT


def connect(url: str, *, clock: Callable[[], int] | None = None) -> SqliteStore | PostgresStore:
    """Connect without a look at the schema; for callers that change or check it."""
    if _forbidden:
        raise NotAllowed(_forbidden[-1])
    if dialect_of(url) == "sqlite":
        from rota.store.sqlite.store import SqliteStore  # noqa: PLC0415

        return SqliteStore(url, _sqlite_path(url), clock=clock)
    from rota.store.postgres.store import PostgresStore  # noqa: PLC0415

    conninfo, options = _split_options(url)
    return PostgresStore(url, conninfo, options, clock=clock)


def _sqlite_path(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc or parts.path in ("", "/"):
        raise BadUrl(
            f"cannot open {url!r}: write sqlite:///rota.db for a file here, "
            "sqlite:////var/lib/rota.db for an absolute path"
        )
    return Path(parts.path[1:]).expanduser()


def _split_options(url: str) -> tuple[str, PoolOptions]:
    """Take Rota's own options (`connections=8`, `prepare=off`, `direct=db`) out of an address."""
    parts = urlsplit(url)
    pairs = dict(parse_qsl(parts.query, keep_blank_values=True))
    size = pairs.pop("connections", str(PoolOptions().size))
    if not size.isdigit() or int(size) < 1:
        raise BadUrl(f"connections={size!r} in the address must be a positive number")
    prepare = pairs.pop("prepare", "on")
    if prepare not in ("on", "off"):
        raise BadUrl(f"prepare={prepare!r} in the address must be on or off")
    direct = pairs.pop("direct", None)
    if direct is not None and not _DIRECT.fullmatch(direct):
        raise BadUrl(
            f"direct={direct!r} in the address must name the server behind the pooler: "
            "direct=HOST, direct=HOST:5432 or direct=HOST:5432/DATABASE"
        )
    rest = parts._replace(query=urlencode(pairs)).geturl()
    return rest, PoolOptions(size=int(size), prepares=prepare == "on", direct=direct)
