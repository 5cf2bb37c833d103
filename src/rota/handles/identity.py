"""Handles for tokens, namespaces and the audit."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

import msgspec

from rota.clock import to_datetime
from rota.errors import UnknownNamespace
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.identity.audit import Anchor, AuditEntry, ChainVerdict
from rota.model.identity.credentials import GivenToken, Namespace, NewTokenView, Quotas, TokenView
from rota.operations.identity.audit import (
    AnchorBody,
    VerifyBody,
    list_entries,
    verify_anchors,
    verify_chain,
)
from rota.operations.identity.links import make_link
from rota.operations.identity.namespaces import (
    QuotasBody,
    change_namespace,
    create_namespace,
    list_namespaces,
    remove_namespace,
)
from rota.operations.identity.new_tokens import OVERLAP
from rota.operations.identity.tokens import (
    create_token,
    list_tokens,
    revoke_token,
    rotate_token,
)
from rota.rules.security.identity_options import Limit, other_quotas
from rota.rules.text.names import check_name


class Tokens:
    """The tokens of a namespace; get it as `app.tokens` or `client.tokens`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, *, past: bool = False, limit: int = 50) -> builtins.list[TokenView]:
        """Return tokens, newest first; `past` also shows those that are revoked or have expired."""
        return all_items(self._backend, list_tokens, limit=limit, past=past)

    def create(
        self,
        name: str,
        *,
        roles: Sequence[str],
        queues: Sequence[str] | None = None,
        expires: str | float | None = None,
        who: str | None = None,
    ) -> GivenToken:
        """Create a token; the result is the only place with its secret."""
        token = self._backend.acting_as(who).call(
            create_token,
            name,
            roles=[*roles],
            queues=None if queues is None else [*queues],
            expires=None if expires is None else _duration(expires),
        )
        return _token_of(token)

    def rotate(
        self,
        token_id: str,
        *,
        overlap: str | float = OVERLAP,
        expires: str | float | None = None,
        who: str | None = None,
    ) -> GivenToken:
        """Give a token a new secret, same permissions; the old one ends after the overlap."""
        token = self._backend.acting_as(who).call(
            rotate_token,
            token_id,
            overlap=_duration(overlap),
            expires=None if expires is None else _duration(expires),
        )
        return _token_of(token)

    def link(self, address: str) -> str:
        """Return a link to the server at this address: it signs one browser in, within minutes.

        The session has the rights of the caller; a program on the store gets an admin's.
        """
        ticket = self._backend.call(make_link).ticket
        return f"{address.rstrip('/')}/login?ticket={ticket}"

    def revoke(self, token_id: str, *, who: str | None = None) -> TokenView:
        """Refuse a token from now on, with its sessions."""
        return self._backend.acting_as(who).call(revoke_token, token_id)


class Audit:
    """The audit of a namespace; get it as `app.audit` or `client.audit`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(
        self,
        *,
        verb: str | None = None,
        who: str | None = None,
        subject: str | None = None,
        text: str | None = None,
        before: str | None = None,
        limit: int = 50,
    ) -> builtins.list[AuditEntry]:
        """Return audit entries, newest first; `before` is the last id of the page before."""
        filters = {"verb": verb, "who": who, "subject": subject, "text": text}
        return all_items(self._backend, list_entries, start=before, limit=limit, **filters)

    def verify(self, head: str | None = None, *, anchors: Sequence[Anchor] = ()) -> ChainVerdict:
        """Check whether the chain holds, and whether an earlier hash and anchors are in it."""
        if not anchors:
            return self._backend.call(verify_chain, head=head)
        size = self._backend.batch or len(anchors)
        verdict = self._verify(head, anchors[:size])
        fit = verdict.anchors
        for at in range(size, len(anchors), size):
            if not verdict.is_good:
                break
            verdict = self._verify(head, anchors[at : at + size])
            fit += verdict.anchors
        return msgspec.structs.replace(verdict, anchors=fit)

    def _verify(self, head: str | None, anchors: Sequence[Anchor]) -> ChainVerdict:
        noted = [_anchor_body(each) for each in anchors]
        return self._backend.call(verify_anchors, VerifyBody(head=head, anchors=noted))


class Namespaces:
    """The namespaces of a store; get it as `app.namespaces` or `client.namespaces`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> builtins.list[Namespace]:
        """Return the created namespaces, by name; outside of `default` only the caller's own."""
        return [each for each in self._all() if each.created_at is not None]

    def create(
        self, name: str, *, note: str = "", who: str | None = None, **limits: Limit
    ) -> Namespace:
        """Create a namespace; limits are queued, running, rate and payload, each optional."""
        check_name("namespace", name)
        quotas = _body(other_quotas(limits))
        return self._backend.acting_as(who).call(create_namespace, name, note=note, quotas=quotas)

    def change(
        self, name: str, *, note: str | None = None, who: str | None = None, **limits: Limit
    ) -> Namespace:
        """Change the note and limits of a namespace; 0 removes a limit, a limit not given stays."""
        old = next((each for each in self._all() if each.name == name), None)
        if old is None:
            raise UnknownNamespace(name)
        quotas = _body(other_quotas(limits, old.quotas))
        new_note = old.note if note is None else note
        return self._backend.acting_as(who).call(
            change_namespace, name, note=new_note, quotas=quotas
        )

    def remove(self, name: str, *, who: str | None = None) -> None:
        """Remove a namespace in which nothing is left."""
        self._backend.acting_as(who).call(remove_namespace, name)

    def _all(self) -> builtins.list[Namespace]:
        return self._backend.call(list_namespaces).items


def _token_of(token: NewTokenView) -> GivenToken:
    facts = msgspec.structs.asdict(token)
    secret = facts.pop("token")
    return GivenToken(TokenView(**facts), secret)


def _duration(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:g}s"


def _body(quotas: Quotas) -> QuotasBody:
    return QuotasBody(**msgspec.structs.asdict(quotas))


def _anchor_body(anchor: Anchor) -> AnchorBody:
    until = anchor.kept_until
    return AnchorBody(
        seq=anchor.seq,
        hash=anchor.hash,
        at=to_datetime(anchor.at),
        kept_until=None if until is None else to_datetime(until),
    )
