"""Tokens of a namespace: give one out, see them, take one back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from litestar import delete, get, post
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import (
    MOST,
    PAGE,
    Body,
    Document,
    Moment,
    Page,
    page_start,
    then,
    when,
)
from rota.api.server.request import ApiRequest
from rota.app.tokens import OVERLAP, draw_next, draw_token, overlap_of
from rota.engine.identity.audit_log import Actor
from rota.engine.identity.tokens import find_token, issue, revoke, rotate, tokens
from rota.errors import NotPermitted, UnknownToken
from rota.model.identity import Role, TokenView
from rota.store.base import Tx

Limit = Annotated[int, QueryParameter(ge=1, le=MOST)]


class TokenBody(Body):
    """A token to be given out."""

    name: str
    """What uses it, such as `ci`."""
    roles: list[str]
    queues: list[str] | None = None
    """All of them, if left out."""
    expires: str | None = None
    """After this: `90d`."""


class RotateBody(Body):
    """How a secret is replaced."""

    overlap: str = OVERLAP
    """How long the old secret goes on being good; `0s` ends it at once."""
    expires: str | None = None
    """After this; if left out, as long as the old one was given for."""


class TokenDocument(Document):
    """A token; its secret was shown once."""

    id: str
    name: str
    prefix: str
    roles: list[str]
    queues: list[str] | None
    created_at: Moment
    created_by: str
    expires_at: Moment | None
    used_at: Moment | None
    revoked_at: Moment | None
    revoked_by: str | None
    verbs: list[str]


class TokenMade(TokenDocument, kw_only=True):
    """A new token, with its secret: it is shown now and never again."""

    token: str | None = None
    """Null when the request is repeated with its key: only the first answer has it."""


@get("/tokens", **needs("admin"))
async def list_tokens(
    request: ApiRequest,
    *,
    past: FromQuery[bool] = False,
    cursor: FromQuery[str | None] = None,
    limit: Limit = PAGE,
) -> Page[TokenDocument]:
    """The newest first; `past=true` also shows those that were revoked or have expired."""
    start = page_start(cursor)
    found = await request.read(
        lambda tx: tokens(tx, namespace=request.namespace, past=past, before=start, limit=limit)
    )
    return Page(
        items=[_document(each, request) for each in found if _is_reached(request, each.queues)],
        next=found[-1].id if len(found) == limit else None,
    )


@post("/tokens", **needs("admin", changes=True))
async def create_token(request: ApiRequest, data: JSONBody[TokenBody]) -> TokenMade:
    """Give out a token of this namespace; the store keeps only the digest of its secret."""
    drawn = draw_token(data.name, roles=data.roles, queues=data.queues, expires=data.expires)
    _check_giving(request, drawn.token.roles, drawn.token.queues)

    def make(tx: Tx, by: Actor) -> TokenMade:
        view = issue(tx, drawn.token, namespace=request.namespace, by=by)
        return TokenMade(**msgspec.structs.asdict(_document(view, request)))

    made = await request.change("create token", drawn.token.id, make, answers=TokenMade)
    # The secret is added here, so that an answer that is kept for its key does not hold it.
    return msgspec.structs.replace(made, token=drawn.secret) if made.id == drawn.token.id else made


@post("/tokens/{token_id:str}/rotate", **needs("admin", changes=True))
async def rotate_token(
    request: ApiRequest, token_id: FromPath[str], data: JSONBody[RotateBody]
) -> TokenMade:
    """A new secret with the same rights; the old one is good for `overlap` only."""
    drawn, overlap_ms = draw_next(data.expires), overlap_of(data.overlap)

    def change_secret(tx: Tx, by: Actor) -> TokenMade:
        old = _reached(tx, request, token_id)
        _check_giving(request, old.roles, old.queues)
        view = rotate(
            tx, token_id, drawn.fresh, overlap_ms=overlap_ms, namespace=request.namespace, by=by
        )
        return TokenMade(**msgspec.structs.asdict(_document(view, request)))

    made = await request.change("rotate token", token_id, change_secret, answers=TokenMade)
    request.server_state.identities.forget()
    return msgspec.structs.replace(made, token=drawn.secret) if made.id == drawn.fresh.id else made


def _check_giving(request: ApiRequest, roles: Sequence[Role], queues: Sequence[str] | None) -> None:
    """Nobody gives, gets hold of, or takes away more than they have."""
    own = request.credential
    if "exec" in roles and not own.has("exec"):
        raise NotPermitted("only who has the role exec can give it to others, or take it away")
    if not _is_reached(request, queues):
        raise NotPermitted("a token for some queues can give out tokens for these queues only")


def _is_reached(request: ApiRequest, queues: Sequence[str] | None) -> bool:
    """A token that can do more than this one is none of its business."""
    own = request.credential
    return own.queues is None or bool(queues and all(map(own.reaches, queues)))


def _reached(tx: Tx, request: ApiRequest, token_id: str) -> TokenView:
    found = find_token(tx, token_id, namespace=request.namespace)
    if not _is_reached(request, found.queues):
        raise UnknownToken(token_id)
    return found


@delete("/tokens/{token_id:str}", **needs("admin", changes=True), status_code=200)
async def revoke_token(request: ApiRequest, token_id: FromPath[str]) -> TokenDocument:
    """Refuse it from now on, with its sessions; at other servers within five seconds."""

    def take_back(tx: Tx, by: Actor) -> TokenDocument:
        old = _reached(tx, request, token_id)
        _check_giving(request, old.roles, old.queues)
        return _document(revoke(tx, token_id, namespace=request.namespace, by=by), request)

    gone = await request.change(
        "revoke token",
        token_id,
        take_back,
        answers=TokenDocument,
        before=lambda tx: find_token(tx, token_id, namespace=request.namespace),
    )
    request.server_state.identities.forget()
    return gone


def _document(token: TokenView, request: ApiRequest) -> TokenDocument:
    may = token.revoked_at is None
    may = may and ("exec" not in token.roles or request.credential.has("exec"))
    return TokenDocument(
        id=token.id,
        name=token.name,
        prefix=token.prefix,
        roles=list(token.roles),
        queues=None if token.queues is None else list(token.queues),
        created_at=then(token.created_at),
        created_by=token.created_by,
        expires_at=when(token.expires_at),
        used_at=when(token.used_at),
        revoked_at=when(token.revoked_at),
        revoked_by=token.revoked_by,
        verbs=offered(request.credential, "revoke", "rotate", role="admin") if may else [],
    )


ROUTES = (list_tokens, create_token, rotate_token, revoke_token)
