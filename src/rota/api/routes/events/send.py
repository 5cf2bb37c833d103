"""Events from outside: a named fact starts every schedule that listens to it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import msgspec
from litestar import post
from litestar.params import JSONBody

from rota.api.identity.authorization import needs
from rota.api.runs.payload_limits import check_payload
from rota.api.server.documents import Document
from rota.api.server.request import ApiRequest
from rota.app.events import new_event
from rota.engine.events import send
from rota.engine.identity.audit_log import Actor
from rota.engine.identity.namespaces import check_room, find_namespace
from rota.ids import new_id
from rota.model.view import Body
from rota.operations.permissions import check_job
from rota.store.base import Tx


class EventBody(Body):
    """A fact to tell of."""

    event: str
    """Its name, as in `@event orders.closed`."""
    payload: Any = None
    """Fields that are parameters of a job become its arguments; `event` gets all of it."""
    key: str | None = None
    """Of the fact: sent twice with one key, it is one event, whoever sends it."""


class HeardDocument(Document):
    """What became of an event at one of the schedules that listen."""

    schedule: str
    decision: str
    """started, waits, skipped, dropped or blackout."""
    run_id: str | None = msgspec.field(name="executionId")


class SentDocument(Document):
    """An event on record."""

    id: str
    is_new: bool
    """False when its key was used before: nothing was started again."""
    heard: list[HeardDocument]


@post("/events", **needs("operator", changes=True))
async def send_event(request: ApiRequest, data: JSONBody[EventBody]) -> SentDocument:
    """Tell of an event: every schedule that listens starts, in one transaction.

    A credential for some queues tells of events that start nothing in other queues.
    """
    event = new_event(data.event, data.payload, key=data.key)

    def tell(tx: Tx, by: Actor) -> SentDocument:
        quotas = find_namespace(tx, request.namespace).quotas
        check_room(tx, request.namespace, more=1, quotas=quotas)
        check_payload("the payload takes", event.payload, quotas, request.server_state.options)
        sent = send(
            tx,
            event,
            namespace=request.namespace,
            sent_by=by.who,
            compiled=request.server_state.app.schedules.compiled,
            new_id=new_id,
            check=lambda jobs: _check_jobs(tx, request, jobs),
            reaches=None if request.credential.queues is None else request.credential.reaches,
        )
        heard = [
            HeardDocument(schedule=each.schedule, decision=each.decision, run_id=each.run_id)
            for each in sent.heard
        ]
        return SentDocument(id=sent.id, is_new=sent.is_new, heard=heard)

    return await request.change("send event", event.name, tell, answers=SentDocument)


def _check_jobs(tx: Tx, request: ApiRequest, jobs: Collection[str]) -> None:
    for job in sorted(jobs):
        check_job(tx, request.credential, job)


ROUTES = (send_event,)
