"""Nodes and timelines of runs behind a server, as the database has them."""

from __future__ import annotations

from datetime import datetime

import msgspec

from rota.client.documents import Answer, ms_or_none
from rota.clock import to_ms
from rota.engine.graphs.views.nodes import NodeView
from rota.engine.graphs.views.timeline import Part, Timeline, TimelineSpan, TimelineTrack
from rota.model.run import RunView
from rota.rules.graphs.progress import Progress


class _Map(Answer):
    total: int
    done: int
    failed: int
    made: int | None = None
    kept: int = 0


class _Node(Answer):
    name: str
    job: str
    level: int
    is_graph: bool
    run_id: str | None
    started_at: datetime | None
    finished_at: datetime | None
    attempt: int | None
    reason: str | None
    cached: str | None
    map: _Map | None
    group: str | None = None
    standing: str | None = None
    run_status: str | None = None
    parents: tuple[str, ...] = ()
    created_at: datetime | None = None


class _Graph(Answer):
    nodes: list[_Node]


class _Progress(Answer):
    done: int
    total: int
    by_state: dict[str, int]
    share: float
    estimate_ms: int | None
    ends_at: datetime | None
    unknown: int
    critical_path: tuple[str, ...]


class NodesAnswer(Answer):
    """A run of a graph, node by node."""

    graph: _Graph | None
    progress: _Progress

    def views(self) -> list[NodeView]:
        """Those of a run that has begun."""
        found = self.graph.nodes if self.graph else []
        return [_view(each, each.standing) for each in found if each.standing is not None]

    def told(self) -> Progress:
        """How far it is; the way that a run took, which is over, is no way left."""
        said = self.progress
        return Progress(
            total=said.total,
            done=said.done,
            states=said.by_state,
            share=said.share,
            critical_path=said.critical_path if said.done < said.total else (),
            left_ms=said.estimate_ms,
            ends_at=ms_or_none(said.ends_at),
            unknown=said.unknown,
        )


def _view(node: _Node, standing: str) -> NodeView:
    counts = node.map
    return NodeView(
        name=node.name,
        state=standing,
        job=node.job,
        run_id=node.run_id,
        run_state=node.run_status,
        reason=node.reason,
        cached_from=node.cached,
        parents=node.parents,
        level=node.level,
        attempt=node.attempt,
        created_at=ms_or_none(node.created_at),
        started_at=ms_or_none(node.started_at),
        finished_at=ms_or_none(node.finished_at),
        width=counts.total if counts else None,
        made=counts.made if counts else None,
        ended=counts.done if counts else None,
        bad=counts.failed if counts else None,
        kept=counts.kept if counts else 0,
        group=node.group,
        is_graph=node.is_graph,
    )


class _Stretch(Answer):
    part: Part
    start_at: datetime
    end_at: datetime


class _Track(Answer):
    name: str
    state: str
    attempts: int
    instances: int | None
    stretches: list[_Stretch] = msgspec.field(default_factory=list)


class TimelineAnswer(Answer):
    """A run and what it is made of."""

    start_at: datetime
    end_at: datetime
    tracks: list[_Track]

    def of(self, run: RunView, *, is_paused: bool = False) -> Timeline:
        """As the database has it."""
        return Timeline(
            run=run,
            is_paused=is_paused,
            start_at=to_ms(self.start_at),
            end_at=to_ms(self.end_at),
            tracks=tuple(
                TimelineTrack(
                    name=track.name,
                    state=track.state,
                    attempts=track.attempts,
                    instances=track.instances,
                    stretches=tuple(
                        TimelineSpan(
                            part=each.part, start_at=to_ms(each.start_at), end_at=to_ms(each.end_at)
                        )
                        for each in track.stretches
                    ),
                )
                for track in self.tracks
            ),
        )
