"""Node rows: the state of each node of a graph run, as rows that a transaction has locked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from rota.engine.failures.batch_isolation import keepable
from rota.engine.values.stored_text import read
from rota.model.runs.run import NO_TYPE, ErrorDetail
from rota.rules.graphs import Planned
from rota.rules.graphs.joins import Counts, Ending
from rota.store.base import Ask, Row, Tx

END = ""
"""The name of the row that stands for the end of the whole graph run."""
TRIPPED = "tripped"
"""The state of the `END` row when only teardowns and other spared nodes may still start."""
WAITING = ("pending", "held")
"""The states of a node that its parents have not let run yet; `held` if the run is paused."""
FINAL = frozenset(Ending)
STATES = FINAL.union(("pending", "held", "ready", "active"))
MAX_REASON = 500
MAX_MESSAGE = 2_000

Place = tuple[str, str]
"""The id of the graph run, and the name of the node."""

_FIELDS = tuple(Ending)
_SETUPS = ("setup_success", "setup_failed", "setup_skipped")
_PLACES = {name: at for at, name in enumerate((*_FIELDS, *_SETUPS, "settled"))}
_counts = msgspec.json.Decoder(list[int])
NONE = "[0,0,0,0,0,0,0,0,0]"


class NodeRow(msgspec.Struct, kw_only=True, omit_defaults=True, gc=False):
    """One node row, changed in memory and then written."""

    graph_id: str
    name: str
    state: str
    counts: str
    version: int | None = None
    run_id: str | None = None
    result: str | None = None
    """The result as JSON text if another node needs it; for a failed node, its error."""
    reason: str | None = None
    width: int | None = None
    made: int | None = None
    ended: int | None = None
    bad: int | None = None
    earlier: str | None = None
    """Earlier work on the node that need not be repeated; see `engine/graphs/earlier_tries.py`."""

    @property
    def place(self) -> Place:
        return self.graph_id, self.name

    @property
    def is_final(self) -> bool:
        return self.state in FINAL

    @property
    def settled(self) -> int:
        """The number of parents that have ended together with all nodes above them."""
        return _counts.decode(self.counts)[_PLACES["settled"]]

    def add(self, *fields: str) -> None:
        counts = _counts.decode(self.counts)
        for field in fields:
            counts[_PLACES[field]] += 1
        self.counts = msgspec.json.encode(counts).decode()

    def joined(self, planned: Planned) -> Counts:
        """The counts on which the node's join decides."""
        counts = _counts.decode(self.counts)
        return Counts._make((len(planned.parents), *counts[:5], len(planned.setups), *counts[5:8]))


class NodeError(msgspec.Struct, frozen=True):
    """The error of a failed node, for the nodes after it."""

    type: str
    message: str


_node_error = msgspec.json.Decoder(NodeError)


def error_text(error: ErrorDetail | None, reason: str | None) -> str:
    """Return the error of a failed node as the JSON text that its row keeps."""
    kind = error.type if error else NO_TYPE
    message = (error.message if error else reason) or ""
    node_error = NodeError(keepable(kind)[:MAX_REASON], keepable(message)[:MAX_MESSAGE])
    return msgspec.json.encode(node_error).decode()


def read_error(text: str | None) -> dict[str, str] | None:
    """Return the error of a failed node from the text in its row; None if it has none."""
    try:
        return msgspec.structs.asdict(_node_error.decode(text)) if text else None
    except msgspec.MsgspecError:
        return None


class DecidedEnd(msgspec.Struct, frozen=True, kw_only=True):
    """The decided ending of a graph run that winds down, whatever its nodes do meanwhile."""

    verb: Literal["cancel", "fail_graph"]
    reason: str | None = None


_decided = msgspec.json.Decoder(DecidedEnd)


def decide(end: NodeRow, how: DecidedEnd) -> None:
    """Record the ending in the `END` row; code that cannot read it sees a failed run."""
    end.state, end.result = TRIPPED, msgspec.json.encode(how).decode()
    end.reason = end.reason or how.reason


def decided(result: str | None) -> DecidedEnd | None:
    """The ending recorded in the `END` row; None if there is none."""
    return None if result is None else read(_decided, result, "how the run is to end")


class NodeRows:
    """The node rows that one transaction has locked, and those it has changed."""

    def __init__(self, tx: Tx, now: int = 0) -> None:
        self._tx = tx
        self.rows: dict[Place, NodeRow] = {}
        self._changed: dict[Place, NodeRow] = {}
        self._fresh: dict[Place, NodeRow] = {}
        self.now = now
        """The database's clock."""

    def lock(self, places: Iterable[Place]) -> None:
        """Lock and load these rows; no other transaction changes them until this one commits."""
        missing = sorted({place for place in places if place not in self.rows})
        if missing:
            batch = json.dumps([{"graph_id": graph, "name": name} for graph, name in missing])
            self._keep(self._tx.all("lock_nodes", batch=batch))

    def lock_waiting(self, graph_id: str) -> list[NodeRow]:
        """Lock and return all nodes of a graph run that have not ended."""
        self.flush()
        rows = self._tx.all("lock_waiting_nodes", graph_id=graph_id)
        self._keep([row for row in rows if (graph_id, row["name"]) not in self.rows])
        return [self.rows[graph_id, row["name"]] for row in rows]

    def lock_ready(self, graph_id: str, *, limit: int) -> list[NodeRow]:
        """Lock and return up to `limit` nodes that may run but have no place yet."""
        rows = self._tx.all("lock_ready_nodes", graph_id=graph_id, limit=limit)
        self._keep([row for row in rows if (graph_id, row["name"]) not in self.rows])
        return [self.rows[graph_id, row["name"]] for row in rows]

    def add(self, row: NodeRow) -> None:
        """Add a row that is not in the database yet."""
        self.rows[row.place] = self._fresh[row.place] = row

    def change(self, row: NodeRow) -> None:
        if row.place not in self._fresh:
            self._changed[row.place] = row

    def flush(self, others: Sequence[Ask] = ()) -> None:
        """Write new and changed rows, together with the statements of `others`."""
        asks = list(others)
        for statement, rows in (("insert_nodes", self._fresh), ("save_nodes", self._changed)):
            if rows:
                ordered = [rows[place] for place in sorted(rows)]
                asks.append((statement, {"batch": msgspec.json.encode(ordered).decode()}))
                self._tx.fresh.update((row.place, row) for row in ordered if row.is_final)
                rows.clear()
        self._tx.execute_all(asks)

    def _keep(self, rows: Sequence[Row]) -> None:
        for row in rows:
            node = node_row(row)
            self.rows[node.place] = node
            self.now = row["now"]


def node_row(row: Row) -> NodeRow:
    return NodeRow(
        graph_id=str(row["graph_id"]),
        name=row["name"],
        state=row["state"],
        version=row["version"],
        run_id=str(row["run_id"]) if row["run_id"] else None,
        result=row["result"],
        reason=row["reason"],
        counts=row["counts"],
        width=row["width"],
        made=row["made"],
        ended=row["ended"],
        bad=row["bad"],
        earlier=row["earlier"],
    )
