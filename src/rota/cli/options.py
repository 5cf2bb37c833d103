"""Flags that several commands share, and the settings they end up in."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rota.cli.suggest import SuggestingGroup

if TYPE_CHECKING:
    from rota.app.settings import Settings

F = TypeVar("F", bound=Callable[..., Any])


def url_option(command: F) -> F:
    return click.option(
        "--url", metavar="URL", help="The store: sqlite:///file.db or postgresql://user@host/db."
    )(command)


def namespace_option(command: F) -> F:
    return click.option(
        "--namespace", metavar="NAME", help="Whose jobs and runs; `default` if not said."
    )(command)


def json_option(command: F) -> F:
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object per line instead of text."
    )(command)


def who_option(command: F) -> F:
    return click.option(
        "--who", metavar="NAME", help="Who, for the record; else you@this-machine."
    )(command)


def desk_options(command: F) -> F:
    """For commands that ask a store or a server: where it is, whose part of it, how to print."""
    return database_options(_server_options(command, hidden=False))


def house_options(command: F) -> F:
    """The same for commands that are about all namespaces."""
    return url_option(_server_options(json_option(command), hidden=False))


def local_options(command: F) -> F:
    """For commands that need the database itself; asked of a server, they say so."""
    return url_option(_server_options(command, hidden=True))


def _server_options(command: F, *, hidden: bool) -> F:
    server = click.option(
        "--server",
        metavar="URL",
        hidden=hidden,
        help="Ask this server instead of a database; ROTA_TOKEN holds the token.",
    )
    profile = click.option(
        "--profile", metavar="NAME", help="Settings of [profiles.NAME] in rota.toml."
    )
    return server(profile(command))


def database_options(command: F) -> F:
    """Where the store is, whose part of it, how to print."""
    app = click.option(
        "--app", metavar="APP", help="Take the store's address from this app, as in `rota up`."
    )
    return url_option(namespace_option(app(json_option(command))))


def worker_options(command: F) -> F:
    """For commands that run jobs."""
    for option in (
        click.option("--log-format", metavar="text|json", help="How log lines on stderr look."),
        click.option(
            "--echo/--no-echo", default=None, help="Show what handlers print here as well."
        ),
        click.option(
            "--wait/--no-wait",
            "wait_for_store",
            default=None,
            help="Wait for a database that is away at the start; on if not said.",
        ),
        click.option("--drain", metavar="TIME", help="Patience with running handlers at the end."),
        click.option("--name", metavar="NAME", help="How `rota workers` calls it."),
        click.option(
            "--stored/--no-stored",
            default=None,
            help="Run jobs that only the store defines: on for `up`, off for `worker`.",
        ),
        click.option(
            "--prefetch", metavar="N", help="Short runs to hold ready at most; 500, 0 for none."
        ),
        click.option("--slots", metavar="N", help="How many runs at once; 8 if not said."),
        click.option(
            "--queues", metavar="A,B", help="Queues to serve; those of the jobs if unsaid."
        ),
    ):
        command = option(command)
    return url_option(namespace_option(command))


def server_options(command: F) -> F:
    """For commands that serve the REST API."""
    for option in (
        click.option(
            "--request-rate", metavar="N", help="Requests a second of one token; 100 if unsaid."
        ),
        click.option("--threads", metavar="N", help="Requests at the database at once; 8."),
        click.option("--tls-key", metavar="FILE", help="The key of the certificate."),
        click.option("--tls-cert", metavar="FILE", help="A certificate: https."),
        click.option(
            "--behind-proxy/--no-behind-proxy",
            default=None,
            help="A proxy in front brings TLS and tells where requests come from.",
        ),
        click.option(
            "--server-names", metavar="A,B", help="Names under which people reach the server."
        ),
        click.option("--port", metavar="N", help="Where to listen; 8470 if not said."),
        click.option("--host", metavar="ADDRESS", help="Where to listen; 127.0.0.1 if not said."),
    ):
        command = option(command)
    return command


def settings(flags: dict[str, Any]) -> Settings:
    """What these flags, the environment and rota.toml say together."""
    from rota.app.settings import read_settings

    return read_settings(flags, env=os.environ, folder=Path.cwd())


class NounGroup(SuggestingGroup):
    """`rota runs` is `rota runs list`; the other verbs are named."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = [self.default, *args]
        return super().parse_args(ctx, args)
