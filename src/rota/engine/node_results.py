"""Node results: what nodes gave back, read where others need it; never copied from run to run."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import msgspec

from rota.engine.courses import Course
from rota.engine.nodes import NodeRow, Place
from rota.model.states import State
from rota.rules.expressions import Values
from rota.store.base import Tx

CHUNK = 10_000
"""Results of instances that are read at once."""


class Known:
    """States and results of nodes, as values."""

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._states: dict[Place, str] = {}
        self._results: dict[Place, Any] = {}

    def load(self, wanted: Iterable[Place]) -> None:
        """Have these at hand, all in one statement; mapped nodes take some more."""
        missing: list[Place] = []
        for place in sorted({place for place in wanted if place not in self._states}):
            row: NodeRow | None = self._tx.fresh.get(place)
            if row is None:
                missing.append(place)
            else:
                self._keep(place, row.state, row.result, row.width, row.run_id)
        if missing:
            batch = json.dumps([{"graph_id": graph, "name": name} for graph, name in missing])
            for found in self._tx.all("load_nodes", batch=batch):
                at = str(found["graph_id"]), str(found["name"])
                self._keep(at, found["state"], found["result"], found["width"], found["run_id"])

    def _keep(
        self, place: Place, state: str, result: str | None, width: int | None, run_id: object
    ) -> None:
        self._states[place] = state
        if width is not None:
            # A rerun keeps the instances of the run before.
            source = str(run_id) if run_id else place[0]
            self._results[place] = self._listed((source, place[1]), width)
        elif result is not None:
            self._results[place] = msgspec.json.decode(result)

    def values(
        self, course: Course, names: Iterable[str], *, item: Any = None, position: int = 0
    ) -> Values:
        """For expressions and arguments of one node."""
        places = {name: (course.graph_id, name) for name in names}
        return Values(
            results={name: self._results.get(place) for name, place in places.items()},
            states={name: self._states.get(place, "pending") for name, place in places.items()},
            params=course.params,
            item=item,
            position=position,
        )

    def _listed(self, place: Place, width: int) -> list[Any]:
        """The results of all instances, in order; null for those without one."""
        graph_id, name = place
        found: list[Any] = [None] * width
        for low in range(0, width, CHUNK):
            rows = self._tx.all(
                "instance_results", graph_id=graph_id, name=name, low=low, high=low + CHUNK
            )
            for row in rows:
                if row["state"] == State.SUCCESS and row["result"] is not None:
                    found[row["item"]] = msgspec.json.decode(row["result"])
        return found
