"""A client for commands that talk to a server, from what the settings say of one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rota.errors import BadInput, BadOption

if TYPE_CHECKING:
    from rota.app.settings import Settings
    from rota.client import Client


def server_client(said: Settings) -> Client:
    """The namespace is that of the token; one that was said must be the same."""
    from rota.client import Client

    client = Client(
        said.server,
        token=said.token or _token(said),
        ca_file=said.ca_file,
        in_clear=said.in_clear,
    )
    if said.namespace is not None:
        found = client.session().namespace
        if found != said.namespace:
            client.close()
            raise BadInput(
                f"the token belongs to namespace {found}, not to {said.namespace}; "
                "take another token, or do not name a namespace"
            )
    return client


def _token(said: Settings) -> str | None:
    if said.token_file is None:
        return None
    try:
        return Path(said.token_file).read_text().strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"token_file: cannot read {said.token_file}: {error}") from error


def refuse_server(said: Settings) -> None:
    """For commands that need the database itself."""
    if said.server is not None:
        raise BadInput(
            f"this needs the database and cannot be done over the server {said.server}; say "
            "where the database is with --url"
        )
