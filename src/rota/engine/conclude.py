"""Conclude: all nodes of a run have ended, and so does the run of the graph."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Protocol

import msgspec

from rota.engine.courses import Course
from rota.engine.kin import verdict_facts
from rota.engine.node_results import Known
from rota.engine.nodes import END, MAX_REASON, Board
from rota.errors import BadInput
from rota.model.run import Verdict
from rota.rules.graph_outcome import outcome_of_leaves
from rota.rules.joins import Ending
from rota.rules.node_values import result_of
from rota.store.base import Row, Tx


class Waves(Protocol):
    """What is asked of a step."""

    tx: Tx
    board: Board
    courses: dict[str, Course]


def conclude(step: Waves, over: Sequence[str]) -> list[Verdict]:
    ids = json.dumps(sorted(over))
    bad: dict[str, list[tuple[str, str | None]]] = {}
    for row in step.tx.all("bad_nodes", ids=ids):
        graph_id = str(row["graph_id"])
        if step.courses[graph_id].shape.plan.nodes[row["name"]].is_leaf:
            bad.setdefault(graph_id, []).append((row["name"], row["reason"]))
    verdicts = []
    for row in step.tx.all("lock_graphs", ids=ids):
        graph_id = str(row["id"])
        verdicts.append(_verdict(step, row, bad.get(graph_id, [])))
    step.tx.execute("end_graphs", ids=ids)
    return verdicts


def _verdict(step: Waves, row: Row, bad: list[tuple[str, str | None]]) -> Verdict:
    facts: dict[str, Any] = verdict_facts(row)
    graph_id = str(row["id"])
    course = step.courses[graph_id]
    end = step.board.rows[graph_id, END]
    endings = [Ending.FAILED for _ in bad]
    if end.state == "tripped":
        return Verdict(verb="founder", reason=f"node {end.reason} failed", **facts)
    if outcome_of_leaves(endings) == "failed":
        return Verdict(verb="founder", reason=_failed_in_words(bad), **facts)
    try:
        result = _result(step, course)
    except BadInput as error:
        return Verdict(verb="founder", reason=f"its result: {error}"[:MAX_REASON], **facts)
    return Verdict(verb="conclude", result=result, **facts)


def _result(step: Waves, course: Course) -> str:
    value = course.shape.graph.result
    if value is None:
        return "null"
    known = Known(step.tx)
    names = course.shape.result_needs
    known.load((course.graph_id, name) for name in names)
    return msgspec.json.encode(result_of(course.shape.graph, known.values(course, names))).decode()


def _failed_in_words(bad: list[tuple[str, str | None]]) -> str:
    name, reason = min(bad, key=lambda each: each[1] == "a node before it failed")
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return f"node {name}{more} failed{f': {reason}' if reason else ''}"[:MAX_REASON]
