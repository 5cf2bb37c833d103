"""The server process: listens, serves until it is told to stop, then finishes open requests."""

from __future__ import annotations

import logging
import signal
import socket
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import uvicorn
from litestar.types import ASGIApp

from rota.api.server.asgi import create_app
from rota.api.server.options import ServerOptions, check_posture
from rota.api.server.protocol import guarded
from rota.api.server.state import ServerState
from rota.engine.identity.audit_log import Actor, record
from rota.engine.identity.sessions import LINK_MS, give_ticket
from rota.engine.identity.tokens import credential_of_token, has_tokens, revoke, tokens
from rota.errors import BadOption, StoreLost
from rota.ids import new_id
from rota.model.identity.credentials import ROLES
from rota.notices import emit
from rota.operations.identity.new_tokens import draw_secret, draw_token, give_token
from rota.rules.security.secrets import check_own_token, digest_of
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app import App

ADMIN = ("admin", "exec")
FIRST = "first start"
FROM_ENV = "ROTA_ADMIN_TOKEN"
BACKLOG = 512


class StartupNote(NamedTuple):
    """The first credentials, shown once to the person who started the first server."""

    token: str
    link: str


def serve(
    app: App,
    options: ServerOptions,
    *,
    greet: Callable[[ServerOptions, StartupNote | None], None],
) -> int:
    """Serve until TERM or INT; returns the exit code."""
    check_posture(options)
    sock = listen(options)
    options = msgspec.structs.replace(options, port=sock.getsockname()[1])
    welcome = first_token(app, options)
    server_state = ServerState(app, options)

    def tell() -> None:
        greet(options, welcome)
        emit("server.started", address=options.address)

    server = _Server(config_of(server_state), tell, lambda: app.store.lost)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    server.run(sockets=[sock])
    emit("server.stopped", address=options.address)
    if app.store.lost is not None:
        raise app.store.lost
    return 0


def config_of(server_state: ServerState, app: ASGIApp | None = None) -> uvicorn.Config:
    """Return the configuration of uvicorn; `app` is an application that exists already."""
    options = server_state.options
    return uvicorn.Config(
        app or create_app(server_state),
        http=guarded(options),
        ws="none",
        loop="uvloop",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,  # those who trust every proxy believe what the client made up
        ssl_certfile=options.tls_cert,
        ssl_keyfile=options.tls_key,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=round(options.drain_s),
        backlog=BACKLOG,
    )


def listen(options: ServerOptions) -> socket.socket:
    """Return the listening socket, so that a taken port gives a clear error and port 0 a number."""
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((options.host, options.port))
    except OSError as error:
        sock.close()
        raise BadOption(
            f"cannot listen on {options.host}, port {options.port}: {error.strerror or error}; "
            "choose another with --port"
        ) from error
    sock.set_inheritable(True)
    return sock


def first_token(app: App, options: ServerOptions) -> StartupNote | None:
    """Make a token for the first of all servers; shown once, only its digest is stored."""
    if options.admin_token is not None:
        brought = check_own_token(options.admin_token)
        app.store.write(lambda tx: _bring(tx, brought, app.namespace))
        return None
    drawn = draw_token(FIRST, roles=ADMIN)
    ticket = draw_secret()

    def make(tx: Tx) -> bool:
        if has_tokens(tx):
            return False
        give_token(tx, drawn.token, namespace=app.namespace, who=FIRST)
        give_ticket(tx, digest_of(ticket), purpose="login", token_id=drawn.token.id, ttl_ms=LINK_MS)
        return True

    if not app.store.write(make):
        return None
    return StartupNote(drawn.secret, f"{options.address}/login?ticket={ticket}")


def _bring(tx: Tx, secret: str, namespace: str) -> None:
    """Store the token of the environment as the only one of its name; an older one is revoked."""
    known = credential_of_token(tx, digest_of(secret))
    if known is None:
        drawn = draw_token(FROM_ENV, roles=[role for role in ROLES if role in ADMIN], secret=secret)
        give_token(tx, drawn.token, namespace=namespace, who=FROM_ENV)
        known = credential_of_token(tx, digest_of(secret))
    if known is None:
        raise BadOption("the token of ROTA_ADMIN_TOKEN was revoked; set another one")
    for view in tokens(tx, namespace=namespace, limit=500):
        if view.name == FROM_ENV and view.id != known.id:
            _revoke(tx, view.id, namespace)


def _revoke(tx: Tx, token_id: str, namespace: str) -> None:
    if revoke(tx, token_id, namespace=namespace, who=FROM_ENV):
        by, detail = Actor(act_id=new_id(), who=FROM_ENV), {"name": FROM_ENV}
        record(tx, by, namespace=namespace, verb="revoke token", subject=token_id, detail=detail)


class _Server(uvicorn.Server):
    """A server that reports when it serves; requests may finish, and a second INT hurries them."""

    def __init__(
        self,
        config: uvicorn.Config,
        tell: Callable[[], None],
        lost: Callable[[], StoreLost | None] = lambda: None,
    ) -> None:
        super().__init__(config)
        self._tell = tell
        self._lost = lost

    async def on_tick(self, counter: int) -> bool:
        """Whether to end, ten times a second: a server without its store has nothing to serve."""
        return await super().on_tick(counter) or self._lost() is not None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._tell()

    def capture_signals(self) -> AbstractContextManager[None]:  # type: ignore[override]
        """Do nothing: our handlers are set before the loop; uvicorn would raise signals again."""
        return nullcontext()
