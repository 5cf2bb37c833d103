"""Opens a SQLite store (store.kinds); imports no driver."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from rota.errors import BadUrl
from rota.store.migrate import Migration
from rota.store.sqlite import legacy_names
from rota.store.sqlite.dialect import DIALECT

if TYPE_CHECKING:
    from rota.rules.insight.integrity import Integrity
    from rota.store.sqlite.store import SqliteStore

__all__ = ["DIALECT", "applied_before", "change", "connect", "examine", "file_of", "migrated"]

T = TypeVar("T")


def connect(url: str, *, clock: Callable[[], int] | None) -> SqliteStore:
    from rota.store.sqlite.store import SqliteStore  # noqa: PLC0415  # the driver

    return SqliteStore(url, file_of(url), clock=clock)


def file_of(url: str) -> Path:
    """Return the file that an address means."""
    parts = urlsplit(url)
    if parts.netloc or parts.path in ("", "/"):
        raise BadUrl(
            f"cannot open {url!r}: write sqlite:///rota.db for a file here, "
            "sqlite:////var/lib/rota.db for an absolute path"
        )
    return Path(parts.path[1:]).expanduser()


def change(store: SqliteStore, work: Callable[[Any], T]) -> T:
    """Change tables in one transaction, which is alone anyway."""
    return store.write(work)


def applied_before(tx: Any, known: Mapping[int, Migration]) -> dict[int, Any]:
    """Return the migrations of a file of 0.1.0, whose tables had other names."""
    return {n: {"digest": known[n].digest} for n in legacy_names.applied_before(tx)}


def migrated(tx: Any) -> None:
    """Do nothing: new tables need no permissions."""
    del tx


def examine(store: SqliteStore, *, deep: bool) -> Integrity | None:
    """Read the stored data and check whether it holds together."""
    from rota.store.sqlite.integrity import examine_pages  # noqa: PLC0415  # the driver

    return examine_pages(file_of(store.url), deep=deep)
