"""Operations on effects: list outside calls that are in doubt, and settle one."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from rota.engine.identity.audit_log import find_act
from rota.engine.runs.effects import in_doubt
from rota.errors import BadInput
from rota.model.values.effect import EffectView
from rota.model.view import Body, Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.runs.visible import visible_run
from rota.operations.wire import QueryName
from rota.rules.runs.value_limits import MAX_STATE_BYTES, encoded
from rota.store.base import Tx

UNSETTLED = ("in_doubt", "not_done")
"""States about which a person may still decide."""


class SettleBody(Body):
    """The outcome of a call."""

    done: bool
    """It took place. If not, a run that does the work again makes it, with the same key."""
    result: Any = None
    """The result, if the call took place; later runs get it."""
    reason: str | None = None


@reads("/effects")
def list_effects(
    tx: Tx,
    caller: Caller,
    *,
    job: Annotated[str | None, QueryName("jobId")] = None,
    limit: Limit = PAGE,
) -> Page[EffectView]:
    """Effects in doubt, the newest first: begun, without a result, and no run is at it."""
    queues = caller.credential.queues
    at = {"namespace": caller.namespace}
    found = in_doubt.doubts(tx, job=job, queues=queues, limit=limit, **at)
    return Page(items=[_offered(each, caller) for each in found])


@reads("/runs/{run_id}/effects")
def list_run_effects(tx: Tx, caller: Caller, run_id: str) -> Page[EffectView]:
    """The effects of one run, in the order of its calls."""
    visible_run(tx, caller, run_id)
    found = in_doubt.effects(tx, run_id, namespace=caller.namespace)
    return Page(items=[_offered(each, caller) for each in found])


@changes("POST", "/runs/{run_id}/effects/{name}/settle", verb="settle effect", subject="run_id")
def settle_effect(tx: Tx, caller: Caller, run_id: str, name: str, body: SettleBody) -> EffectView:
    """Say whether a call in doubt took place, and what it gave."""
    text = _result(name, body)
    visible_run(tx, caller, run_id)
    at = {"namespace": caller.namespace}
    found = in_doubt.lock_effect(tx, run_id, name, **at)
    if find_act(tx, caller.actor.act_id, **at) is not None:  # this is a repeat
        nothing_changed(tx, caller)
        return _offered(found, caller)
    settled = in_doubt.settle_doubt(tx, run_id, name, who=caller.actor.who, result=text, **at)
    tell(tx, caller, effect=name, outcome="done" if body.done else "not done")
    return _offered(settled, caller)


def _result(name: str, body: SettleBody) -> str | None:
    """Return the result of a call as JSON text; None if it was not made."""
    if body.done:
        return encoded(body.result, f"the result of effect {name}", limit=MAX_STATE_BYTES)
    if body.result is not None:
        raise BadInput("a call that was not made gave no result; leave it out, or say that it did")
    return None


def _offered(effect: EffectView, caller: Caller) -> EffectView:
    verbs = caller.may("settle") if effect.state in UNSETTLED else ()
    return msgspec.structs.replace(effect, verbs=verbs)
