"""Sign-in: a page with one field, and a cookie for a good token or ticket.

No script is involved. The link of the first start holds a ticket that is good once; opening the
page does not use it up, so a preview of the link by a chat or a mail program does no harm.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import parse_qs

from litestar import MediaType, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromQuery, QueryParameter

from rota.api.identity.authorization import public
from rota.api.identity.identities import LONGEST, address_of
from rota.api.identity.row_scope import HOUSE
from rota.api.server.request import ApiRequest
from rota.api.signin import MOST_CHARACTERS, WELCOME, page, style
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.sessions import LIFE_MS, close_session, open_session, take_ticket
from rota.engine.identity.tokens import credential_of_token, touch
from rota.engine.runs.find import now_ms
from rota.model.identity.credentials import WORKER, Credential
from rota.operations.identity.new_tokens import draw_secret
from rota.rules.security.secrets import digest_of
from rota.store.base import Tx

MOST_BYTES = 4096
OURS = re.compile(r"/(?![/\\])[A-Za-z0-9._~%!$&'()*+,;=:@/?-]*")
"""A path with its query, as browsers send it; two slashes at the start would name another host."""
LINK = "This link signs you in, once."
LED = "You are not signed in, or not any more. A token leads you back to where you were."
REFUSED = "This token is invalid, revoked or expired. To make another: rota tokens create NAME"
USED_LINK = "This link was used already, or has expired. For a new one: rota open"


@get("/login", **public(), media_type=MediaType.HTML, sync_to_thread=False)
def show_login(
    request: ApiRequest,
    ticket: FromQuery[str | None] = None,
    after: Annotated[str | None, QueryParameter(name="next")] = None,
) -> str:
    """The page; with a ticket it asks for nothing but a click."""
    if ticket is not None:
        return page(about=LINK, kept={"ticket": ticket})
    after_cookie = _after_cookie(after)
    about = LED if after_cookie else WELCOME
    return page(
        about=about, kept=after_cookie, with_provider=request.server_state.provider is not None
    )


@get("/login/page.css", **public(), media_type="text/css", sync_to_thread=False)
def show_style() -> bytes:
    """The style sheet of the page."""
    return style()


@post("/login", **public(), status_code=303, request_max_body_size=MOST_BYTES)
async def sign_in(request: ApiRequest) -> Response[str]:
    """Change a token or a ticket for a session."""
    server_state, address = request.server_state, address_of(request)
    body = await request.body()
    form = parse_qs(body.decode("latin-1"))
    token, ticket, after = (form.get(name, [""])[0] for name in ("token", "ticket", "next"))
    brought = ticket or token.strip()
    identities = server_state.identities
    identities.check_patience(address, brought)
    find = identities.find_ticket if ticket else identities.find_token
    secret, credential = draw_secret(), await find(brought)
    if credential is not None:  # only then is it worth a transaction that writes
        by = Actor(
            act_id=request.request_id, who="", address=address, request_id=request.request_id
        )
        old = request.cookies.get(identities.cookie(request), "")
        credential = await server_state.write(
            lambda tx: _open(tx, token.strip(), ticket, secret, by, old=old), only=HOUSE
        )
    if credential is None:
        identities.note_failure(address, "failed-sign-in", brought)
        again = page(
            alarm=USED_LINK if ticket else REFUSED,
            kept=_after_cookie(after),
            with_provider=request.server_state.provider is not None,
        )
        return Response(again, status_code=401, media_type=MediaType.HTML)
    cookie = session_cookie(request, secret, LIFE_MS // 1000)
    where = _after_cookie(after).get("next", "/")
    return Response("", status_code=303, headers={"Location": where}, cookies=[cookie])


def _after_cookie(after: str | None) -> dict[str, str]:
    """Return the page that a person wanted, if it is on this server: nobody is sent elsewhere."""
    if not after or len(after) > MOST_CHARACTERS or not OURS.fullmatch(after):
        return {}
    return {"next": after}


def session_cookie(request: ApiRequest, secret: str, age_s: int) -> Cookie:
    """Return the cookie of a session."""
    return Cookie(
        key=request.server_state.identities.cookie(request),
        value=secret,
        max_age=age_s,
        path="/",
        secure=request.server_state.options.is_secure,
        httponly=True,
        samesite="lax",
    )


def _open(  # what was brought, what is given
    tx: Tx, token: str, ticket: str, secret: str, by: Actor, *, old: str
) -> Credential | None:
    """Open a session; the session that the browser had ends with it."""
    if ticket:
        credential = take_ticket(tx, digest_of(ticket), purpose="login")
    else:
        credential = credential_of_token(tx, digest_of(token))
    if credential is None or WORKER in credential.roles:  # there is nothing for it to see
        return None
    if old:
        close_session(tx, digest_of(old[:LONGEST]))
    open_session(tx, digest_of(secret), credential, token_id=credential.id)
    touch(tx, (credential.id,), used_at=now_ms(tx))
    signed = Actor(
        act_id=by.act_id, who=credential.who, address=by.address, request_id=by.request_id
    )
    record(
        tx,
        signed,
        namespace=credential.namespace,
        verb="sign in",
        subject=credential.who,
        detail={},
    )
    return credential


ROUTES = (show_login, show_style, sign_in)
