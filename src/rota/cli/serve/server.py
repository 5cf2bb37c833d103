"""Servers that commands start: alone, or beside the worker of `rota up`."""

from __future__ import annotations

import errno
import socket
import sys
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import msgspec

from rota.cli.serve.addresses import forget_address, note_address
from rota.errors import RotaError

if TYPE_CHECKING:
    from rota.api.server.options import ServerOptions
    from rota.api.server.process import StartupNote
    from rota.app import App
    from rota.settings.table import Settings


class ListenAddress(msgspec.Struct, frozen=True):
    """The address of the store, as the app of a worker gives it."""

    url: str
    namespace: str


def serve_alone(settings: Settings, *, as_json: bool) -> int:
    """Run `rota server`; its output goes to stdout, log lines to stderr."""
    return _serve(settings, _app(settings), as_json=as_json, title="server")


def serve_beside(settings: Settings, place: ListenAddress) -> int:
    """Run the server of `rota up`. Without a chosen port, it may take another one."""
    from rota.api.server.options import DEFAULT_PORT
    from rota.app import App

    host = settings.host or "127.0.0.1"
    if settings.port is None and is_taken(host, DEFAULT_PORT):
        settings = settings.replace(port=0)
    app = App(place.url, namespace=place.namespace)
    return _serve(settings, app, as_json=False, title="up")


def server_options_of(settings: Settings) -> ServerOptions:
    """Return the settings as options of a server; others keep their defaults."""
    from rota.api.identity.oidc_options import oidc_options
    from rota.api.server.options import ServerOptions

    oidc = oidc_options(settings.options_of("oidc"))
    return ServerOptions(**settings.options_of("server"), oidc=oidc)


def _serve(settings: Settings, app: App, *, as_json: bool, title: str) -> int:
    from setproctitle import setproctitle

    from rota.api.server.options import check_posture
    from rota.cli.serve.log_lines import start_logging
    from rota.cli.serve.startup_wait import FirstTime, wait_for_store

    options = check_posture(server_options_of(settings))  # before 0.4 s of imports
    from rota.api.server.process import serve

    setproctitle(f"rota {title}: server")
    start_logging(settings.log_format)
    wait_for_store(app, settings, is_first=FirstTime())

    def greet(options: ServerOptions, welcome: StartupNote | None) -> None:
        if as_json or settings.log_format == "json":
            _print_json(options, welcome)
        else:
            _print_banner(options, welcome)
            if welcome is None and title == "up" and sys.stdout.isatty():
                _print_link(app, options)
        note_address(app.url, options.address)

    try:
        return serve(app, options, greet=greet)
    finally:
        forget_address(app.url)
        app.close()


def _print_link(app: App, options: ServerOptions) -> None:
    """Print a link for the person at this terminal; a login that may not make one prints none."""
    with suppress(RotaError):
        print("  Sign in with this link, which is good once, for five minutes; later: rota open")
        print(f"    {app.tokens.link(options.address)}", flush=True)


def _app(settings: Settings) -> App:
    from rota.app import App

    if settings.app is not None and not settings.url:
        from rota.cli.loading import load_app

        return load_app(settings)
    return App(settings.url, namespace=settings.namespace)


def _print_banner(options: ServerOptions, welcome: StartupNote | None) -> None:
    print(f"Rota's server listens on {options.address}")
    if welcome is not None:
        print("  This is the first start. Sign in with this link, which is good once, for an hour:")
        print(f"    {welcome.link}")
        print("  For programs there is this token; it is shown this once:")
        print(f"    {welcome.token}")
    sys.stdout.flush()


def _print_json(options: ServerOptions, welcome: StartupNote | None) -> None:
    from rota.cli.output import print_json

    first = {} if welcome is None else {"link": welcome.link, "token": welcome.token}
    print_json([{"address": options.address, **first}])
    sys.stdout.flush()


def is_taken(host: str, port: int) -> bool:
    """Whether a process listens there already."""
    with closing(socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, port))
        except OSError as error:
            return error.errno == errno.EADDRINUSE
    return False
