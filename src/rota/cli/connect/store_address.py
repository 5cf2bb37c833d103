"""The address of a store, for commands that need the database itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rota.settings.table import Settings


def address(settings: Settings) -> str:
    """Return the address of the store: of the settings, else of the app, else the default."""
    from rota.app.app import DEFAULT_URL
    from rota.cli.connect.server_client import refuse_server

    refuse_server(settings)
    if settings.url or not settings.app:
        return settings.url or DEFAULT_URL
    from rota.cli.loading import load_app

    return load_app(settings).url
