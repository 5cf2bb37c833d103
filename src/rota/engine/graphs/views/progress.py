"""Progress of a run, for people: computed from its nodes' states and the times of past runs.

Nothing extra is stored for it while runs go on: the history has everything it needs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from statistics import median

from rota.engine.runs.find import now_ms
from rota.model.graphs.run_nodes import NodeView, Progress
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.rules.graphs.progress import WAITS, NodeDuration, Stand, percent_of, progress_of
from rota.store.base import Row, Tx

LOOKED_UP = 5_000
"""The most nodes of past runs that are looked up."""
PAST_RUNS = 5
SAMPLE = 200
"""The number of instances from which the pace of a mapped node is computed."""


def progress_of_nodes(
    tx: Tx, run: RunView, views: Sequence[NodeView], *, namespace: str
) -> Progress:
    """The progress of a run from its nodes; without nodes, the progress its handler reported."""
    if not views:
        return _of_one(run)
    waiting = [each for each in views if each.state in WAITS]
    past = _past(tx, run, [each.name for each in waiting], namespace)
    began = _began(tx, run.id, [each.name for each in waiting if each.map and each.map.done])
    return progress_of([_stand(each, began) for each in views], past, now=now_ms(tx))


def usual_ms(tx: Tx, run: RunView, names: Sequence[str], *, namespace: str) -> dict[str, int]:
    """Return how long these nodes took in past runs, half of them longer; without unknown ones."""
    past = _past(tx, run, names, namespace)
    return {name: round(median(each.took_ms for each in spans)) for name, spans in past.items()}


def _stand(node: NodeView, began: Mapping[str, int]) -> Stand:
    started_at = None if node.started_at is None else node.started_at.ms
    return Stand(
        name=node.name,
        state=node.state or "pending",
        parents=node.parents,
        started_at=began.get(node.name, started_at),
        width=None if node.map is None else node.map.total,
        ended=None if node.map is None else node.map.done,
    )


def _of_one(run: RunView) -> Progress:
    is_over = run.state in FINAL
    share = 1.0 if run.state is State.SUCCESS else run.progress or 0.0
    return Progress(
        total=1,
        done=int(is_over),
        states={run.state.value: 1},
        share=share,
        percent=percent_of(share),
    )


def _past(
    tx: Tx, run: RunView, names: Sequence[str], namespace: str
) -> dict[str, list[NodeDuration]]:
    runs = min(PAST_RUNS, LOOKED_UP // len(names)) if names else 0
    if not runs:
        return {}
    rows = tx.all("past_graphs", graph=f"{namespace} {run.job}", graph_id=run.id, limit=runs)
    durations: dict[str, list[NodeDuration]] = {}
    for row in _spans(tx, [str(row["graph_id"]) for row in rows], names):
        if row["started_at"] is not None:
            took_ms = row["finished_at"] - row["started_at"]
            span = NodeDuration(took_ms=took_ms, instances=row["instances"], width=row["width"])
            durations.setdefault(row["node"], []).append(span)
    return durations


def _began(tx: Tx, run_id: str, names: Sequence[str]) -> dict[str, int]:
    """When the first instances of mapped nodes started."""
    return {row["node"]: row["started_at"] for row in _spans(tx, [run_id], names)}


def _spans(tx: Tx, ids: Sequence[str], names: Sequence[str]) -> list[Row]:
    places = [{"graph_id": graph_id, "name": name} for graph_id in ids for name in names]
    return tx.all("past_spans", batch=json.dumps(places), sample=SAMPLE) if places else []
