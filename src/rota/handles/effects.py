"""Handles for effects: calls to the outside world in doubt, and how to settle one."""

from __future__ import annotations

import builtins
from typing import Any

from rota.handles.backend import Backend
from rota.model.values.effect import EffectView
from rota.operations.runs.effects import (
    SettleBody,
    list_effects,
    list_run_effects,
    settle_effect,
)


class Effects:
    """The ledger of outside calls; get it as `app.effects` or `client.effects`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, *, job: str | None = None, limit: int = 100) -> builtins.list[EffectView]:
        """Return effects in doubt, newest first: begun, without a result, and no run at work."""
        return self._backend.call(list_effects, job=job, limit=limit).items

    def show(self, run_id: str) -> builtins.list[EffectView]:
        """Return all effects of one run, in the order of its calls."""
        return self._backend.call(list_run_effects, run_id).items

    def settle(
        self,
        run_id: str,
        name: str,
        *,
        done: bool,
        result: Any = None,
        why: str = "",
        who: str | None = None,
    ) -> EffectView:
        """Record whether a call in doubt took place; if `done`, with its result.

        When the run is redriven or run again, its handler gets the result without a call, or makes
        the call with the same key.
        """
        body = SettleBody(done=done, result=result, reason=why or None)
        return self._backend.acting_as(who).call(settle_effect, run_id, name, body)
