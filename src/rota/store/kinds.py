"""The kinds of stores: one table from the scheme of an address to the database behind it.

A driver is imported when a store of its kind is opened: psycopg alone takes 0.2 s and 18 MB, which
a worker on SQLite and `rota --help` need not pay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, cast
from urllib.parse import urlsplit

from rota.errors import BadUrl
from rota.store.migrate import Migration
from rota.store.statements import Dialect

if TYPE_CHECKING:
    from rota.rules.insight.integrity import Integrity
    from rota.store.postgres.store import PostgresStore
    from rota.store.sqlite.store import SqliteStore

T = TypeVar("T")


class Opening(Protocol):
    """The functions that open one kind of database: a module `opening` in its folder."""

    DIALECT: Dialect

    def connect(
        self, url: str, *, clock: Callable[[], int] | None
    ) -> SqliteStore | PostgresStore: ...

    def file_of(self, url: str) -> Path | None:
        """Return the file that an address means; None when the store is a server."""
        ...

    def change(self, store: Any, work: Callable[[Any], T]) -> T:
        """Change tables in one transaction."""
        ...

    def applied_before(self, tx: Any, known: Mapping[int, Migration]) -> dict[int, Any]:
        """Return the migrations of a database that notes them in no table of today."""
        ...

    def migrated(self, tx: Any) -> None:
        """Do what new tables need, in the transaction that made them."""
        ...

    def examine(self, store: Any, *, deep: bool) -> Integrity | None: ...


class StoreKind(NamedTuple):
    """One kind of store."""

    name: str
    """The name of its dialect, and of its folder."""
    title: str
    """Its name for people."""
    schemes: tuple[str, ...]
    """The schemes of its addresses; people write the first one."""
    start: str
    """The beginning of an address."""
    has_logins: bool
    """Whether the database itself has roles and permissions."""

    @property
    def opening(self) -> Opening:
        return cast("Opening", import_module(f"rota.store.{self.name}.opening"))


KINDS = (
    StoreKind("sqlite", "SQLite", ("sqlite",), "sqlite:///", has_logins=False),
    StoreKind(
        "postgres", "PostgreSQL", ("postgresql", "postgres"), "postgresql://", has_logins=True
    ),
)
BY_SCHEME = {scheme: kind for kind in KINDS for scheme in kind.schemes}
BY_NAME = {kind.name: kind for kind in KINDS}


def kind_of(url: str) -> StoreKind:
    """Return the kind of store at an address; BadUrl names the addresses that work."""
    kind = BY_SCHEME.get(urlsplit(url).scheme)
    if kind is None:
        starts = " or ".join(each.start for each in KINDS)
        raise BadUrl(
            f"cannot open {url!r}: an address starts with {starts}, for example sqlite:///rota.db"
        )
    return kind


def dialect_named(name: str) -> Dialect:
    """Return the dialect of this name, without a driver."""
    return BY_NAME[name].opening.DIALECT
