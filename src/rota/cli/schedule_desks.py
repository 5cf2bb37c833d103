"""Where `rota schedules` asks, be it a database or a server; both have the same verbs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rota.cli.clients import client
from rota.cli.options import settings
from rota.cli.served import server_client
from rota.errors import BadInput

if TYPE_CHECKING:
    from rota.app.schedules import Schedules
    from rota.client.schedules import ServedSchedules

    Desk = tuple[Schedules | ServedSchedules, Callable[[], int]]


@contextmanager
def schedule_desk(flags: dict[str, Any]) -> Iterator[Desk]:
    """The schedules, and a clock; a server if the settings name one, else the store."""
    said = settings(flags)
    if said.server is not None:
        if flags.get("who"):
            raise BadInput("--who: at a server the token says who it is")
        with server_client(said) as served:
            yield served.schedules, lambda: round(time.time() * 1000)
        return
    from rota.engine.inspect import now_ms

    app = client(said)
    try:
        yield app.schedules, lambda: app.store.read(now_ms)
    finally:
        app.close()


def by(who: str | None) -> dict[str, Any]:
    """Who does it, for a database; at a server the token says so."""
    return {"who": who} if who else {}
