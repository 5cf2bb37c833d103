"""Tokens, namespaces and the audit in the hands of a program: what those who run the whole do."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rota.app.tokens import OVERLAP, draw_next, draw_token, overlap_of
from rota.app.who import whoami
from rota.engine.identity import namespaces as engine
from rota.engine.identity import tokens
from rota.engine.identity.audit_chain import ChainVerdict, seal, verify_with
from rota.engine.identity.audit_log import Actor, AuditEntry, acts
from rota.errors import NotAllowed
from rota.ids import new_id
from rota.model.anchor import Anchor
from rota.model.identity import GivenToken, Namespace, TokenView
from rota.rules.security.identity_options import Limit, other_quotas
from rota.rules.text.names import check_name
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App


class Tokens:
    """Tokens of one app's namespace; get it as `app.tokens`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self, *, past: bool = False, limit: int = 50) -> builtins.list[TokenView]:
        """The newest first; `past` also shows those that are revoked or have expired."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: tokens.tokens(tx, namespace=namespace, past=past, limit=limit)
        )

    def create(
        self,
        name: str,
        *,
        roles: Sequence[str],
        queues: Sequence[str] | None = None,
        expires: str | float | None = None,
        who: str | None = None,
    ) -> GivenToken:
        """Give out a token; its secret is nowhere else."""
        drawn = draw_token(name, roles=roles, queues=queues, expires=expires)
        namespace, by = self._app.namespace, _by(who)
        view = self._app.store.write(
            lambda tx: tokens.issue(tx, drawn.token, namespace=namespace, by=by)
        )
        return GivenToken(view, drawn.secret)

    def rotate(
        self,
        token_id: str,
        *,
        overlap: str | float = OVERLAP,
        expires: str | float | None = None,
        who: str | None = None,
    ) -> GivenToken:
        """A new secret with the same rights; the old one is good for the overlap only."""
        drawn, overlap_ms = draw_next(expires), overlap_of(overlap)
        namespace, by = self._app.namespace, _by(who)
        view = self._app.store.write(
            lambda tx: tokens.rotate(
                tx, token_id, drawn.fresh, overlap_ms=overlap_ms, namespace=namespace, by=by
            )
        )
        return GivenToken(view, drawn.secret)

    def revoke(self, token_id: str, *, who: str | None = None) -> TokenView:
        """Refuse it from now on, with its sessions."""
        namespace, by = self._app.namespace, _by(who)
        return self._app.store.write(
            lambda tx: tokens.revoke(tx, token_id, namespace=namespace, by=by)
        )


class Audit:
    """Who did what in one app's namespace; get it as `app.audit`."""

    def __init__(self, app: App) -> None:
        self._app = app

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
        """The newest first; `before` is the last id of the page before."""
        wanted: dict[str, Any] = {"verb": verb, "who": who, "subject": subject, "text": text}
        wanted["before"] = before
        namespace = self._app.namespace
        return self._app.store.read(lambda tx: acts(tx, namespace=namespace, limit=limit, **wanted))

    def verify(self, head: str | None = None, *, anchors: Sequence[Anchor] = ()) -> ChainVerdict:
        """Whether the chain holds, and a hash and anchors that were noted earlier are in it."""
        while self._app.store.write(seal):
            pass
        at = {"namespace": self._app.namespace}
        return self._app.store.read(lambda tx: verify_with(tx, head, anchors=anchors, **at))


class Namespaces:
    """All namespaces of the store; get it as `app.namespaces`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self) -> builtins.list[Namespace]:
        """Those on record, by name."""
        return self._app.store.read(engine.namespaces)

    def create(
        self, name: str, *, note: str = "", who: str | None = None, **limits: Limit
    ) -> Namespace:
        """Make one; limits are queued, running, rate and payload, and without one there is none."""
        check_name("namespace", name)
        quotas, by = other_quotas(limits), _by(who)

        def create(tx: Tx) -> Namespace:
            if any(each.name == name for each in engine.namespaces(tx)):
                raise NotAllowed(f"there is a namespace {name} already; change that one")
            return engine.put_namespace(tx, name, quotas, by=by, note=note)

        return self._app.store.write(create)

    def change(
        self, name: str, *, note: str | None = None, who: str | None = None, **limits: Limit
    ) -> Namespace:
        """Give it another note and other limits; 0 takes one away, what is not said stays."""
        by = _by(who)

        def change(tx: Tx) -> Namespace:
            old = engine.find_namespace(tx, name)
            quotas = other_quotas(limits, old.quotas)
            said = old.note if note is None else note
            return engine.put_namespace(tx, name, quotas, by=by, note=said)

        return self._app.store.write(change)

    def remove(self, name: str, *, who: str | None = None) -> None:
        """Take it off the record, if nothing is left in it."""
        by = _by(who)
        self._app.store.write(lambda tx: engine.remove_namespace(tx, name, by=by))


def _by(who: str | None) -> Actor:
    return Actor(act_id=new_id(), who=who or whoami())
