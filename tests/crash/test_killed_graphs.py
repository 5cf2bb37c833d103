"""Worker processes killed in the middle of many graphs: each node is released once, in order."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter, defaultdict

import pytest

from rota.app import App
from rota.engine.runs.find import counts
from rota.model.states import FINAL
from rota.store.base import Row
from tests.crash.shop import LAYERS, WIDTH
from tests.support.calls import eventually
from tests.support.processes import Crew, Program
from tests.support.trace_handlers import traces

GRAPHS = int(os.environ.get("ROTA_TEST_GRAPHS", "40"))
"""`make kill-graphs` takes 2,000 for more than 100,000 edges, with --long 20,000 for a million."""
EDGES = WIDTH * WIDTH * (LAYERS - 1) + WIDTH
KILLS = 6
NODES = LAYERS * WIDTH + 1

pytestmark = pytest.mark.chaos


@pytest.mark.slow
def test_a_crash_neither_loses_nor_repeats_the_release_of_a_node(app: App, crew: Crew) -> None:
    workers = [crew.worker() for _ in range(2)]
    graph = app.graphs["lattice"]
    runs = {run.id: n for n, run in enumerate(graph.submit_many(range(GRAPHS)))}
    for kill in range(1, KILLS + 1):
        _kill_one_at_work(workers, crew, least=GRAPHS * NODES * kill // (KILLS + 2))

    eventually(lambda: _live(app) == 0, 60 + GRAPHS / 5)

    states = Counter(_check(app, run_id, n) for run_id, n in runs.items())
    assert states["success"] > GRAPHS / 2, states
    sys.stdout.write(
        f"\n{app.store.dialect}: {KILLS} kills, {GRAPHS:,} graphs, {GRAPHS * EDGES:,} edges, none "
        f"lost, none released twice; ended as {dict(states)}\n"
    )


def _check(app: App, run_id: str, n: int) -> str:
    """Check that a run has its result, or that three workers died during one of its nodes."""
    ended = app.run(run_id).show()
    rows: list[Row] = app.store.read(lambda tx: tx.all("list_node_runs", graph_id=run_id))
    if ended.state == "success":
        assert ended.result == str(_weight(n))
        assert len(rows) == NODES
    else:
        assert ended.state == "failed"
        assert any((row["state"], row["crashes"]) == ("failed", 3) for row in rows), ended.reason
    _check_order(app, rows)
    return ended.state


def _weight(n: int) -> int:
    layer = n + 1
    for _ in range(LAYERS - 1):
        layer = WIDTH * layer + 1
    return WIDTH * layer + 1


def _check_order(app: App, rows: list[Row]) -> None:
    """Check that each node has one run, made and started after all its parents had ended."""
    of = {row["node"]: row for row in rows}
    assert Counter(row["node"] for row in rows) == dict.fromkeys(of, 1)
    parents = defaultdict(tuple, {
        name: planned.parents for name, planned in app.graphs["lattice"].plan.nodes.items()
    })  # fmt: skip
    for name, row in of.items():
        for parent in parents[name]:
            assert row["created_at"] >= of[parent]["finished_at"], (parent, name)
        assert row["started_at"] >= row["created_at"]


def _kill_one_at_work(workers: list[Program], crew: Crew, *, least: int) -> None:
    eventually(lambda: len(traces(crew.trail)) > least, 60 + GRAPHS / 5)
    victim = workers.pop(random.randrange(len(workers)))
    victim.kill()
    workers.append(crew.start_worker())


def _live(app: App) -> int:
    found = app.store.read(lambda tx: counts(tx, namespace="default"))
    return sum(number for state, number in found.items() if state not in FINAL)
