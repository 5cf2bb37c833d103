"""Why, for graphs: the reasons that keep nodes from running, in the order to look at them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from rota.engine.admission.graph_pauses import why_paused
from rota.engine.graphs.graph_run import shape_of
from rota.engine.graphs.nodes.start import PAUSED
from rota.engine.graphs.views.nodes import ends_as, is_paused, nodes
from rota.engine.insight.reasons import at_once
from rota.errors import BadGraph
from rota.model.graphs.run_nodes import NodeView
from rota.model.runs.reason import Reason
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.rules.graphs.progress import WAITS
from rota.rules.text.checks import hint
from rota.store.base import Tx

SHOWN = 5
"""The number of nodes, and of runs, that are named."""
OBSTACLES = frozenset(
    {
        "held", "paused", "window", "quota", "no_worker", "unserved_queue", "unknown_job",
        "draining", "stalled", "busy", "waits", "overdue", "silent_worker", "cancel_requested",
        "blocked",
    }
)  # fmt: skip
"""The reasons of a node's run that are shown; that it runs or is next explains nothing."""

Ask = Callable[[str], list[Reason]]
"""Returns the reasons of another run."""


def why_graph(tx: Tx, run: RunView, ask: Ask, *, namespace: str) -> list[Reason]:
    """Return the state of a graph run's nodes, and which parents the waiting ones wait for."""
    found = nodes(tx, run.id, namespace=namespace)
    if not found:
        return [Reason(kind="blocked", says="it is suspended: it waits for an event")]
    active = [each for each in found if each.state == "active"]
    reasons = _paused(tx, run.id, found, namespace) + _ending(tx, run, found, namespace)
    for each in active[:SHOWN]:
        reasons += _of_active(each, ask)
    done = sum(each.state not in WAITS for each in found)
    says = f"{done} of {len(found)} nodes have ended, {len(active)} are active"
    if active:
        says += f": {', '.join(each.name for each in active[:SHOWN])}"
    reasons.append(Reason(kind="blocked", says=says, count=len(found) - done))
    reasons += _full(tx, run, found, namespace)
    waiting = [each for each in found if each.state in ("pending", "held")]
    return reasons + [_waiting(each, found) for each in waiting[:SHOWN]]


def why_node(tx: Tx, run: RunView, name: str, ask: Ask, *, namespace: str) -> list[Reason]:
    """Return why one node is not running; BadGraph if there is none of this name."""
    found = {each.name: each for each in nodes(tx, run.id, namespace=namespace)}
    if name not in found:
        raise BadGraph(f"run {run.id} has no node {name!r:.64}.{hint(name, found)}")
    node = found[name]
    if node.state not in WAITS:
        said = f": {node.reason}" if node.reason else ""
        return [Reason(kind="ended", says=f"it has ended as {node.state}{said}")]
    reasons = _paused(tx, run.id, list(found.values()), namespace)
    if node.state == "active":
        return reasons + (ask(node.run_id) if node.run_id else _of_active(node, ask))
    if node.state == "ready":
        return reasons + _full(tx, run, [node, *found.values()], namespace)
    return [*reasons, _waiting(node, list(found.values()))]


def _paused(tx: Tx, run_id: str, found: Sequence[NodeView], namespace: str) -> list[Reason]:
    is_held = any(each.state == "held" or each.run_state == State.PENDING for each in found)
    if not is_held and not is_paused(tx, run_id):
        return []
    return [why_paused(tx, run_id, namespace=namespace)]


def _ending(tx: Tx, run: RunView, found: Sequence[NodeView], namespace: str) -> list[Reason]:
    """Return the teardown that is left before the run ends, if it is being ended."""
    how = ends_as(tx, run.id)
    if how is None:
        return []
    shape = shape_of(tx, run.job, run.version, namespace=namespace)
    left = [each for each in found if each.name in shape.teardowns and each.state in WAITS]
    now = [each.name for each in left if each.state == "active"]
    stopping = [each.name for each in found if each.state == "active" and each.name not in now]
    what = "cancelling" if how.verb == "cancel" else f"failing ({how.reason})"
    if now:
        says = f"{what}: teardown {', '.join(now)} runs"
    else:
        says = f"{what}: {', '.join(stopping[:SHOWN]) or 'nothing'} was asked to stop"
        says += f", then teardown {', '.join(each.name for each in left)} runs" if left else ""
    return [Reason(kind="cancel_requested", says=f"{says}; a cancel with force ends it at once")]


def _of_active(node: NodeView, ask: Ask) -> list[Reason]:
    if node.map is not None:
        done, total = node.map.done, node.map.total
        bad = f", {node.map.failed:,} of them failed" if node.map.failed else ""
        says = f"node {node.name}: {done:,} of {total:,} instances have ended{bad}"
        if node.reason and node.reason != PAUSED:
            says += f"; it is being stopped: {node.reason}"
        return [Reason(kind="running", says=says, count=total - done)]
    if node.run_id is None or node.run_state in (None, State.PENDING):
        return []
    kinds = OBSTACLES if node.run_state != State.SUSPENDED else {"cancel_requested"}
    return [
        msgspec.structs.replace(reason, says=f"node {node.name}: {reason.says}")
        for reason in ask(node.run_id)
        if reason.kind in kinds
    ]


def _full(tx: Tx, run: RunView, found: Sequence[NodeView], namespace: str) -> list[Reason]:
    ready = [each for each in found if each.state == "ready"]
    limit = (
        shape_of(tx, run.job, run.version, namespace=namespace).graph.max_nodes if ready else None
    )
    if limit is None:
        return []  # a node that is ready without a limit waits for its run to be resumed
    says = f"node {ready[0].name} could run, but {at_once(limit, 'node')} (max_nodes)"
    return [Reason(kind="blocked", says=says, count=limit)]


def _waiting(node: NodeView, found: Sequence[NodeView]) -> Reason:
    ended = {each.name for each in found if each.state not in WAITS}
    left = [name for name in node.parents if name not in ended]
    if not left:
        return Reason(kind="blocked", says=f"node {node.name} has not begun")
    more = f" and {len(left) - 1} more" if len(left) > 1 else ""
    says = f"node {node.name} waits for node {left[0]}{more}"
    return Reason(kind="blocked", says=says, count=len(left))
