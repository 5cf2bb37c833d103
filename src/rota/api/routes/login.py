"""Signing in: a page with one field, a cookie for whoever brings a good token or a ticket.

No script is involved. The link of the first start holds a ticket that is good once; opening the
page does not use it up, so a preview of the link by a chat or a mail program does no harm.
Who was sent here from a page of ours comes back to it, and to nowhere else.
"""

from __future__ import annotations

import html
from importlib.resources import files
from typing import Annotated
from urllib.parse import parse_qs, quote

from litestar import MediaType, Response, get, post
from litestar.datastructures import Cookie
from litestar.params import FromQuery, QueryParameter

from rota.api.ask import Ask
from rota.api.gate import public
from rota.api.identities import address_of
from rota.app.tokens import draw_secret
from rota.engine.acts import By, record
from rota.engine.sessions import LIFE_MS, open_session, take_ticket
from rota.engine.tokens import credential_of_token
from rota.model.identity import Credential
from rota.rules.secrets import digest_of
from rota.store.base import Tx

MOST_BYTES = 4096
LONGEST_PLACE = 2000
_PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" width="36" height="36">'
    '<rect width="32" height="32" rx="8" fill="#3b5bdb"/>'
    '<g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round">'
    '<path d="M16 7a9 9 0 1 1-8.2 5.3"/><path d="M16 11.5V16l3.2 2.4"/></g>'
    '<circle cx="8.6" cy="10.2" r="2.1" fill="#fff"/></svg>'
)
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="same-origin">
<meta name="color-scheme" content="light dark">
<title>Sign in - Rota</title>
<link rel="icon" href="{icon}">
<link rel="stylesheet" href="/login.css">
</head>
<body>
<main>
{picture}
<h1>Sign in to Rota</h1>
{says}
<form method="post" action="/login">
{field}
</form>
</main>
</body>
</html>
"""
FIELD = (
    '<label for="token">Token</label>\n'
    '<input id="token" type="password" name="token" required autofocus autocomplete="off" '
    'spellcheck="false">\n'
    "<p><code>rota tokens create</code> on the server makes one.</p>\n"
    "<button>Sign in</button>"
)
OIDC = '<p><a href="/login/oidc">Sign in with your organisation</a></p>'
REFUSED = '<p role="alert">This is not good, or not any more.</p>'


@get("/login", **public(), media_type=MediaType.HTML, sync_to_thread=False)
def show_login(
    request: Ask,
    ticket: FromQuery[str | None] = None,
    then: Annotated[str | None, QueryParameter(name="next")] = None,
) -> str:
    """The page; with a ticket it asks for nothing but a click."""
    if ticket is None:
        says = OIDC if request.site.provider else ""
        return page_of(says=says, field=FIELD + _hidden("next", place_of(then)))
    hidden = _hidden("ticket", ticket[:200]) + "\n<button>Sign in</button>"
    return page_of(says="<p>This link signs you in, once.</p>", field=hidden)


@get("/login.css", **public(), sync_to_thread=False)
def show_style() -> Response[bytes]:
    """How the page looks; it has none of the files that need a sign-in."""
    content = (files("rota.api") / "login.css").read_bytes()
    return Response(content, media_type="text/css")


@post("/login", **public(), status_code=303)
async def sign_in(request: Ask) -> Response[str]:
    """Change a token or a ticket for a session."""
    site = request.site
    address = address_of(request)
    site.identities.check_patience(address)
    body = await request.body()
    form = parse_qs(body[:MOST_BYTES].decode("latin-1"))
    secret = draw_secret()
    by = By(act_id=request.request_id, who="", address=address, request_id=request.request_id)
    token, ticket, then = (form.get(name, [""])[0] for name in ("token", "ticket", "next"))
    credential = await site.write(lambda tx: _open(tx, token.strip(), ticket, secret, by))
    place = place_of(then)
    if credential is None:
        site.identities.note_failure(address)
        page = page_of(says=REFUSED, field=FIELD + _hidden("next", place))
        return Response(page, status_code=401, media_type=MediaType.HTML)
    cookie = session_cookie(request, secret, LIFE_MS // 1000)
    return Response("", status_code=303, headers={"Location": place}, cookies=[cookie])


def page_of(*, says: str, field: str) -> str:
    """The page with this above its form and this in it; both are HTML."""
    icon = f"data:image/svg+xml,{quote(_PICTURE)}"
    return _PAGE.format(says=says, field=field, picture=_PICTURE, icon=icon)


def place_of(said: str | None) -> str:
    r"""A place of this server to go to after the sign-in; anything else is the start.

    Browsers take `//host` and `/\host` for another server, and drop tabs and line ends before.
    """
    text = said or "/"
    is_ours = text.startswith("/") and text[1:2] not in ("/", "\\")
    if not is_ours or not text.isascii() or not text.isprintable() or len(text) > LONGEST_PLACE:
        return "/"
    return text


def leading_to(place: str) -> str:
    """The address of the page for somebody who wanted to go there."""
    return "/login" if place in ("", "/") else f"/login?next={quote(place, safe='/')}"


def _hidden(name: str, value: str) -> str:
    return f'<input type="hidden" name="{name}" value="{html.escape(value, quote=True)}">'


def session_cookie(request: Ask, secret: str, age_s: int) -> Cookie:
    """What a browser keeps of a session."""
    return Cookie(
        key=request.site.identities.cookie,
        value=secret,
        max_age=age_s,
        path="/",
        secure=request.site.options.is_secure,
        httponly=True,
        samesite="lax",
    )


def _open(tx: Tx, token: str, ticket: str, secret: str, by: By) -> Credential | None:
    if ticket:
        found = take_ticket(tx, digest_of(ticket), purpose="login")
    else:
        found = credential_of_token(tx, digest_of(token))
    if found is None:
        return None
    open_session(tx, digest_of(secret), found, token_id=found.id)
    signed = By(act_id=by.act_id, who=found.who, address=by.address, request_id=by.request_id)
    record(tx, signed, namespace=found.namespace, verb="sign in", subject=found.who, detail={})
    return found


ROUTES = (show_login, show_style, sign_in)
