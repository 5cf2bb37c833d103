"""Runs of graphs and their nodes as the API shows them."""

from __future__ import annotations

from collections.abc import Collection

from rota.api.routes.graphs.graphs import EdgeDocument
from rota.api.routes.runs.documents import percent
from rota.api.server.documents import Document, Moment, when
from rota.engine.graphs.views.nodes import NodeView
from rota.model.graph import Join, Kind
from rota.model.run import RunView
from rota.model.states import FINAL, State
from rota.rules.graphs import Planned
from rota.rules.graphs.progress import WAITS, Progress


class MapProgress(Document):
    """How far a mapped node is."""

    total: int
    done: int
    failed: int
    running: int
    """Made and not ended."""
    made: int | None
    kept: int
    """Of those that are done: kept from an earlier try or run, and not carried out again."""


class RunNodeDocument(Document):
    """A node of a run."""

    name: str
    job: str
    group: str | None
    kind: Kind
    join: Join
    level: int
    is_graph: bool
    state: str
    """pending, held, ready, queued, running, or how it ended."""
    standing: str | None
    """The same without what its run is doing; null before the run of the graph has begun."""
    run_status: str | None
    parents: list[str]
    run_id: str | None
    created_at: Moment | None
    started_at: Moment | None
    finished_at: Moment | None
    duration_ms: int | None
    attempt: int | None
    reason: str | None
    cached: str | None
    """The run whose result it was given."""
    map: MapProgress | None
    critical: bool
    """Whether it decides when the run ends."""
    verbs: list[str]


class RunGraph(Document):
    """The nodes of a run, parents first, and what comes after what."""

    nodes: list[RunNodeDocument]
    edges: list[EdgeDocument]


class ProgressDocument(Document):
    """How far a run is."""

    done: int
    total: int
    by_state: dict[str, int]
    percent: float | None
    share: float
    """The same, of 1."""
    estimate_ms: int | None
    """What is left, if all goes as in past runs; null if nothing is known of them."""
    ends_at: Moment | None
    unknown: int
    """Nodes that have not ended and of which no past run tells."""
    critical_path: list[str]


class NodesDocument(Document):
    """A run of a graph, node by node."""

    graph: RunGraph | None
    """Null for a run of a job that is no graph."""
    paused: bool
    progress: ProgressDocument
    verbs: list[str]


def node_document(
    planned: Planned,
    view: NodeView | None,
    run: RunView,
    critical: Collection[str],
    *,
    may_act: bool,
) -> RunNodeDocument:
    node = planned.node
    seen = view or NodeView(name=node.name, state="pending", job=node.job or node.graph or "")
    took = seen.started_at is not None and seen.finished_at is not None
    return RunNodeDocument(
        name=node.name,
        job=seen.job,
        group=node.group,
        kind=node.kind,
        join=planned.join,
        level=planned.level,
        is_graph=node.graph is not None,
        state=seen.word,
        standing=None if view is None else view.state,
        run_status=seen.run_state,
        parents=list(planned.parents),
        run_id=seen.run_id,
        created_at=when(seen.created_at),
        started_at=when(seen.started_at),
        finished_at=when(seen.finished_at),
        duration_ms=(seen.finished_at or 0) - (seen.started_at or 0) if took else None,
        attempt=seen.attempt,
        reason=seen.reason,
        cached=seen.cached_from,
        map=_map(seen),
        critical=node.name in critical,
        verbs=_verbs(seen, run) if may_act else [],
    )


def progress_document(progress: Progress) -> ProgressDocument:
    return ProgressDocument(
        done=progress.done,
        total=progress.total,
        by_state=progress.states,
        percent=percent(progress.share),
        share=progress.share,
        estimate_ms=progress.left_ms,
        ends_at=when(progress.ends_at),
        unknown=progress.unknown,
        critical_path=list(progress.critical_path),
    )


def _map(view: NodeView) -> MapProgress | None:
    if view.width is None:
        return None
    ended = view.ended or 0
    is_over = view.state not in WAITS
    return MapProgress(
        total=view.width,
        done=ended,
        failed=view.bad or 0,
        made=view.made,
        kept=view.kept,
        running=0 if is_over else max(0, (view.made or 0) - ended),
    )


def _verbs(view: NodeView, run: RunView) -> list[str]:
    if run.state in FINAL:
        return ["rerun"] if run.parent_id is None else []
    return ["mark"] if run.state is State.SUSPENDED and view.state in WAITS else []
