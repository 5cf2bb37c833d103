"""Effects behind a server: which calls outside are in doubt, and what became of them."""

from __future__ import annotations

import builtins
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, Page, ms_or_none
from rota.clock import to_ms
from rota.model.effect import EffectState, EffectView

if TYPE_CHECKING:
    from rota.client.client import Client


class _Effect(Answer):
    run_id: str = msgspec.field(name="executionId")
    job: str
    name: str
    state: EffectState
    idempotency_key: str
    intended_at: datetime
    settled_at: datetime | None
    result: Any
    decided_by: str | None
    taken_by: str | None
    graph_id: str | None


class ServedEffects:
    """The ledger of calls outside."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, *, job: str | None = None, limit: int = 100) -> builtins.list[EffectView]:
        """Those in doubt, the newest first: begun, without a result, and nobody is at it."""
        found = self._client.line.get("/effects", Page[_Effect], {"jobId": job, "limit": limit})
        return [_view(each) for each in found.items]

    def show(self, run_id: str) -> builtins.list[EffectView]:
        """All effects of one run, in the order of its calls."""
        path = f"/runs/{quote(run_id, safe='')}/effects"
        return [_view(each) for each in self._client.line.get(path, Page[_Effect]).items]

    def settle(
        self, run_id: str, name: str, *, done: bool, result: Any = None, why: str = ""
    ) -> EffectView:
        """Say whether a call in doubt took place; if `done`, with what it gave."""
        body: dict[str, Any] = {"done": done, "result": result}
        if why:
            body["reason"] = why
        path = f"/runs/{quote(run_id, safe='')}/effects/{quote(name, safe='')}/settle"
        return _view(self._client.line.post(path, _Effect, body))


def _view(effect: _Effect) -> EffectView:
    facts = msgspec.structs.asdict(effect)
    is_done = effect.state == "done"
    return EffectView(
        **facts
        | {
            "intended_at": to_ms(effect.intended_at),
            "settled_at": ms_or_none(effect.settled_at),
            "result": msgspec.json.encode(effect.result).decode() if is_done else None,
        }
    )
