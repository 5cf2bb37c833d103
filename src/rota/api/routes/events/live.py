"""The live stream: server-sent events about runs, their lines, queues and workers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from litestar import get
from litestar.params import FromQuery
from litestar.response import Stream

from rota.api.identity.authorization import needs
from rota.api.live.client import LiveClient
from rota.api.live.topics import parse_resume, parse_topics
from rota.api.server.request import ApiRequest
from rota.clock import elapsed_s

HEARTBEAT_S = 15.0
LOOK_S = 2.0
ALL = "runs,queues,workers"


@get("/events", **needs("viewer"), media_type="text/event-stream")
async def stream_events(request: ApiRequest, topics: FromQuery[str] = ALL) -> Stream:
    """Things as they are, whenever they change: `run`, `queue`, `worker`, `log`.

    `topics` names some of runs, queues, workers, changes and `logs:RUN`. `changed` (of changes)
    means that somebody did something, or deployed: fetch definitions anew. Another event tells a
    thing as it is now, maybe more than once. With the header `Last-Event-ID` the stream goes on
    where it was left, at any server. `reset` means: too much has happened, fetch what you show
    anew. `outage` means that the server cannot read its database, until it says `back`.
    """
    client = LiveClient(
        request,
        request.credential,
        parse_topics(topics),
        parse_resume(request.headers.get("last-event-id")),
    )
    facts: dict[str, Any] = request.scope  # type: ignore[assignment]
    facts["ending"] = client.end
    client.abandon = facts.get("abandon")
    await request.server_state.feed.join(client)
    return Stream(_events(request, client), headers={"X-Accel-Buffering": "no"})


async def _events(request: ApiRequest, client: LiveClient) -> AsyncIterator[bytes]:
    feed = request.server_state.feed
    try:
        yield b"retry: 2000\n%bevent: ready\ndata: {}\n\n" % client.sign(feed.floor)
        beat_s = elapsed_s()
        while not client.is_ended:
            events = await client.take(timeout_s=LOOK_S)
            if events:
                yield events
            if elapsed_s() - beat_s >= HEARTBEAT_S:
                beat_s = elapsed_s()
                # Without data this is no event; a client that comes back with its id begins here.
                yield b":\n%b\n" % client.sign(feed.floor)
    finally:
        feed.leave(client)


ROUTES = (stream_events,)
