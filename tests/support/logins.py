"""A database as in production: its owner is no superuser, and all others have a login."""

from __future__ import annotations

from typing import NamedTuple

import psycopg

from rota.store.access.logins import Login, grant
from rota.store.open import as_owner, connect, upgrade_schema
from tests.support.postgres import PostgresServer, database_of

HOME = "default"


class Logins(NamedTuple):
    """Addresses of the same database, one for each login."""

    admin: str
    owner: str
    server: str
    worker: str
    reader: str

    def of(self, kind: str) -> str:
        return str(getattr(self, kind))


def make_logins(server: PostgresServer) -> Logins:
    """Make a migrated database with a login of each kind; limited ones have the home namespace."""
    admin = server.create_database()
    name = database_of(admin)
    kinds = ("owner", "server", "worker", "reader")
    made = Logins(admin, *(login_to(admin, f"{name}_{kind}") for kind in kinds))
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(f"create role {name}_owner login createrole".encode())
        connection.execute(f"grant create on database {name} to {name}_owner".encode())
    store = connect(made.owner)
    upgrade_schema(store)
    store.close()
    for kind in kinds[1:]:
        asked = Login(f"{name}_{kind}", kind, (HOME,))
        as_owner(made.owner, lambda tx, asked=asked: grant(tx, asked, create=True))  # type: ignore[misc]
    return made


def login_to(admin: str, login: str) -> str:
    """Return the address for another login."""
    return admin.replace("postgres@", f"{login}@", 1)
