"""Operations on the audit: its entries, and whether its chain of hashes holds."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

import msgspec

from rota.engine.identity.audit_chain import seal, verify_with
from rota.engine.identity.audit_log import act_page
from rota.errors import NotPermitted
from rota.model.identity.audit import Anchor, AuditEntry, ChainVerdict
from rota.model.view import Body, Page
from rota.operations.caller import Caller
from rota.operations.instants import instant_ms, instant_ms_or_none
from rota.operations.operation import reads
from rota.operations.paging import PAGE, Limit, page_start
from rota.store.base import Tx

MOST_ANCHORS = 10_000


class AnchorBody(Body):
    """The end of the chain that a line of an anchor file names."""

    seq: Annotated[int, msgspec.Meta(ge=0, le=2**62)]
    hash: str
    at: datetime
    kept_until: datetime | None = None


class VerifyBody(Body):
    """The anchors that were noted earlier."""

    head: str | None = None
    anchors: Annotated[list[AnchorBody], msgspec.Meta(max_length=MOST_ANCHORS)] = msgspec.field(
        default_factory=list
    )


@reads("/audit", role="audit")
def list_entries(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    *,
    who: str | None = None,
    verb: str | None = None,
    subject: str | None = None,
    text: str | None = None,
    since: datetime | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[AuditEntry]:
    """The newest entries first; `cursor` is the `next` of the page before.

    `text` finds entries that have it in who, verb, subject or details, whatever the case of its
    letters from a to z.
    A page that looks for some entries among very many may have fewer than `limit`, and a `next`.
    """
    _check_whole(caller)
    found = act_page(
        tx,
        namespace=caller.namespace,
        who=who,
        verb=verb,
        subject=subject,
        text=text,
        since=instant_ms_or_none("since", since),
        before=page_start(cursor),
        limit=limit,
    )
    return Page(items=found.acts, next=found.next)


@reads("/audit/verify", role="audit", prepare=seal)
def verify_chain(tx: Tx, caller: Caller, *, head: str | None = None) -> ChainVerdict:
    """Walk along the whole chain; `head` is a hash that was noted earlier."""
    _check_whole(caller)
    return verify_with(tx, head, anchors=[], namespace=caller.namespace)


@reads("/audit/verify", role="audit", method="POST", prepare=seal)
def verify_anchors(tx: Tx, caller: Caller, body: VerifyBody) -> ChainVerdict:
    """Walk along the whole chain, and see whether it is the one of which anchors were noted."""
    _check_whole(caller)
    anchors = [
        Anchor(
            namespace=caller.namespace,
            seq=each.seq,
            hash=each.hash,
            at=instant_ms("at", each.at),
            kept_until=instant_ms_or_none("keptUntil", each.kept_until),
        )
        for each in body.anchors
    ]
    return verify_with(tx, body.head, anchors=anchors, namespace=caller.namespace)


def _check_whole(caller: Caller) -> None:
    if not caller.sees_all_queues:
        raise NotPermitted("the audit is about all queues, and the credential reaches some of them")
