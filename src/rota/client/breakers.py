"""Breakers behind a server: see them, hold a job back, let it go."""

from __future__ import annotations

import builtins
import time
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, Page, ms_or_none
from rota.clock import to_ms
from rota.model.breaker import BreakerView, CircuitState

if TYPE_CHECKING:
    from rota.client.client import Client


class _Breaker(Answer):
    job: str
    state: CircuitState
    rule: str | None
    good: int
    bad: int
    held: int
    opened_at: datetime | None
    probe_at: datetime | None
    probe_id: str | None
    stays: bool
    note: str | None
    changed_at: datetime


class _State(Answer):
    changed: bool = True


class ServedBreakers:
    """The breakers of the namespace."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self) -> builtins.list[BreakerView]:
        """Of all jobs that have one or are held back by hand, by job."""
        now = round(time.time() * 1000)
        found = self._client.line.get("/breakers", Page[_Breaker]).items
        return [_view(each, now) for each in found]

    def open(self, job: str, *, note: str | None = None) -> None:
        """Hold back all runs of a job until somebody closes its breaker; what runs goes on."""
        body = {} if note is None else {"note": note}
        self._client.line.post(f"/breakers/{quote(job, safe='')}/open", _State, body)

    def close(self, job: str) -> bool:
        """Let the runs of a job go, in their old order; False when they were not held."""
        return self._client.line.post(f"/breakers/{quote(job, safe='')}/close", _State).changed


def _view(breaker: _Breaker, now: int) -> BreakerView:
    facts: dict[str, Any] = msgspec.structs.asdict(breaker)
    times = {name: ms_or_none(facts[name]) for name in ("opened_at", "probe_at")}
    return BreakerView(**facts | times | {"changed_at": to_ms(breaker.changed_at), "now": now})
