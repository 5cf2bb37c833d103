"""Runs of one graph that take turns: never more at once than may."""

from __future__ import annotations

from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import look
from tests.contract.graph_builders import Flow, graph, node


def test_of_runs_that_are_claimed_together_only_so_many_begin(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")], max_runs=2))
    runs = [flow.submit() for _ in range(4)]

    flow.begin()

    assert [look(store, run).state for run in runs] == [
        State.SUSPENDED, State.SUSPENDED, State.PENDING, State.PENDING
    ]  # fmt: skip
