"""Effects in the hands of a program: which calls outside are in doubt, and what became of them."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

from rota.engine.identity.audit_log import Actor
from rota.engine.runs.effects.in_doubt import doubts, effects, settle_doubt
from rota.errors import BadInput
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.effect import EffectView
from rota.runtime.attempts.value_limits import MAX_STATE_BYTES, encoded

if TYPE_CHECKING:
    from rota.app.app import App


class Effects:
    """The ledger of calls outside; get it as `app.effects`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self, *, job: str | None = None, limit: int = 100) -> builtins.list[EffectView]:
        """Those in doubt, the newest first: begun, without a result, and nobody is at it."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: doubts(tx, namespace=namespace, job=job, limit=limit)
        )

    def show(self, run_id: str) -> builtins.list[EffectView]:
        """All effects of one run, in the order of its calls."""
        return self._app.store.read(lambda tx: effects(tx, run_id, namespace=self._app.namespace))

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
        """Say whether a call in doubt took place; if `done`, with what it gave.

        When the run is redriven or run again, its handler gets the result without a call, or makes
        the call with the same key.
        """
        text = settled_text(name, done=done, result=result)
        by = Actor(act_id=new_id(), who=who or whoami(), why=why)
        namespace = self._app.namespace
        return self._app.store.write(
            lambda tx: settle_doubt(tx, run_id, name, namespace=namespace, by=by, result=text)
        )


def settled_text(name: str, *, done: bool, result: Any) -> str | None:
    """What a call gave, as JSON text; None if it was not made."""
    if not done and result is not None:
        raise BadInput("a call that was not made gave no result; leave it out, or say that it did")
    if not done:
        return None
    return encoded(result, f"the result of effect {name}", limit=MAX_STATE_BYTES)
