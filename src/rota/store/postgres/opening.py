"""Opens a PostgreSQL store (store.kinds); imports no driver."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

from rota.errors import BadUrl, RoomsRefused
from rota.store.migrate import Migration
from rota.store.options import PoolOptions
from rota.store.postgres.dialect import DIALECT

if TYPE_CHECKING:
    from rota.rules.insight.integrity import Integrity
    from rota.store.postgres.store import PostgresStore

__all__ = [
    "DIALECT", "applied_before", "change", "connect", "examine", "file_of", "migrated", "protect",
    "split_options", "unprotect",
]  # fmt: skip

T = TypeVar("T")

_DIRECT = re.compile(r"[^:/\s]*(:\d+)?(/[^/\s]+)?")


def connect(url: str, *, clock: Callable[[], int] | None) -> PostgresStore:
    from rota.store.postgres.store import PostgresStore  # noqa: PLC0415  # the driver

    conninfo, options = split_options(url)
    return PostgresStore(url, conninfo, options, clock=clock)


def file_of(url: str) -> None:
    """Return None: the store is a server."""
    del url


def split_options(url: str) -> tuple[str, PoolOptions]:
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


def change(store: PostgresStore, work: Callable[[Any], T]) -> T:
    """Change tables in one transaction that lets others pass."""
    from rota.store.lock_timeouts import patiently  # noqa: PLC0415  # the driver

    return patiently(store, work)


def applied_before(tx: Any, known: Mapping[int, Migration]) -> dict[int, Any]:
    """Return nothing: all databases note their migrations by the names of today."""
    del tx, known
    return {}


def migrated(tx: Any) -> None:
    """Give new tables their policies; without permission go on, and `rota doctor` reports it."""
    tx.script("savepoint protection")
    try:
        protect(tx)
    except RoomsRefused:
        tx.script("rollback to savepoint protection")


def protect(tx: Any, role: str | None = None) -> str:
    """Switch row-level security on; return the name of the role that servers take on."""
    from rota.store.access import row_security  # noqa: PLC0415  # the driver
    from rota.store.access.logins import refresh  # noqa: PLC0415

    name = row_security.protect(tx, role)
    refresh(tx, name)
    return name


def unprotect(tx: Any) -> None:
    from rota.store.access import row_security  # noqa: PLC0415  # the driver

    row_security.unprotect(tx)


def examine(store: PostgresStore, *, deep: bool) -> Integrity | None:
    """Read the stored data and check whether it holds together."""
    from rota.store.postgres.integrity import examine_indexes  # noqa: PLC0415  # the driver

    return examine_indexes(store.read, deep=deep)
