"""Tokens: issued once, known by their digest, revoked for good.

The caller makes the secret, which never comes here.
"""

from __future__ import annotations

import json
from collections.abc import Collection

import msgspec

from rota.engine.identity.namespaces import find_namespace
from rota.engine.runs.find import now_ms
from rota.errors import NotAllowed, UnknownToken
from rota.ids import is_id
from rota.model.identity.credentials import Credential, Role, TokenView
from rota.model.view import view_of
from rota.store.base import Row, Tx


class NewToken(msgspec.Struct, frozen=True, kw_only=True):
    """A token to be issued."""

    id: str
    name: str
    prefix: str
    digest: str
    roles: tuple[Role, ...]
    queues: tuple[str, ...] | None = None
    ttl_ms: int | None = None


class NewSecret(msgspec.Struct, frozen=True, kw_only=True):
    """The new secret of a token; all else stays as it was."""

    id: str
    prefix: str
    digest: str
    ttl_ms: int | None = None
    """How long the new secret is valid; by default as long as the old one was."""


def issue(tx: Tx, token: NewToken, *, namespace: str, who: str) -> TokenView:
    """Put a token on record; the same id again changes nothing."""
    find_namespace(tx, namespace)
    _insert(tx, token, namespace=namespace, who=who)
    return find_token(tx, token.id, namespace=namespace)


def _insert(tx: Tx, token: NewToken, *, namespace: str, who: str) -> None:
    tx.execute(
        "insert_token",
        id=token.id,
        namespace=namespace,
        name=token.name,
        prefix=token.prefix,
        digest=token.digest,
        roles=json.dumps(token.roles),
        queues=None if token.queues is None else json.dumps(token.queues),
        who=who,
        ttl_ms=token.ttl_ms,
    )


def find_token(tx: Tx, token_id: str, *, namespace: str) -> TokenView:
    """Return a token of the namespace. Raises UnknownToken for all others."""
    row = tx.one("find_token", id=token_id, namespace=namespace) if is_id(token_id) else None
    if row is None:
        raise UnknownToken(token_id)
    return view_of(TokenView, row)


def tokens(
    tx: Tx, *, namespace: str, past: bool = False, before: str | None = None, limit: int = 50
) -> list[TokenView]:
    """Return the newest tokens first; `past` includes those revoked or expired."""
    rows = tx.all("list_tokens", namespace=namespace, past=past, before=before, limit=limit)
    return [view_of(TokenView, row) for row in rows]


def revoke(tx: Tx, token_id: str, *, namespace: str, who: str) -> bool:
    """Revoke a token: it and its sessions are refused at once, everywhere within five seconds.

    False if it was revoked already; UnknownToken if the namespace has no token of that id.
    """
    find_token(tx, token_id, namespace=namespace)
    return tx.execute("revoke_token", id=token_id, namespace=namespace, who=who) > 0


def rotate(  # the old, the new, and who does it
    tx: Tx, token_id: str, fresh: NewSecret, *, overlap_ms: int, namespace: str, who: str
) -> TokenView:
    """Issue a new token; the old one stays valid for the overlap only, so nobody has to hurry."""
    old = find_token(tx, token_id, namespace=namespace)
    is_expired = old.expires_at is not None and old.expires_at.ms <= now_ms(tx)
    if old.revoked_at is not None or is_expired:
        raise NotAllowed(f"token {old.name} is revoked or has expired; create another one")
    life_ms = None if old.expires_at is None else old.expires_at.ms - old.created_at.ms
    token = NewToken(
        id=fresh.id,
        name=old.name,
        prefix=fresh.prefix,
        digest=fresh.digest,
        roles=old.roles,
        queues=old.queues,
        ttl_ms=life_ms if fresh.ttl_ms is None else fresh.ttl_ms,
    )
    _insert(tx, token, namespace=namespace, who=who)
    tx.execute("shorten_token", id=token_id, namespace=namespace, ttl_ms=overlap_ms)
    return find_token(tx, token.id, namespace=namespace)


def has_tokens(tx: Tx) -> bool:
    """Whether any token was ever issued, in any namespace."""
    row = tx.one("any_token")
    return row is not None and bool(row["is_there"])


def credential_of_token(tx: Tx, digest: str) -> Credential | None:
    """Return the credential of the token with this digest; None when none is valid now."""
    row = tx.one("credential_of_token", digest=digest)
    return None if row is None else as_credential(row)


def namespace_of_token(tx: Tx, digest: str) -> str | None:
    """Return the namespace of this digest's token, valid or not; None if there never was one."""
    row = tx.one("namespace_of_token", digest=digest)
    return None if row is None else str(row["namespace"])


def touch(tx: Tx, token_ids: Collection[str], *, used_at: int) -> None:
    """Note when tokens were last used; done now and then for all of them together."""
    tx.execute("touch_tokens", ids=json.dumps(sorted(token_ids)), used_at=used_at)


def as_credential(row: Row) -> Credential:
    """Return the credential of a row of the table of tokens."""
    return Credential(
        id=str(row["id"]),
        who=f"token:{row['name']}",
        namespace=row["namespace"],
        roles=tuple(json.loads(row["roles"])),
        queues=queues_of(row),
        expires_at=row["expires_at"],
    )


def queues_of(row: Row) -> tuple[str, ...] | None:
    """Return the queues of a row; None for all of them."""
    return None if row["queues"] is None else tuple(json.loads(row["queues"]))
