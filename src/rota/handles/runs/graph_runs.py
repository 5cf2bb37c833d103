"""Handles for runs of graphs: show the nodes, pause, resume, decide how a node ends."""

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


class GraphRunVerbs:
    """The verbs of a graph's run, besides those of every run."""

    __slots__ = ()
    id: str

    @property
    @abstractmethod
    def _backend(self) -> Backend: ...

    def graph(self) -> RunNodes:
        """Return the nodes and the progress of the run, at one moment."""
        return self._backend.call(show_nodes, self.id)

    def nodes(self) -> list[NodeView]:
        """Return the nodes of a run of a graph, parents first; none for another run."""
        return self.graph().begun()

    def progress(self) -> Progress:
        """Return the progress: nodes by state, the path that decides its end, and about when."""
        return self.graph().progress

    def timeline(self) -> Timeline:
        """Return when the run, or each of its nodes, waited and ran."""
        return self._backend.call(show_timeline, self.id)

    def pause(self, why: str = "") -> None:
        """Pause a graph's run: no other node starts until it is resumed; running nodes may end."""
        self._backend.call(pause_run, self.id, reason=why or None)

    def resume(self, why: str = "") -> None:
        """Resume a paused run of a graph where it stopped."""
        self._backend.call(resume_run, self.id, reason=why or None)

    def mark(self, node: str, ending: str, why: str = "") -> None:
        """Decide how a node ends that has not ended: `success`, `failed` or `skipped`.

        The node ends so when its work has stopped; marked again, at once.
        """
        body = MarkBody(node=node, ending=one_of("ending", ending, MARKS), reason=why or None)
        self._backend.call(mark_node, self.id, body)
