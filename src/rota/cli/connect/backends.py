"""The place of a command: an App on a database or a Client of a server, with the same verbs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rota.cli.connect.server_client import server_client
from rota.cli.connect.store_app import client
from rota.cli.options import settings_of
from rota.errors import BadInput

if TYPE_CHECKING:
    from rota.app import App, Run
    from rota.client import Client, ServedRun

    Place = App | Client
    Handle = Run[Any] | ServedRun


@contextmanager
def place(
    flags: dict[str, Any], *, who: str | None = None, with_code: bool = False
) -> Iterator[Place]:
    """Yield a Client if the settings name a server, otherwise an App; close it at the end.

    `with_code` imports the app of the settings, even where the settings name the store.
    """
    settings = settings_of(flags)
    if settings.server is not None:
        if who:
            raise BadInput("--who: at a server the token says who it is")
        with server_client(settings) as served:
            yield served
        return
    app = client(settings, with_code=with_code)
    try:
        yield app
    finally:
        app.close()


def by(who: str | None) -> dict[str, Any]:
    """Return the actor for a database; at a server, the token names the actor."""
    return {"who": who} if who else {}


def now_at(here: Place) -> int:
    """Return the clock of the database; for a server, that of this machine, without a request."""
    from rota.client import Client

    if isinstance(here, Client):
        return round(time.time() * 1000)
    from rota.engine.runs.find import now_ms

    return here.store.read(now_ms)


def run_at(here: Place, text: str) -> Handle:
    """Return the run with this id, or with an id that begins or ends with the text."""
    return here.find_run(text)
