"""Definitions of graphs, graphs in a list, and the last runs of a graph side by side."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import Moment
from rota.model.graphs.graph import Join, Kind, Mode
from rota.model.graphs.run_nodes import GraphEdge
from rota.model.jobs.job import JobItem
from rota.model.states import State
from rota.model.view import View


class GraphItem(JobItem, frozen=True):
    """A graph in a list."""

    description: str
    nodes: int
    paused_runs: int
    """Runs that somebody has paused; `running` counts those whose nodes go on."""


class MapDefinition(View, frozen=True):
    """Options by which a mapped node makes its instances."""

    over: Any
    batch: int
    concurrency: int | None
    tolerate: int | str


class NodeDefinition(View, frozen=True):
    """A node as it is defined."""

    name: str
    job: str
    """Or the graph that stands there."""
    is_graph: bool
    group: str | None
    kind: Kind
    join: Join
    when: str | None
    map: MapDefinition | None
    level: int
    """0 for a node without parents."""
    retries: int | None
    timeout: str | None


class GraphView(View, frozen=True):
    """A graph as it is defined."""

    name: str
    version: int
    description: str
    origin: str
    queue: str
    mode: Mode
    timeout: str | None
    retries: int
    max_nodes: int | None
    max_runs: int | None
    depends_on_past: bool
    parameters: dict[str, Any]
    """A JSON Schema."""
    nodes: list[NodeDefinition]
    """Parents first."""
    edges: list[GraphEdge]
    verbs: tuple[str, ...]


class GridRun(View, frozen=True):
    """A column of a grid."""

    id: str = msgspec.field(name="executionId")
    state: State
    version: int
    scheduled_for: Moment | None
    """The instant of its schedule that it is for."""
    created_at: Moment
    started_at: Moment | None
    finished_at: Moment | None


class Grid(View, frozen=True):
    """The last runs of a graph beside each other."""

    runs: list[GridRun]
    """The newest first."""
    nodes: list[str]
    """Parents first, of the current version; those of other versions follow."""
    cells: dict[str, dict[str, str]]
    """State by run and node; a run that has not begun has none."""
