"""Watches a run: takes one look after the other, and finds the changes between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, Protocol

from rota.cli.pages.states import run_word
from rota.clock import elapsed_s
from rota.errors import RunNotFinished
from rota.model.graphs.run_nodes import NodeView, Progress
from rota.model.runs.run import RunView
from rota.model.states import FINAL
from rota.rules.text.duration import parse_duration

if TYPE_CHECKING:
    from rota.cli.connect.backends import Handle, Place

LOOK_S = 0.3
PATIENCE = 5
"""The most part of the time that is spent on looking: slow looks are made more rarely."""
MOST_INNER = 20
"""The most sub-graphs whose nodes are shown."""
STEP = 0.1
"""The part of a mapped node's instances that must end before its change is shown."""


class RunLook(NamedTuple):
    """A run at one moment."""

    run: RunView
    nodes: dict[str, NodeView]
    """The nodes by path: those of a running sub-graph stand below its own node."""
    progress: Progress
    now: int
    is_paused: bool = False
    """Whether the run of a graph is paused: no other nodes start until it is resumed."""

    @property
    def state(self) -> str:
        """The state of the run in the store."""
        return self.run.state.value

    @property
    def word(self) -> str:
        """The word that people use for the state of the run."""
        return run_word(self.state, is_paused=self.is_paused)


class NodeChange(NamedTuple):
    """A difference from the look before."""

    path: str
    """The path of the node; empty for the run itself."""
    word: str
    was: str | None
    node: NodeView | None = None


class RunScreen(Protocol):
    """An output for looks."""

    def show(self, look: RunLook) -> None: ...


def watch(here: Place, run: Handle, screen: RunScreen, timeout: str | None) -> None:
    """Show the run until it has ended; RunNotFinished when that takes longer than the timeout."""
    end_s = elapsed_s() + parse_duration(timeout) / 1000 if timeout else float("inf")
    while True:
        began_s = elapsed_s()
        view = take_look(here, run)
        screen.show(view)
        if view.run.state in FINAL:
            return
        rest_s = max(LOOK_S, PATIENCE * (elapsed_s() - began_s))
        left_s = end_s - elapsed_s()
        try:
            run.wait(max(0.0, min(rest_s, left_s)))
        except RunNotFinished:
            if left_s <= rest_s:
                raise RunNotFinished(f"run {run.id} has not ended after {timeout}") from None


def take_look(here: Place, run: Handle) -> RunLook:
    """Return the run now, with the nodes of its running sub-graphs."""
    from rota.cli.connect.backends import now_at  # it loads the app

    graph = run.graph()
    views: dict[str, NodeView] = {}
    _add_nodes(here, graph.begun(), "", views, [MOST_INNER])
    return RunLook(run.show(), views, graph.progress, now_at(here), graph.paused)


def _add_nodes(
    here: Place,
    own: list[NodeView],
    prefix: str,
    views: dict[str, NodeView],
    room: list[int],
) -> None:
    """Add the nodes of a run, and below them those of its running sub-graphs."""
    for node in own:
        path = f"{prefix}{node.name}"
        views[path] = node
        if node.is_graph and node.state == "active" and node.run_id is not None and room[0]:
            room[0] -= 1
            _add_nodes(here, here.run(node.run_id).nodes(), f"{path}/", views, room)


class RunChanges:
    """The changes of each look; for a run its state, or the word that people use for it."""

    def __init__(self, *, in_words: bool = False) -> None:
        self._in_words = in_words
        self._words: dict[str, str] = {}
        self._shares: dict[str, float] = {}

    def of(self, look: RunLook) -> Iterator[NodeChange]:
        """Yield the changes of the run and then of its nodes; the end of the run comes last."""
        if look.run.state not in FINAL:
            yield from self._of_run(look)
        for path, node in look.nodes.items():
            word, was = node.word, self._words.get(path, "pending")
            share = node.map.done / node.map.total if node.map and node.map.total else 0.0
            is_further = share - self._shares.get(path, 0.0) >= STEP
            if word != was or (is_further and word == "running"):
                self._words[path], self._shares[path] = word, share
                yield NodeChange(path, word, was, node)
        yield from self._of_run(look)

    def _of_run(self, look: RunLook) -> Iterator[NodeChange]:
        was, state = self._words.get(""), look.word if self._in_words else look.state
        if state != was:
            self._words[""] = state
            yield NodeChange("", state, was)
