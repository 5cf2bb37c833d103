"""Mishap: a node has failed in a run whose mode, or whose tolerance, does not bear it."""

from __future__ import annotations

import json
from typing import Protocol

from rota.engine.courses import Course
from rota.engine.keys import worker_key
from rota.engine.kin import cancelled
from rota.engine.nodes import END, Board, NodeRow
from rota.model.graph import ASIDE
from rota.model.run import Verdict
from rota.model.states import State
from rota.rules.graph_outcome import REACTIONS
from rota.rules.joins import Ending
from rota.store.base import Tx


class Waves(Protocol):
    """What is asked of a step."""

    tx: Tx
    board: Board
    courses: dict[str, Course]
    verdicts: list[Verdict]

    def end(self, row: NodeRow, ending: Ending, reason: str | None = None) -> None: ...


def trip(step: Waves, course: Course, failed: NodeRow) -> None:
    """The first failure in a run whose mode lets no others start.

    That of a teardown counts only if it says so, that of a notify never.
    """
    reaction = REACTIONS[course.shape.graph.mode]
    graph_id = course.graph_id
    node = course.shape.plan.nodes[failed.name].node
    if reaction.starts_others or (node.kind in ASIDE and not node.fails_run):
        return
    step.board.lock([(graph_id, END)])
    end = step.board.rows[graph_id, END]
    if end.state == "tripped":
        return
    end.state, end.reason = "tripped", failed.name
    step.board.change(end)
    reason = f"not started: node {failed.name} failed"
    for row in step.board.lock_waiting(graph_id):
        if row.is_final or course.shape.plan.nodes[row.name].node.kind in ASIDE:
            continue
        if row.state != "active":
            step.end(row, Ending.SKIPPED, reason)
        elif row.width is not None and (row.made or 0) < row.width:
            row.bad = (row.bad or 0) + row.width - (row.made or 0)
            row.width = row.made
            step.board.change(row)
    stop_runs(step, graph_id, but=failed.name, running=reaction.cancels_running)


def stop_runs(
    step: Waves, graph_id: str, *, only: str | None = None, but: str = "", running: bool = True
) -> None:
    """Runs of the graph's nodes that have not started end; those that run are asked to."""
    step.board.flush()
    shape = step.courses[graph_id].shape
    stopped = "cancelled: another node of its graph failed"
    asked: list[str] = []
    for child in step.tx.all("live_children", ids=json.dumps([graph_id])):
        name = child["node"]
        is_aside = shape.plan.nodes[name].node.kind in ASIDE
        if is_aside or name == but or (only is not None and name != only):
            continue
        if child["state"] != State.RUNNING:
            step.verdicts.append(cancelled(child, stopped))
            row = step.board.rows.get((graph_id, name))
            if row is not None and row.state == "active" and row.width is None:
                step.end(row, Ending.SKIPPED, "not started: another node failed")
        elif running:
            asked.append(str(child["id"]))
            step.tx.notify((worker_key(str(child["worker_id"])),))
    if asked:
        step.tx.execute("request_cancels", ids=json.dumps(asked), reason=stopped)
