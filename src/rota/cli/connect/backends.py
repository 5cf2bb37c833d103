"""Where commands ask: an App on a database or a Client of a server, which have the same verbs."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rota.cli.connect.server_client import server_client
from rota.cli.connect.store_app import client, find_id
from rota.cli.options import settings
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
    """A server if the settings name one, else the store; closed at the end.

    `with_code` imports the app that the settings name, also where they say where the store is.
    """
    said = settings(flags)
    if said.server is not None:
        if who:
            raise BadInput("--who: at a server the token says who it is")
        with server_client(said) as served:
            yield served
        return
    app = client(said, with_code=with_code)
    try:
        yield app
    finally:
        app.close()


def by(who: str | None) -> dict[str, Any]:
    """Who does it, for a database; at a server the token says so."""
    return {"who": who} if who else {}


def now_at(here: Place) -> int:
    """The clock of the database; of a server nothing is asked but what is to be shown."""
    from rota.client import Client

    if isinstance(here, Client):
        return round(time.time() * 1000)
    from rota.engine.runs.find import now_ms

    return here.store.read(now_ms)


def run_at(here: Place, text: str) -> Handle:
    """The run that is meant by an id, or by the end or beginning of one."""
    run_id = find_id(text, lambda limit: [run.id for run in here.runs(limit=limit)])
    return here.run(run_id)
