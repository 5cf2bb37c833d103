"""Effects in doubt: effects that were begun and have no result, for a person to settle."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rota.engine.runs.find import find
from rota.errors import NotAllowed, UnknownEffect
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.model.values.effect import EffectState, EffectView
from rota.model.view import view_of
from rota.rules.runs.effect_keys import effect_key
from rota.store.base import Row, Tx


def doubts(
    tx: Tx,
    *,
    namespace: str,
    job: str | None = None,
    queues: Sequence[str] | None = None,
    limit: int = 100,
) -> list[EffectView]:
    """The effects in doubt whose runs do not work on them now, newest first."""
    scope = None if queues is None else json.dumps(list(queues))
    at = {"namespace": namespace, "job": job, "queues": scope, "limit": limit}
    return [
        view_of(
            EffectView,
            row,
            state="in_doubt",
            idempotency_key=_key(str(row["run_id"]), row["job"], row),
            graph_id=row["parent_id"],
        )
        for row in tx.all("list_doubts", **at)
    ]


def effects(tx: Tx, run_id: str, *, namespace: str) -> list[EffectView]:
    """The ledger of one run, in the order of its calls."""
    run = find(tx, run_id, namespace=namespace)
    return [_view(run, row) for row in tx.all("list_effects", run_id=run_id)]


def lock_effect(tx: Tx, run_id: str, name: str, *, namespace: str) -> EffectView:
    """Return a call as it is now; until this transaction ends, its run does not begin to work."""
    tx.one("lock_live_run", run_id=run_id, namespace=namespace)
    return _find(tx, find(tx, run_id, namespace=namespace), name)


def settle_doubt(
    tx: Tx, run_id: str, name: str, *, namespace: str, who: str, result: str | None
) -> EffectView:
    """Settle a call: it returned `result`, as JSON text, or was not made if `result` is None.

    A run that repeats the work takes the result, or makes the call with the same key. Refused while
    the run works on it, when its result is known, and when a later run has taken it up.
    """
    live = tx.one("lock_live_run", run_id=run_id, namespace=namespace)
    run = find(tx, run_id, namespace=namespace)
    _find(tx, run, name)
    if live is not None and live["state"] == State.RUNNING:
        raise NotAllowed(
            f"run {run_id} is running and may be making the call {name!r} right now; wait until "
            "this attempt has ended, or cancel it"
        )
    outcome = "not_done" if result is None else "done"
    settled = {"outcome": outcome, "result": result, "who": who}
    if not tx.execute("decide_effect", run_id=run_id, name=name, **settled):
        raise _refused(_find(tx, run, name))
    return _find(tx, run, name)


def _find(tx: Tx, run: RunView, name: str) -> EffectView:
    rows = tx.all("list_effects", run_id=run.id)
    for row in rows:
        if row["name"] == name:
            return _view(run, row)
    raise UnknownEffect(name, run.id, [row["name"] for row in rows])


def _refused(effect: EffectView) -> NotAllowed:
    if effect.taken_by is not None:
        return NotAllowed(
            f"run {effect.taken_by} does this work again and has taken up {effect.name!r}; "
            "settle it there"
        )
    decider = f"by {effect.decided_by}" if effect.decided_by else "by its handler"
    return NotAllowed(f"{effect.name!r} of run {effect.run_id} was settled {decider}: it is done")


def _view(run: RunView, row: Row) -> EffectView:
    return view_of(
        EffectView,
        row,
        run_id=run.id,
        job=run.job,
        state=_state(run, row),
        idempotency_key=_key(run.id, run.job, row),
        graph_id=run.parent_id,
    )


def _state(run: RunView, row: Row) -> EffectState:
    if row["settled_at"] is not None:
        return "done"
    if row["taken_by"] is not None:
        return "taken_up"
    if row["outcome"] == "not_done":
        return "not_done"
    return "under_way" if run.state is State.RUNNING else "in_doubt"


def _key(run_id: str, job: str, row: Row) -> str:
    return effect_key(str(row["key_run"] or run_id), job, row["name"])
