"""The session of a browser: who is signed in, and signing out."""

from __future__ import annotations

from typing import Literal

from litestar import delete, get
from litestar.datastructures import Cookie

from rota.api.identity.actions import joined, offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Document
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.identity.namespaces import HOME
from rota.engine.identity.sessions import close_session
from rota.model.identity import Credential
from rota.rules.security.secrets import csrf_of, digest_of
from rota.store.base import Tx


class Session(Document):
    """Who asks, and what that allows."""

    who: str
    kind: Literal["token", "session"]
    namespace: str
    roles: list[str]
    queues: list[str] | None
    """None: all of them."""
    verbs: list[str]
    """What it may make."""
    csrf_token: str | None = None
    """To be sent as X-CSRF-Token with each change, if a cookie is the credential."""


@get("/session", **needs("viewer", everybody=True))
async def show_session(request: ApiRequest) -> Session:
    """Whose credential this is."""
    credential = request.credential
    cookie = request.server_state.identities.cookie(request)
    secret = request.cookies.get(cookie) if credential.is_session else None
    return Session(
        who=credential.who,
        kind="session" if credential.is_session else "token",
        namespace=credential.namespace,
        roles=list(credential.roles),
        queues=None if credential.queues is None else list(credential.queues),
        verbs=_makes(credential),
        csrf_token=None if secret is None else csrf_of(secret),
    )


def _makes(credential: Credential) -> list[str]:
    """Return the kinds of things that the caller may create."""
    kinds = ("job", "schedule", "template", "calendar")
    is_chief = credential.namespace == HOME
    return joined(
        offered(credential, *(f"create-{kind}" for kind in kinds), role="author"),
        offered(credential, "create-command", role="author") if credential.has("exec") else [],
        offered(credential, "create-blackout", role="operator"),
        offered(credential, "create-token", role="admin"),
        offered(credential, "create-namespace", role="admin") if is_chief else [],
    )


@delete("/session", **needs("viewer", changes=True))
async def end_session(request: ApiRequest) -> None:
    """Sign out; a bearer token has no session and stays as it is."""
    name = request.server_state.identities.cookie(request)
    secret = request.cookies.get(name)
    if not request.credential.is_session or secret is None:
        return

    def end(tx: Tx, _: Actor) -> bool:
        return close_session(tx, digest_of(secret))

    await request.change("sign out", request.credential.who, end, answers=bool)
    request.server_state.identities.forget()
    gone = Cookie(key=name, value="", max_age=0, path="/", httponly=True, samesite="lax")
    request.add_header("Set-Cookie", gone.to_header(header=""))


ROUTES = (show_session, end_session)
