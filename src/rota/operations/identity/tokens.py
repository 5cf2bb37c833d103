"""Operations on tokens: list them, create one, rotate one, revoke one."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.engine.identity import tokens as engine
from rota.errors import NotPermitted, UnknownToken
from rota.model.identity.credentials import NewTokenView, Role, TokenView
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.identity.new_tokens import (
    OVERLAP,
    detail_of,
    draw_next,
    draw_token,
    overlap_of,
)
from rota.operations.operation import changes, nothing_changed, reads, tell, tell_all
from rota.operations.paging import PAGE, Limit, page_start
from rota.store.base import Tx


def without_secret(token: NewTokenView) -> NewTokenView:
    """Return a new token in the form that may be stored."""
    return msgspec.structs.replace(token, token=None)


@reads("/tokens", role="admin")
def list_tokens(
    tx: Tx,
    caller: Caller,
    *,
    past: bool = False,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[TokenView]:
    """The tokens of the namespace, the newest first.

    `past=true` also shows those that were revoked or have expired.
    """
    start = page_start(cursor)
    found = engine.tokens(tx, namespace=caller.namespace, past=past, before=start, limit=limit)
    return Page(
        items=[_offered(each, caller) for each in found if _is_visible(caller, each.queues)],
        next=found[-1].id if len(found) == limit else None,
    )


@changes("POST", "/tokens", verb="create token", role="admin", kept=without_secret, status=201)
def create_token(
    tx: Tx,
    caller: Caller,
    name: str,
    *,
    roles: list[str],
    queues: list[str] | None = None,
    expires: str | None = None,
) -> NewTokenView:
    """Give out a token of this namespace; the store keeps only the digest of its secret."""
    drawn = draw_token(name, roles=roles, queues=queues, expires=expires)
    _check_giving(caller, drawn.token.roles, drawn.token.queues)
    view = engine.issue(tx, drawn.token, namespace=caller.namespace, who=caller.actor.who)
    tell(tx, caller, subject=view.id)
    tell_all(tx, caller, detail_of(drawn.token))
    return _with_secret(_offered(view, caller), drawn.secret)


@changes(
    "POST",
    "/tokens/{token_id}/rotate",
    verb="rotate token",
    role="admin",
    subject="token_id",
    kept=without_secret,
    status=201,
    drops_credentials=True,
)
def rotate_token(
    tx: Tx,
    caller: Caller,
    token_id: str,
    *,
    overlap: str = OVERLAP,
    expires: str | None = None,
) -> NewTokenView:
    """Give a token a new secret with the same rights; the old one is good for `overlap` only."""
    drawn, overlap_ms = draw_next(expires), overlap_of(overlap)
    old = _find(tx, caller, token_id)
    _check_giving(caller, old.roles, old.queues)
    view = engine.rotate(
        tx,
        token_id,
        drawn.fresh,
        overlap_ms=overlap_ms,
        namespace=caller.namespace,
        who=caller.actor.who,
    )
    tell(tx, caller, name=old.name, new=view.id, overlap_ms=overlap_ms)
    return _with_secret(_offered(view, caller), drawn.secret)


def _before_revoking(tx: Tx, caller: Caller, token_id: str) -> TokenView:
    return engine.find_token(tx, token_id, namespace=caller.namespace)


@changes(
    "DELETE",
    "/tokens/{token_id}",
    verb="revoke token",
    role="admin",
    subject="token_id",
    before=_before_revoking,
    drops_credentials=True,
)
def revoke_token(tx: Tx, caller: Caller, token_id: str) -> TokenView:
    """Refuse a token from now on, with its sessions; at other servers within five seconds."""
    old = _find(tx, caller, token_id)
    _check_giving(caller, old.roles, old.queues)
    tell(tx, caller, name=old.name)
    if not engine.revoke(tx, token_id, namespace=caller.namespace, who=caller.actor.who):
        nothing_changed(tx, caller)
    return _offered(engine.find_token(tx, token_id, namespace=caller.namespace), caller)


def _find(tx: Tx, caller: Caller, token_id: str) -> TokenView:
    found = engine.find_token(tx, token_id, namespace=caller.namespace)
    if not _is_visible(caller, found.queues):
        raise UnknownToken(token_id)
    return found


def _is_visible(caller: Caller, queues: Sequence[str] | None) -> bool:
    """Whether the caller may see the token: one with more queues does not exist for it."""
    return caller.sees_all_queues or bool(queues and all(map(caller.sees, queues)))


def _check_giving(caller: Caller, roles: Sequence[Role], queues: Sequence[str] | None) -> None:
    """Check that the caller has every permission that it gives, gets hold of, or takes away."""
    if "exec" in roles and not caller.credential.has("exec"):
        raise NotPermitted("only who has the role exec can give it to others, or take it away")
    if not _is_visible(caller, queues):
        raise NotPermitted("a token for some queues can give out tokens for these queues only")


def _offered(token: TokenView, caller: Caller) -> TokenView:
    is_good = token.revoked_at is None
    may = is_good and ("exec" not in token.roles or caller.credential.has("exec"))
    verbs = caller.may("revoke", "rotate", role="admin") if may else ()
    return msgspec.structs.replace(token, verbs=verbs)


def _with_secret(token: TokenView, secret: str) -> NewTokenView:
    return NewTokenView(**msgspec.structs.asdict(token), token=secret)
