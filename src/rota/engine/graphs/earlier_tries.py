"""Earlier tries: the work done on a node before, in this run or in the run that it repeats."""

from __future__ import annotations

import msgspec

from rota.engine.graphs.nodes.rows import NodeRow
from rota.engine.values.stored_text import read
from rota.model.states import State
from rota.store.base import Tx

CHUNK = 10_000
"""The number of instance endings read at once."""


class EarlierTry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The earlier work on a node, as stored in the node's row."""

    runs: tuple[str, ...] = ()
    """For a mapped node: the runs of the graph with results of its items, newest first."""
    width: int = 0
    """The least number of instances that the node had."""
    kept: int = 0
    """The number of instance results that are kept."""
    child: str | None = None
    """For a node that is a graph: the run to continue from."""
    tries: int = 0
    """How often the run has begun again; the ids of instances grow with this number."""
    is_mixed: bool = False
    """Whether the run also has instances of another list, so that nothing can be kept."""


_earlier = msgspec.json.Decoder(EarlierTry)


def earlier_of(text: str | None) -> EarlierTry | None:
    return None if text is None else read(_earlier, text, "what was done of a node before")


def text_of(earlier: EarlierTry) -> str:
    return msgspec.json.encode(earlier).decode()


def with_kept(text: str | None, more: int) -> str | None:
    """The earlier tries as JSON text, with `more` added to the number of kept results."""
    earlier = earlier_of(text)
    if earlier is None or not more:
        return text
    return text_of(msgspec.structs.replace(earlier, kept=earlier.kept + more))


def sources_of(graph_id: str, run_id: str | None, earlier: str | None) -> list[str]:
    """The runs of the graph with instances of a mapped node, newest first.

    A rerun that keeps the whole node has no instances of its own; `run_id` names the run that has.
    """
    tries = earlier_of(earlier)
    return list(dict.fromkeys((run_id or graph_id, *(tries.runs if tries else ()))))


class EarlierInstances:
    """The earlier instances of a mapped node; most nodes have none, and then nothing is read."""

    def __init__(self, tx: Tx, row: NodeRow) -> None:
        self._tx = tx
        self._name = row.name
        tries = earlier_of(row.earlier)
        self._runs = tries.runs if tries else ()
        self._high = 0
        self._seen: dict[int, tuple[str, State]] = {}

    def has(self, index: int) -> bool:
        """Whether the instance at this index has succeeded, so that its result is kept."""
        return bool(self._runs) and self._last(index)[1] is State.SUCCESS

    def run_of(self, index: int) -> str | None:
        """The id of the instance's last run, if one ran before; call it only if `has` is False."""
        return self._last(index)[0] or None if self._runs else None

    def _last(self, index: int) -> tuple[str, State]:
        if index >= self._high:
            self._high = index + CHUNK
            for run in reversed(self._runs):  # newer runs overwrite older ones
                at = {"graph_id": run, "name": self._name, "low": index, "high": self._high}
                for row in self._tx.all("instance_endings", **at):
                    self._seen[row["item"]] = str(row["id"]), State(row["state"])
        return self._seen.get(index, ("", State.PENDING))
