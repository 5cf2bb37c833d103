"""The nodes of a graph run as people see them: their states, and the progress of the run."""

from __future__ import annotations

import msgspec

from rota.clock import Moment
from rota.model.graphs.graph import Join, Kind
from rota.model.view import View


class MapProgress(View, frozen=True):
    """The progress of a mapped node."""

    total: int
    done: int
    failed: int
    running: int
    """Made and not ended."""
    made: int | None
    kept: int = 0
    """Done instances that were kept from an earlier try or run, and not carried out again."""


class NodeView(View, frozen=True):
    """A node of a run."""

    name: str
    job: str
    word: str = msgspec.field(name="state")
    """pending, held, ready, queued, running, or how it ended."""
    state: str | None = msgspec.field(name="standing")
    """pending, held (the run is paused), ready, active, or how it ended: `state` without what its
    run is doing; null before the run of the graph has begun."""
    group: str | None = None
    """Under which it is drawn; `load/parts` lies within `load`."""
    kind: Kind = "work"
    join: Join = "all_success"
    level: int = 0
    """0 for a node without parents."""
    is_graph: bool = False
    """Whether its run has nodes of its own."""
    run_state: str | None = msgspec.field(default=None, name="runStatus")
    parents: tuple[str, ...] = ()
    run_id: str | None = None
    created_at: Moment | None = None
    started_at: Moment | None = None
    finished_at: Moment | None = None
    duration_ms: int | None = None
    attempt: int | None = None
    reason: str | None = None
    cached_from: str | None = msgspec.field(default=None, name="cached")
    """The run whose result it was given."""
    map: MapProgress | None = None
    critical: bool = False
    """Whether it decides when the run ends."""
    verbs: tuple[str, ...] = ()
    """The verbs that the caller may use on it now."""


class GraphEdge(View, frozen=True):
    """One node after another."""

    before: str = msgspec.field(name="from")
    after: str = msgspec.field(name="to")
    when: str | None = None
    """The condition of the second one, if it has one."""


class RunGraph(View, frozen=True):
    """The nodes of a run, parents first, and what comes after what."""

    nodes: list[NodeView]
    edges: list[GraphEdge]


class Progress(View, frozen=True):
    """The progress of a run."""

    done: int
    total: int
    states: dict[str, int] = msgspec.field(default_factory=dict, name="byState")
    """The number of nodes in each state."""
    percent: float | None = 0.0
    share: float = 0.0
    """The share done, from 0 to 1; each node weighs the same, and each instance in a map."""
    left_ms: int | None = msgspec.field(default=None, name="estimateMs")
    """The estimated time for the critical path; null if no past run has a node on it."""
    ends_at: Moment | None = None
    unknown: int = 0
    """The number of nodes that have not ended and that no past run tells about."""
    critical_path: tuple[str, ...] = ()
    """The nodes that determine when the run ends, in order; once it has ended, those that did."""


class RunNodes(View, frozen=True):
    """A run of a graph, node by node."""

    graph: RunGraph | None
    """Null for a run of a job that is no graph."""
    paused: bool
    """No other nodes start until somebody resumes it."""
    progress: Progress
    verbs: tuple[str, ...]

    def begun(self) -> list[NodeView]:
        """Return its nodes; none for a run that is no graph or has not begun."""
        nodes = self.graph.nodes if self.graph else []
        return [each for each in nodes if each.state is not None]
