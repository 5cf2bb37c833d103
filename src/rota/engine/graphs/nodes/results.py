"""Node results: read where other nodes need them, and never copied from run to run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.engine.graphs.earlier_tries import sources_of
from rota.engine.graphs.graph_run import GraphRun
from rota.engine.graphs.nodes.rows import NodeRow, Place, read_error
from rota.engine.values.artifacts import load_kept, lost
from rota.engine.values.stored_text import read
from rota.model.states import State
from rota.model.values.artifact import is_pointer
from rota.rules.graphs.expressions.cel import Values
from rota.rules.graphs.joins import Ending
from rota.rules.runs.times import run_values
from rota.store.base import Tx

_any = msgspec.json.Decoder()
CHUNK = 10_000
"""The number of instance results read at once."""


class _Apart(msgspec.Struct, frozen=True):
    """A placeholder for a result that is stored elsewhere."""

    pointer: str


class _Told(NamedTuple):
    """The part of a node's row that results need, with the field names of `NodeRow`."""

    state: str
    result: str | None
    run_id: object
    width: int | None
    earlier: str | None


class NodeResults:
    """The states and results of nodes, as values."""

    def __init__(self, tx: Tx, *, widest: int | None = None) -> None:
        self._tx = tx
        self._widest = widest
        """The results of mapped nodes with more instances than this are left for later."""
        self._states: dict[Place, str] = {}
        self._results: dict[Place, Any] = {}
        self._errors: dict[Place, Any] = {}
        self._unread: set[Place] = set()
        self._pointed: dict[Place, None] = {}

    def load(self, places: Iterable[Place]) -> None:
        """Load these nodes in one statement; mapped nodes take some more."""
        missing: list[Place] = []
        for place in sorted({place for place in places if place not in self._states}):
            row: NodeRow | None = self._tx.fresh.get(place)
            if row is None:
                missing.append(place)
            else:
                self._keep(place, row)
        if missing:
            batch = json.dumps([{"graph_id": graph, "name": name} for graph, name in missing])
            for node_row in self._tx.all("load_nodes", batch=batch):
                at = str(node_row["graph_id"]), str(node_row["name"])
                self._keep(at, _Told(*(node_row[field] for field in _Told._fields)))

    def load_all(self, places: Iterable[Place]) -> None:
        """Load these nodes, including large values that the database keeps in another table."""
        self.load(places)
        self.fill(load_kept(self._tx, self.apart()))

    def is_whole(self, places: Iterable[Place]) -> bool:
        """Whether the results of these nodes are complete: none is elsewhere or unread."""
        if not self._pointed and not self._unread:
            return True
        return not any(place in self._pointed or place in self._unread for place in places)

    def apart(self) -> set[str]:
        """Pointers to the values that are not loaded yet."""
        return {each.pointer for place in self._pointed for each in self._parts(place)}

    def fill(self, texts: Mapping[str, str]) -> None:
        """Replace pointers by their values."""
        for place in tuple(self._pointed):
            value = self._results[place]
            if isinstance(value, list):
                self._results[place] = [_fill(each, texts) for each in value]
            else:
                self._results[place] = _fill(value, texts)
            if not any(self._parts(place)):
                del self._pointed[place]

    def text_of(self, place: Place) -> str:
        """The result of a node as JSON text, as stored in its row."""
        value = self._results.get(place)
        return value.pointer if isinstance(value, _Apart) else msgspec.json.encode(value).decode()

    def values(
        self, graph_run: GraphRun, names: Iterable[str], *, item: Any = None, position: int = 0
    ) -> Values:
        """The values for the expressions and arguments of one node."""
        places = {name: (graph_run.graph_id, name) for name in names}
        for name, place in places.items():
            for each in self._parts(place) if place in self._pointed else ():
                raise lost(each.pointer, f"the result of node {name!r}")
        return Values(
            results={name: self._results.get(place) for name, place in places.items()},
            states={name: self._states.get(place, "pending") for name, place in places.items()},
            params=graph_run.params,
            item=item,
            position=position,
            run=run_values(graph_run.origin),
            errors={name: self._errors.get(place) for name, place in places.items()},
        )

    def _keep(self, place: Place, row: NodeRow | _Told) -> None:
        self._states[place], width, result = row.state, row.width, row.result
        if row.state == Ending.FAILED:
            self._errors[place], result = read_error(result), None
        if width is not None and self._widest is not None and width > self._widest:
            self._unread.add(place)
            return
        if width is not None:
            # A rerun keeps instances of the run before it.
            run_id = str(row.run_id) if row.run_id else None
            sources = sources_of(place[0], run_id, row.earlier)
            self._results[place] = self._list(sources, place[1], width)
        elif result is not None and row.state != "active":  # active: its decided ending
            self._results[place] = _read(result)
        if any(self._parts(place)):
            self._pointed[place] = None

    def _parts(self, place: Place) -> Iterator[_Apart]:
        value = self._results.get(place)
        for each in value if isinstance(value, list) else (value,):
            if isinstance(each, _Apart):
                yield each

    def _list(self, sources: Sequence[str], name: str, width: int) -> list[Any]:
        """The results of all instances, in order; null for instances without a result.

        For a repeated instance, its last run in the newest run of the graph counts.
        """
        values: list[Any] = [None] * width
        for graph_id in reversed(sources):
            for low in range(0, width, CHUNK):
                at = {"graph_id": graph_id, "name": name, "low": low, "high": low + CHUNK}
                for row in self._tx.all("instance_results", **at):
                    if row["item"] < width:
                        is_good = row["state"] == State.SUCCESS and row["result"] is not None
                        values[row["item"]] = _read(row["result"]) if is_good else None
        return values


def _read(text: str) -> Any:
    return _Apart(text) if is_pointer(text) else read(_any, text, "the result of a node")


def _fill(value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, _Apart) and value.pointer in texts:
        return read(_any, texts[value.pointer], "the result of a node")
    return value
