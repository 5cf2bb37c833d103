"""The setting ROTA of a Django site, and the address of the store that follows from DATABASES."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import msgspec
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from rota.settings.read import read_settings

OF_DJANGO = {"pool", "server_side_binding", "isolation_level", "cursor_factory", "assume_role"}
"""Options of a database that are for Django and not for libpq."""


class SiteOptions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The setting ROTA."""

    url: str | None = None
    """The address of the store; by default that of the database below."""
    database: str = "default"
    """The database of DATABASES that holds the store, if it is PostgreSQL."""
    name: str | None = None
    namespace: str | None = None
    release: str | None = None
    upgrade: bool = True


def site_options() -> SiteOptions:
    """Return the setting ROTA; ImproperlyConfigured says what is wrong with it."""
    try:
        return msgspec.convert(getattr(settings, "ROTA", {}), SiteOptions)
    except msgspec.ValidationError as error:
        names = ", ".join(SiteOptions.__struct_fields__)
        raise ImproperlyConfigured(
            f"the setting ROTA: {error}; it is a dictionary of {names}"
        ) from error


def store_url(options: SiteOptions) -> str | None:
    """Return the address of the store: of ROTA, of ROTA_URL or rota.toml, or of DATABASES."""
    if options.url:
        return options.url
    chosen = read_settings({}, env=os.environ, folder=Path.cwd()).url
    if chosen:
        return chosen
    try:
        return url_of(settings.DATABASES[options.database])
    except KeyError:
        raise ImproperlyConfigured(
            f"the setting ROTA: there is no database {options.database!r} in DATABASES"
        ) from None


def url_of(database: Mapping[str, Any]) -> str | None:
    """Return the address of a PostgreSQL of Django, or of a file of our own beside its SQLite.

    Two copies of SQLite in one process may not open one file, so that SQLite is not shared.
    """
    engine = str(database["ENGINE"]).rpartition(".")[2]
    if engine == "sqlite3":
        return f"sqlite:///{Path(database['NAME']).absolute().parent}/rota.db"
    if engine not in ("postgresql", "postgis"):
        return None
    user, password, host, port = (
        str(database.get(key) or "") for key in ("USER", "PASSWORD", "HOST", "PORT")
    )
    login = quote(user, safe="") + (f":{quote(password, safe='')}" if password else "")
    query = {key: it for key, it in database.get("OPTIONS", {}).items() if key not in OF_DJANGO}
    if host.startswith("/"):  # the folder of a socket
        query["host"], host = host, ""
    place = (f"{login}@" if login else "") + host + (f":{port}" if port else "")
    name = quote(str(database["NAME"]), safe="")
    return f"postgresql://{place}/{name}" + (f"?{urlencode(query)}" if query else "")
