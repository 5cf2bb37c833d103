"""Earlier tries: what was done of a node before, in this run or in one that it redoes."""

from __future__ import annotations

import msgspec

from rota.engine.graphs.nodes.rows import NodeRow
from rota.engine.values.stored_text import read
from rota.model.states import State
from rota.store.base import Tx

CHUNK = 10_000
"""Endings of instances that are read at once."""


class EarlierTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """As a node's row has it."""

    runs: tuple[str, ...] = ()
    """Of a mapped node: runs of the graph that have results of its items, the newest first."""
    width: int = 0
    """How many instances it had at least."""
    kept: int = 0
    """How many results of them it has kept."""
    child: str | None = None
    """Of a node that is a graph: the run to go on from."""
    tries: int = 0
    """How often the run has begun again; ids of instances grow with it."""
    is_mixed: bool = False
    """The run has instances of another list, too: nothing can be kept of it any more."""


_earlier = msgspec.json.Decoder(EarlierTry)


def earlier_of(text: str | None) -> EarlierTry | None:
    return None if text is None else read(_earlier, text, "what was done of a node before")


def text_of(earlier: EarlierTry) -> str:
    return msgspec.json.encode(earlier).decode()


def with_kept(text: str | None, more: int) -> str | None:
    """The same with so many results kept besides."""
    known = earlier_of(text)
    if known is None or not more:
        return text
    return text_of(msgspec.structs.replace(known, kept=known.kept + more))


def sources_of(graph_id: str, run_id: str | None, earlier: str | None) -> list[str]:
    """The runs of the graph with instances of a mapped node, the newest first.

    A rerun that keeps the whole node has none of its own: `run_id` says whose they are.
    """
    known = earlier_of(earlier)
    return list(dict.fromkeys((run_id or graph_id, *(known.runs if known else ()))))


class EarlierInstances:
    """The instances that a mapped node had before; of most nodes none, and nothing is read."""

    def __init__(self, tx: Tx, row: NodeRow) -> None:
        self._tx = tx
        self._name = row.name
        known = earlier_of(row.earlier)
        self._runs = known.runs if known else ()
        self._high = 0
        self._seen: dict[int, tuple[str, State]] = {}

    def has(self, index: int) -> bool:
        """Whether this one has a result, which is kept."""
        return bool(self._runs) and self._last(index)[1] is State.SUCCESS

    def run_of(self, index: int) -> str | None:
        """The run that carried it out last, and that did not succeed."""
        return self._last(index)[0] or None if self._runs else None

    def _last(self, index: int) -> tuple[str, State]:
        if index >= self._high:
            self._high = index + CHUNK
            for run in reversed(self._runs):  # what a newer run says counts
                at = {"graph_id": run, "name": self._name, "low": index, "high": self._high}
                for row in self._tx.all("instance_endings", **at):
                    self._seen[row["item"]] = str(row["id"]), State(row["state"])
        return self._seen.get(index, ("", State.PENDING))
