"""Node results: what nodes gave back, read where others need it; never copied from run to run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from rota.engine.courses import Course
from rota.engine.nodes import Place
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
        missing = sorted({place for place in wanted if place not in self._states})
        if not missing:
            return
        batch = json.dumps([{"graph_id": graph, "name": name} for graph, name in missing])
        for row in self._tx.all("load_nodes", batch=batch):
            place = str(row["graph_id"]), str(row["name"])
            self._states[place] = row["state"]
            if row["width"] is not None:
                # A rerun keeps the instances of the run before.
                source = str(row["run_id"]) if row["run_id"] else place[0]
                self._results[place] = self._listed((source, place[1]), row["width"])
            elif row["result"] is not None:
                self._results[place] = msgspec.json.decode(row["result"])

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


def known_for(tx: Tx, wanted: Mapping[Place, Any] | Iterable[Place]) -> Known:
    known = Known(tx)
    known.load(wanted)
    return known
