"""What is told and done when the store is lost to a process."""

from __future__ import annotations

import asyncio
from typing import Any

import uvicorn

from rota.api.server.process import _Server
from rota.errors import StoreLost, StoreUnavailable
from rota.notices import subscribe, unsubscribe
from rota.runtime.service import Service


class Failing(Service):
    def __init__(self, *errors: Exception | None) -> None:
        super().__init__()
        self._errors = list(errors)

    def tick(self) -> bool:
        error = self._errors.pop(0)
        if error is not None:
            raise error
        if not self._errors:
            self._stopping = True
        return True

    def _rest(self) -> None:
        """At once."""


def told_by(service: Service) -> list[str]:
    told: list[str] = []

    def listen(name: str, _facts: dict[str, Any]) -> None:
        told.append(name)

    subscribe(listen)
    service.run()
    unsubscribe(listen)
    return told


def test_a_lost_store_is_told_once_and_does_not_come_back() -> None:
    service = Failing(StoreLost("broken"), None, StoreLost("broken"), None)

    assert told_by(service) == ["store.lost"]
    assert str(service.outage.fatal) == "broken"


def test_a_store_that_was_away_comes_back() -> None:
    service = Failing(StoreUnavailable("away"), None)

    assert told_by(service) == ["store.unavailable", "store.recovered"]


def test_a_server_without_its_store_ends() -> None:
    async def app(_scope: Any, _receive: Any, _send: Any) -> None: ...

    found: list[StoreLost | None] = [None]
    server = _Server(uvicorn.Config(app), lambda: None, lambda: found[0])

    assert asyncio.run(server.on_tick(1)) is False
    found[0] = StoreLost("broken")
    assert asyncio.run(server.on_tick(1)) is True
