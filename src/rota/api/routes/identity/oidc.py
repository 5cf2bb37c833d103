"""Sign-in through an identity provider: the way there, and the way back with a code."""

from __future__ import annotations

import asyncio
from functools import partial

from litestar import MediaType, Response, get
from litestar.datastructures import Cookie
from litestar.exceptions import NotFoundException

from rota.api.identity.authorization import public
from rota.api.identity.identities import LONGEST, address_of
from rota.api.identity.oidc import Person, Provider, ProviderDown, SignInAttempt
from rota.api.routes.identity.login import session_cookie
from rota.api.server.request import ApiRequest
from rota.api.signin import page
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.sessions import close_session, open_session
from rota.errors import NotPermitted, NotSignedIn, RotaError
from rota.model.identity.credentials import Credential
from rota.notices import emit
from rota.operations.identity.new_tokens import draw_secret
from rota.rules.security.secrets import digest_of
from rota.store.base import Tx

FLOW_S = 600
"""How long a person may take to sign in at the provider."""
SESSION_MS = 12 * 3_600_000
"""Shorter than the session of a token: the roles of a person at the provider may change."""
LONGEST_CODE = 4096
JUNK = "oidc junk"
"""The name under which answers are counted that belong to no flow of their browser."""


@get("/login/oidc", **public(), status_code=303)
async def leave(request: ApiRequest) -> Response[str]:
    """Off to the identity provider."""
    provider = _provider(request)
    flow = SignInAttempt(draw_secret())
    try:
        where = await asyncio.to_thread(provider.address_for, flow, _redirect(request))
    except ProviderDown as error:
        return _failed(request, error, 503)
    cookie = _flow_cookie(request, flow.secret, FLOW_S)
    return Response("", status_code=303, headers={"Location": where}, cookies=[cookie])


@get("/login/oidc/callback", **public(), status_code=303)
async def come_back(request: ApiRequest) -> Response[str]:
    """Change the code for a session; each is good once, for the browser that was sent there."""
    provider = _provider(request)
    address = address_of(request)
    flow = _flow(request)
    # Each flow is counted apart: requests of others at the address do not shut it out.
    counted = JUNK if flow is None else flow.state
    request.server_state.identities.check_patience(address, counted)
    try:
        person = await _person(request, provider, flow)
    except ProviderDown as error:
        return _failed(request, error, 503)
    except (NotSignedIn, NotPermitted) as error:
        request.server_state.identities.note_failure(address, "failed-sign-in", counted)
        return _failed(request, error, 403 if isinstance(error, NotPermitted) else 401)
    secret = draw_secret()
    namespace = provider.options.namespace
    by = Actor(
        act_id=request.request_id, who=person.who, address=address, request_id=request.request_id
    )
    old = request.cookies.get(request.server_state.identities.cookie(request), "")
    opened = partial(_open, person=person, namespace=namespace, secret=secret, by=by, old=old)
    await request.server_state.write(opened, only={namespace})
    cookies = [
        session_cookie(request, secret, SESSION_MS // 1000),
        _flow_cookie(request, "", 0),
    ]
    return Response("", status_code=303, headers={"Location": "/"}, cookies=cookies)


def _open(  # who, where, and the session before
    tx: Tx, *, person: Person, namespace: str, secret: str, by: Actor, old: str
) -> None:
    digest = digest_of(secret)
    if old:
        close_session(tx, digest_of(old[:LONGEST]))
    credential = Credential(id=digest[:16], who=person.who, namespace=namespace, roles=person.roles)
    open_session(tx, digest, credential, token_id=None, ttl_ms=SESSION_MS)
    detail = {"roles": list(person.roles), "by": "oidc"}
    record(tx, by, namespace=namespace, verb="sign in", subject=person.who, detail=detail)


def _provider(request: ApiRequest) -> Provider:
    provider = request.server_state.provider
    if provider is None:
        raise NotFoundException
    return provider


def _flow(request: ApiRequest) -> SignInAttempt | None:
    """Return the flow of the browser, if the answer that it brings is meant for it."""
    flow = SignInAttempt(request.cookies.get(_flow_name(request), ""))
    is_ours = flow.secret and flow.is_answered_by(request.query_params.get("state", ""))
    return flow if is_ours else None


async def _person(request: ApiRequest, provider: Provider, flow: SignInAttempt | None) -> Person:
    """Return the person who signed in; without a flow the provider is not asked."""
    if flow is None:
        raise NotSignedIn("this browser has not asked to sign in, or too long ago")
    code = _code(request, provider)
    async with provider.turns:
        return await asyncio.to_thread(provider.person, code, flow, _redirect(request))


def _code(request: ApiRequest, provider: Provider) -> str:
    """Return the code that the provider gave to the browser, if the answer holds a valid one."""
    query = request.query_params
    if query.get("iss", provider.options.issuer).rstrip("/") != provider.options.issuer:
        raise NotSignedIn("the answer comes from another identity provider")
    if "error" in query:
        raise NotSignedIn(f"the identity provider says {query['error']!r:.64}")
    code = query.get("code", "")
    if not 0 < len(code) <= LONGEST_CODE:
        raise NotSignedIn("the identity provider sent no code")
    return code


def _redirect(request: ApiRequest) -> str:
    """Return the address for the way back; the Host header of the browser is one of our names."""
    scheme = "https" if request.server_state.options.is_secure else "http"
    return f"{scheme}://{request.url.netloc}/login/oidc/callback"


def _flow_name(request: ApiRequest) -> str:
    return f"{request.server_state.identities.cookie(request)}-oidc"


def _flow_cookie(request: ApiRequest, value: str, age_s: int) -> Cookie:
    return Cookie(
        key=_flow_name(request),
        value=value,
        max_age=age_s,
        path="/",
        secure=request.server_state.options.is_secure,
        httponly=True,
        samesite="lax",
    )


def _failed(request: ApiRequest, error: Exception, status: int) -> Response[str]:
    emit("api.oidc_failed", request=request.request_id, error=error)
    ours = str(error) if isinstance(error, RotaError) else "The identity provider has no answer."
    html = page(about="Through your organisation.", alarm=ours, with_provider=True, with_form=False)
    return Response(html, status_code=status, media_type=MediaType.HTML)


ROUTES = (leave, come_back)
