"""The timeline of a run: when it, or each of its nodes, waited and ran."""

from __future__ import annotations

from typing import Literal

import msgspec
from litestar import get
from litestar.params import FromPath

from rota.api.identity.authorization import needs
from rota.api.server.documents import Document, Moment, then
from rota.api.server.request import ApiRequest
from rota.engine.graphs.views.timeline import Timeline, timeline
from rota.operations.runs.visible import visible_run
from rota.store.base import Tx


class StretchDocument(Document):
    """A part of the time of a run."""

    part: Literal["queued", "running", "failed"]
    """failed: an attempt that did not succeed."""
    start_at: Moment
    end_at: Moment


class TrackDocument(Document):
    """What one node did over time; without stretches if it never had a run."""

    name: str
    state: str
    attempts: int
    instances: int | None
    """Of a mapped node: how many runs are taken together."""
    stretches: list[StretchDocument]


class TimelineDocument(Document):
    """A run and what it is made of; a run that is no graph is made of itself."""

    run_id: str = msgspec.field(name="executionId")
    start_at: Moment
    end_at: Moment
    """Now, for a run that goes on."""
    tracks: list[TrackDocument]


@get("/runs/{run_id:str}/timeline", **needs("viewer"))
async def show_timeline(request: ApiRequest, run_id: FromPath[str]) -> TimelineDocument:
    """When the nodes of a run waited and ran, attempt by attempt."""

    def look(tx: Tx) -> Timeline:
        visible_run(tx, request.caller, run_id)
        return timeline(tx, run_id, namespace=request.namespace)

    found = await request.read(look)
    return TimelineDocument(
        run_id=run_id,
        start_at=then(found.start_at),
        end_at=then(found.end_at),
        tracks=[
            TrackDocument(
                name=track.name,
                state=track.state,
                attempts=track.attempts,
                instances=track.instances,
                stretches=[
                    StretchDocument(
                        part=each.part, start_at=then(each.start_at), end_at=then(each.end_at)
                    )
                    for each in track.stretches
                ],
            )
            for track in found.tracks
        ],
    )


ROUTES = (show_timeline,)
