"""Tokens and the audit behind a server, for who has the role admin."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import msgspec

from rota.client.documents import Answer, ms_or_none
from rota.clock import to_datetime, to_ms
from rota.engine.identity.audit_chain import ChainVerdict
from rota.engine.identity.audit_log import AuditEntry
from rota.model.anchor import Anchor
from rota.model.identity import GivenToken, Role, TokenView

if TYPE_CHECKING:
    from rota.client.client import Client

BATCH = 2_000
"""Anchors of one request."""


class _Token(Answer):
    id: str
    name: str
    prefix: str
    roles: tuple[Role, ...]
    queues: tuple[str, ...] | None
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    used_at: datetime | None
    revoked_at: datetime | None
    revoked_by: str | None
    token: str | None = None


class _Act(Answer):
    id: str
    at: datetime
    who: str
    verb: str
    subject: str
    detail: dict[str, Any]
    address: str | None
    request_id: str | None
    before: str | None
    after: str | None
    seq: int | None
    hash: str | None
    subject_name: str | None = None


class _Verification(Answer):
    is_good: bool
    acts: int
    seq: int
    hash: str
    says: str
    anchors: int = 0


class ServedTokens:
    """Tokens of the namespace."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(self, *, past: bool = False, limit: int = 50) -> list[TokenView]:
        """The newest first; `past` also shows those that are revoked or have expired."""
        filters = {"past": "true" if past else None}
        found = self._client.pages("/tokens", _Token, filters, limit=limit)
        namespace = self._client.namespace
        return [_token(each, namespace) for each in found]

    def create(
        self,
        name: str,
        *,
        roles: Sequence[str],
        queues: Sequence[str] | None = None,
        expires: str | float | None = None,
    ) -> GivenToken:
        """Give out a token."""
        body: dict[str, Any] = {"name": name, "roles": list(roles)}
        if queues is not None:
            body["queues"] = list(queues)
        if expires is not None:
            body["expires"] = _said(expires)
        made = self._client.line.post("/tokens", _Token, body)
        return GivenToken(_token(made, self._client.namespace), made.token)

    def rotate(
        self, token_id: str, *, overlap: str | float = "1h", expires: str | float | None = None
    ) -> GivenToken:
        """A new secret with the same rights; the old one is good for the overlap only."""
        body = {"overlap": _said(overlap)}
        if expires is not None:
            body["expires"] = _said(expires)
        path = f"/tokens/{quote(token_id, safe='')}/rotate"
        made = self._client.line.post(path, _Token, body)
        return GivenToken(_token(made, self._client.namespace), made.token)

    def revoke(self, token_id: str) -> TokenView:
        """Refuse it from now on, with its sessions."""
        gone = self._client.line.delete(f"/tokens/{quote(token_id, safe='')}", _Token)
        return _token(gone, self._client.namespace)


class ServedAudit:
    """Who did what in the namespace."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def list(
        self,
        *,
        verb: str | None = None,
        who: str | None = None,
        subject: str | None = None,
        text: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> list[AuditEntry]:
        """The newest first."""
        filters = {"verb": verb, "who": who, "subject": subject, "text": text}
        found = self._client.pages("/audit", _Act, filters, start=before, limit=limit)
        return [_act(each) for each in found]

    def verify(self, head: str | None = None, *, anchors: Sequence[Anchor] = ()) -> ChainVerdict:
        """Whether the chain holds, and a hash and anchors that were noted earlier are in it."""
        if not anchors:
            said = self._client.line.get("/audit/verify", _Verification, {"head": head})
            return ChainVerdict(**msgspec.structs.asdict(said))
        found, fit = self._verify(head, anchors[:BATCH]), 0
        for at in range(BATCH, len(anchors), BATCH):
            if not found.is_good:
                break
            fit += found.anchors
            found = self._verify(head, anchors[at : at + BATCH])
        return msgspec.structs.replace(found, anchors=fit + found.anchors)

    def _verify(self, head: str | None, anchors: Sequence[Anchor]) -> ChainVerdict:
        body = {"head": head, "anchors": [_noted(each) for each in anchors]}
        said = self._client.line.post("/audit/verify", _Verification, body)
        return ChainVerdict(**msgspec.structs.asdict(said))


def _said(duration: str | float) -> str:
    return duration if isinstance(duration, str) else f"{duration:g}s"


def _token(token: _Token, namespace: str) -> TokenView:
    facts = msgspec.structs.asdict(token)
    del facts["token"]
    facts |= {name: ms_or_none(facts[name]) for name in ("expires_at", "used_at", "revoked_at")} | {
        "created_at": to_ms(token.created_at)
    }
    return TokenView(namespace=namespace, **facts)


def _noted(anchor: Anchor) -> dict[str, Any]:
    until = anchor.kept_until
    return {
        "seq": anchor.seq,
        "hash": anchor.hash,
        "at": to_datetime(anchor.at),
        "keptUntil": None if until is None else to_datetime(until),
    }


def _act(act: _Act) -> AuditEntry:
    facts = msgspec.structs.asdict(act)
    before, after = facts.pop("before"), facts.pop("after")
    facts["name"] = facts.pop("subject_name")
    return AuditEntry(
        **facts | {"at": to_ms(act.at), "before_digest": before, "after_digest": after}
    )
