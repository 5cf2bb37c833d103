"""Effects: calls of handlers to the outside world; those in doubt are settled by a person."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.params import FromPath, JSONBody, QueryParameter

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.routes.runs.runs import reached
from rota.api.server.documents import Document, Moment, then, when
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.app.effects import settled_text
from rota.engine.identity.audit_log import Actor
from rota.engine.runs.effects.in_doubt import doubts, effects, settle_doubt
from rota.model.effect import EffectState, EffectView
from rota.model.view import Body, Page
from rota.operations.paging import MOST, PAGE
from rota.store.base import Tx

SETTLED = ("in_doubt", "not_done")
"""States of which a person may say more."""


class EffectDocument(Document):
    """A call to the outside world that a handler made with `once`."""

    run_id: str = msgspec.field(name="executionId")
    job: str
    name: str
    state: EffectState
    idempotency_key: str
    """What the system outside knows the call by."""
    intended_at: Moment
    settled_at: Moment | None
    result: Any
    decided_by: str | None
    """Who settled it, if a person did."""
    taken_by: str | None
    """The run that does the work again and has taken it up."""
    graph_id: str | None
    verbs: list[str]


class SettleBody(Body):
    """What became of a call."""

    done: bool
    """It took place. If not, a run that does the work again makes it, with the same key."""
    result: Any = None
    """What it gave, if it took place: later runs get this."""
    reason: str | None = None


@get("/effects", **needs("viewer"))
async def list_effects(
    request: ApiRequest,
    *,
    job: Annotated[str | None, QueryParameter(name="jobId")] = None,
    limit: Annotated[int, QueryParameter(ge=1, le=MOST)] = PAGE,
) -> Page[EffectDocument]:
    """Effects in doubt, the newest first: begun, without a result, and nobody is at it."""
    queues, namespace = request.credential.queues, request.namespace
    found = await request.read(
        lambda tx: doubts(tx, namespace=namespace, job=job, queues=queues, limit=limit)
    )
    return Page(items=[_document(each, request) for each in found])


@get("/runs/{run_id:str}/effects", **needs("viewer"))
async def list_run_effects(request: ApiRequest, run_id: FromPath[str]) -> Page[EffectDocument]:
    """The calls of one run, in their order."""

    def look(tx: Tx) -> list[EffectView]:
        reached(tx, request, run_id)
        return effects(tx, run_id, namespace=request.namespace)

    return Page(items=[_document(each, request) for each in await request.read(look)])


@post(
    "/runs/{run_id:str}/effects/{name:str}/settle",
    **needs("operator", changes=True),
    status_code=200,
)
async def settle_effect(
    request: ApiRequest, run_id: FromPath[str], name: FromPath[str], data: JSONBody[SettleBody]
) -> EffectDocument:
    """Say whether a call in doubt took place, and what it gave."""
    effect = named(name)
    text = settled_text(effect, done=data.done, result=data.result)

    def settle(tx: Tx, by: Actor) -> EffectDocument:
        reached(tx, request, run_id)
        settled = settle_doubt(tx, run_id, effect, namespace=request.namespace, by=by, result=text)
        return _document(settled, request)

    return await request.change(
        "settle effect", run_id, settle, answers=EffectDocument, why=data.reason or ""
    )


def _document(effect: EffectView, request: ApiRequest) -> EffectDocument:
    verbs = ("settle",) if effect.state in SETTLED else ()
    return EffectDocument(
        run_id=effect.run_id,
        job=effect.job,
        name=effect.name,
        state=effect.state,
        idempotency_key=effect.idempotency_key,
        intended_at=then(effect.intended_at),
        settled_at=when(effect.settled_at),
        result=None if effect.result is None else msgspec.json.decode(effect.result),
        decided_by=effect.decided_by,
        taken_by=effect.taken_by,
        graph_id=effect.graph_id,
        verbs=offered(request.credential, *verbs),
    )


ROUTES = (list_effects, list_run_effects, settle_effect)
