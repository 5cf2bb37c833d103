"""Runs of graphs in the hands of a program: see the nodes, pause, resume, decide how one ends."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from rota.operations.graphs.nodes import (
    MarkBody,
    mark_node,
    pause_run,
    resume_run,
    show_nodes,
    show_timeline,
)
from rota.rules.text.checks import one_of

if TYPE_CHECKING:
    from rota.handles.backend import Backend
    from rota.model.graphs.run_nodes import NodeView, Progress, RunNodes
    from rota.model.graphs.timeline import Timeline

MARKS = ("success", "failed", "skipped")


class GraphRun:
    """The verbs that a run of a graph has beside those of every run."""

    __slots__ = ()
    id: str

    @property
    @abstractmethod
    def _backend(self) -> Backend: ...

    def graph(self) -> RunNodes:
        """Its nodes and its progress, of one moment."""
        return self._backend.call(show_nodes, self.id)

    def nodes(self) -> list[NodeView]:
        """Where the nodes of a run of a graph stand, parents first; none of another run."""
        return self.graph().begun()

    def progress(self) -> Progress:
        """How far it is: nodes by state, what decides when it ends, and about when that is."""
        return self.graph().progress

    def timeline(self) -> Timeline:
        """When it, or each of its nodes, waited and ran."""
        return self._backend.call(show_timeline, self.id)

    def pause(self, why: str = "") -> None:
        """Of a graph: no other node starts until it is resumed; those that run may end."""
        self._backend.call(pause_run, self.id, reason=why or None)

    def resume(self, why: str = "") -> None:
        """Go on where it was paused."""
        self._backend.call(resume_run, self.id, reason=why or None)

    def mark(self, node: str, ending: str, why: str = "") -> None:
        """Say how a node ends that has not: `success`, `failed` or `skipped`.

        It ends so when what it does has stopped; marked again, at once.
        """
        body = MarkBody(node=node, ending=one_of("ending", ending, MARKS), reason=why or None)
        self._backend.call(mark_node, self.id, body)
