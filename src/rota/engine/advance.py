"""Advance: when nodes of a graph end, what comes after them is released, skipped or given up.

Part of the transaction that ends the nodes, so a crash neither loses nor doubles a release. The
rows of the nodes concerned are locked in the order of their keys, what becomes of them is
decided by `rules.joins`, and they are written once. Those that end by that are the next wave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from rota.engine.courses import Course, courses
from rota.engine.nodes import MAX_REASON, Place
from rota.engine.restart import restart
from rota.engine.step import Ended, Step
from rota.model.run import ErrorDetail, Verdict
from rota.model.states import State
from rota.store.base import Tx

_error = msgspec.json.Decoder(ErrorDetail)


def ended(verdict: Verdict, state: State) -> Ended:
    return Ended(
        graph_id=verdict.parent_id or "",
        node=verdict.node or "",
        item=verdict.item,
        run_id=verdict.run_id,
        state=state,
        result=verdict.result,
        reason=_said(verdict),
    )


def advance(tx: Tx, endings: Sequence[Ended], *, namespace: str) -> list[Verdict]:
    """Move on the graphs of these runs; gives the verdicts that follow, to be carried out next.

    Those are graphs that have ended by it, and runs that must not go on.
    """
    known = courses(tx, {each.graph_id for each in endings}, namespace=namespace)
    mine = [each for each in endings if each.graph_id in known]
    step = Step(tx, known, namespace=namespace)
    step.board.lock(_places(known, mine))
    for each in mine:
        step.take(each)
    verdicts = step.run()
    for graph_id, now in step.restarts.items():
        verdicts += restart(tx, known[graph_id], namespace=namespace, now=now)
    return verdicts


def _places(known: dict[str, Course], endings: Iterable[Ended]) -> list[Place]:
    """The nodes themselves, and those whose counts they change; of a mapped one, only itself."""
    found: list[Place] = []
    for each in endings:
        found.append((each.graph_id, each.node))
        if each.item is None:
            shape = known[each.graph_id].shape
            found += [(each.graph_id, name) for name in shape.children.get(each.node, ())]
            found += [(each.graph_id, name) for name in shape.dependents.get(each.node, ())]
    return found


def _said(verdict: Verdict) -> str | None:
    if verdict.error:
        try:
            error = _error.decode(verdict.error)
        except (msgspec.MsgspecError, ValueError):
            return verdict.reason
        return f"{error.type}: {error.message}"[:MAX_REASON]
    return verdict.reason
