"""The server of the demo: a process of its own, with a link that signs in without a token."""

from __future__ import annotations

import os
import signal
import sys
import webbrowser
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import NamedTuple

from rota.app import App
from rota.cli.serve.processes import STOPPING, fork

TOKEN_NAME = "demo"  # noqa: S105  # of the token, not its secret
TOKEN_LIFE = "1d"  # noqa: S105  # the same


class PagesAddress(NamedTuple):
    """The address of the pages, with a link that signs in."""

    address: str
    link: str
    is_built: bool


@contextmanager
def serving_pages(app: App, port: int | None) -> Iterator[PagesAddress | None]:
    """Run a server on the app's store inside the block; None if it could not start.

    It must be called before there are threads and before the store is open here: the server is a
    fork. The server opens the store first, so that the two do not both create its tables, and dies
    with us.
    """
    reader, writer = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)
    server = fork(lambda: _serve(app.url, app.namespace, port, writer), os.getpid())
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        address = pipe.readline().strip()  # the end of the file if it died
    try:
        yield _door(app, address) if address else None
    finally:
        with suppress(ProcessLookupError):
            os.kill(server, signal.SIGTERM)
        os.waitpid(server, 0)


def _serve(url: str, namespace: str, port: int | None, writer: int) -> int:
    from rota.api.server.options import DEFAULT_PORT, ServerOptions
    from rota.api.server.process import StartupNote, serve
    from rota.cli.serve.server import is_taken
    from rota.errors import RotaError

    def greet(options: ServerOptions, _: StartupNote | None) -> None:
        os.write(writer, f"{options.address}\n".encode())
        os.close(writer)

    chosen = port or (0 if is_taken("127.0.0.1", DEFAULT_PORT) else DEFAULT_PORT)
    options = ServerOptions(port=chosen, drain_s=1.0)
    with closing(App(url, namespace=namespace)) as app:
        try:
            return serve(app, options, greet=greet)
        except RotaError as error:
            print(f"rota: the pages are not served: {error}", file=sys.stderr)
            return 1


def _door(app: App, address: str) -> PagesAddress:
    """Return the address with a new token and ticket: the store of a demo may be an old one."""
    from rota.api.routes.pages import BUILT
    from rota.engine.identity.sessions import LINK_MS, give_ticket
    from rota.operations.identity.new_tokens import draw_secret, draw_token, give_token
    from rota.rules.security.secrets import digest_of
    from rota.store.base import Tx

    drawn = draw_token(TOKEN_NAME, roles=("admin", "exec"), expires=TOKEN_LIFE)
    ticket = draw_secret()

    def give(tx: Tx) -> None:
        give_token(tx, drawn.token, namespace=app.namespace, who=TOKEN_NAME)
        give_ticket(tx, digest_of(ticket), purpose="login", token_id=drawn.token.id, ttl_ms=LINK_MS)

    app.store.write(give)
    return PagesAddress(
        address, f"{address}/login?ticket={ticket}", (BUILT / "index.html").exists()
    )


def open_in_browser(door: PagesAddress) -> None:
    """Open the link of the pages, if they were built."""
    if door.is_built:
        open_link(door.link)


def open_link(link: str) -> None:
    """Open the link where there is a screen; elsewhere the printed link must do."""
    has_screen = sys.platform == "darwin" or any(
        map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY"))
    )
    if has_screen:
        with suppress(webbrowser.Error, OSError):
            webbrowser.open(link)
