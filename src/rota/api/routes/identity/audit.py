"""The audit: who did what, from where; and whether its chain of hashes holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import get, post
from litestar.params import FromQuery, JSONBody, QueryParameter

from rota.api.identity.authorization import needs
from rota.api.server.documents import (
    MOST,
    PAGE,
    Body,
    Document,
    Moment,
    Page,
    given_ms,
    moment_ms,
    page_start,
    then,
)
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_chain import verify_with
from rota.engine.identity.audit_log import AuditEntry, act_page
from rota.errors import NotPermitted
from rota.model.anchor import Anchor

MOST_ANCHORS = 10_000
Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


class ActDocument(Document):
    """A change that somebody made."""

    id: str
    """That of the request, for those that came over HTTP."""
    at: Moment
    who: str
    verb: str
    subject: str
    subject_name: str | None
    """Where the subject is the id of a token or a worker: its name, also of one that is gone."""
    detail: dict[str, Any]
    address: str | None
    request_id: str | None
    before: str | None
    """Digests of what was there before, and of what was answered."""
    after: str | None
    seq: int | None
    """Its place in the chain; null for a few seconds."""
    hash: str | None


class Verification(Document):
    """What a walk along the chain found."""

    is_good: bool
    acts: int
    seq: int
    hash: str
    """The last one; noted elsewhere, it proves later that the chain is still the same."""
    says: str
    anchors: int
    """How many anchors fit."""


class AnchorBody(Body):
    """What the end of the chain was, as a line of a sink has it."""

    seq: Annotated[int, msgspec.Meta(ge=0, le=2**62)]
    hash: str
    at: datetime
    kept_until: datetime | None = None


class VerifyBody(Body):
    """What was noted earlier."""

    head: str | None = None
    anchors: Annotated[list[AnchorBody], msgspec.Meta(max_length=MOST_ANCHORS)] = msgspec.field(
        default_factory=list
    )


@get("/audit", **needs("audit"))
async def list_acts(  # noqa: PLR0913  # one filter each, all named
    request: ApiRequest,
    *,
    who: FromQuery[str | None] = None,
    verb: FromQuery[str | None] = None,
    subject: FromQuery[str | None] = None,
    text: FromQuery[str | None] = None,
    since: FromQuery[datetime | None] = None,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
) -> Page[ActDocument]:
    """The newest first; `cursor` is the `next` of the page before.

    `text` finds acts that have it in who, verb, subject or details, whatever the case of its
    letters from a to z.
    A page that looks for some acts among very many may have fewer than `limit`, and a `next`.
    """
    _check_whole(request)
    start = page_start(cursor)
    since_ms = moment_ms("since", since)
    found = await request.read(
        lambda tx: act_page(
            tx,
            namespace=request.namespace,
            who=who,
            verb=verb,
            subject=subject,
            text=text,
            since=since_ms,
            before=start,
            limit=limit,
        )
    )
    return Page(
        items=[_document(each) for each in found.acts],
        next=found.next,
    )


@get("/audit/verify", **needs("audit"))
async def verify_acts(request: ApiRequest, head: FromQuery[str | None] = None) -> Verification:
    """Walk along the whole chain; `head` is a hash that was noted earlier."""
    return await _verify(request, head, [])


@post("/audit/verify", **needs("audit", changes=True), status_code=200)
async def verify_anchors(request: ApiRequest, data: JSONBody[VerifyBody]) -> Verification:
    """The same, and whether the chain is the one of which these anchors were noted."""
    anchors = [
        Anchor(
            namespace=request.namespace,
            seq=each.seq,
            hash=each.hash,
            at=given_ms("at", each.at),
            kept_until=moment_ms("keptUntil", each.kept_until),
        )
        for each in data.anchors
    ]
    return await _verify(request, data.head, anchors)


def _check_whole(request: ApiRequest) -> None:
    if request.credential.queues is not None:
        raise NotPermitted("the audit is about all queues, and the credential reaches some of them")


async def _verify(request: ApiRequest, head: str | None, anchors: list[Anchor]) -> Verification:
    _check_whole(request)
    await request.server_state.seal_all()
    at = {"namespace": request.namespace}
    found = await request.read(lambda tx: verify_with(tx, head, anchors=anchors, **at))
    return Verification(
        is_good=found.is_good,
        acts=found.acts,
        seq=found.seq,
        hash=found.hash,
        says=found.says,
        anchors=found.anchors,
    )


def _document(act: AuditEntry) -> ActDocument:
    return ActDocument(
        id=act.id,
        at=then(act.at),
        who=act.who,
        verb=act.verb,
        subject=act.subject,
        subject_name=act.name,
        detail=act.detail,
        address=act.address,
        request_id=act.request_id,
        before=act.before_digest,
        after=act.after_digest,
        seq=act.seq,
        hash=act.hash,
    )


ROUTES = (list_acts, verify_acts, verify_anchors)
