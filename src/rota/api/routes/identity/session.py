"""The session of a browser: who is signed in, and signing out."""

from __future__ import annotations

from litestar import delete, get
from litestar.datastructures import Cookie

from rota.api.identity.actions import joined, offered
from rota.api.identity.authorization import needs
from rota.api.server.request import ApiRequest
from rota.engine.identity.namespaces import HOME
from rota.engine.identity.sessions import close_session
from rota.model.identity.credentials import Credential, SessionView
from rota.rules.security.secrets import csrf_of, digest_of
from rota.store.base import Tx


@get("/session", **needs("viewer", everybody=True))
async def show_session(request: ApiRequest) -> SessionView:
    """The user of this credential, with its roles."""
    credential = request.credential
    cookie = request.server_state.identities.cookie(request)
    secret = request.cookies.get(cookie) if credential.is_session else None
    return SessionView(
        who=credential.who,
        kind="session" if credential.is_session else "token",
        namespace=credential.namespace,
        roles=credential.roles,
        queues=credential.queues,
        verbs=tuple(_makes(credential)),
        csrf_token=None if secret is None else csrf_of(secret),
    )


def _makes(credential: Credential) -> list[str]:
    """Return the kinds of things that the caller may create."""
    kinds = ("job", "schedule", "template", "calendar", "monitor")
    is_chief, sees_all = credential.namespace == HOME, credential.queues is None
    return joined(
        offered(credential, *(f"create-{kind}" for kind in kinds), role="author"),
        offered(credential, "create-command", role="author") if credential.has("exec") else [],
        offered(credential, "create-blackout", "create-view", role="operator"),
        offered(credential, "create-alert-rule", role="operator") if sees_all else [],
        offered(credential, "create-alert-channel", role="admin") if sees_all else [],
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

    def end(tx: Tx) -> bool:
        return close_session(tx, digest_of(secret))

    await request.change("sign out", request.credential.who, end, answers=bool)
    request.server_state.identities.forget()
    gone = Cookie(key=name, value="", max_age=0, path="/", httponly=True, samesite="lax")
    request.add_header("Set-Cookie", gone.to_header(header=""))


ROUTES = (show_session, end_session)
