"""A client for commands that talk to a server, made from the settings."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from rota.errors import BadInput
from rota.notices import subscribe

if TYPE_CHECKING:
    from rota.client import Client
    from rota.settings.table import Settings


def server_client(settings: Settings) -> Client:
    """Return a client; a namespace in the settings must be that of the token."""
    from rota.client import Client

    client = Client(
        settings.server, token=token_of(settings) or "", **settings.options_of("client")
    )
    subscribe(_tell)
    if settings.namespace is not None:
        namespace = client.session().namespace
        if namespace != settings.namespace:
            client.close()
            raise BadInput(
                f"the token belongs to namespace {namespace}, not to {settings.namespace}; "
                "take another token, or do not name a namespace"
            )
    return client


def _tell(notice: str, facts: dict[str, Any]) -> None:
    """Print why a request waits, for the person who waits for it."""
    if notice == "server.unavailable":
        left_s = max(1, round(facts["patience_ms"] / 1000))
        print(f"rota: {facts['error']}; trying for another {left_s} s", file=sys.stderr)


def token_of(settings: Settings) -> str | None:
    """Return the token of the settings, or of the file they name."""
    if settings.token:
        return settings.token
    if settings.token_file is None:
        return None
    from rota.settings.secret_files import is_open_to_all, read_secret

    token = read_secret("token_file", settings.token_file)
    if is_open_to_all(settings.token_file):
        path = settings.token_file
        print(f"rota: everybody on this machine can read {path}; chmod 600 it", file=sys.stderr)
    return token


def refuse_server(settings: Settings) -> None:
    """Refuse a server, for commands that need the database itself."""
    if settings.server is not None:
        raise BadInput(
            f"this needs the database and cannot be done over the server {settings.server}; say "
            "where the database is with --url"
        )
