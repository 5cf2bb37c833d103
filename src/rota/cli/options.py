"""Flags that several commands share, and the settings that they set."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from rota.cli.suggest import SuggestingGroup
from rota.settings.table import SETTINGS, Settings

F = TypeVar("F", bound=Callable[..., Any])

FLAGS = {name: setting.flag for name, setting in SETTINGS.items() if setting.flag is not None}


class RenamedOption(click.Option):
    """An option that still goes by its older names, which neither help nor completion shows."""

    def __init__(self, declared: Sequence[str], *, old: tuple[str, ...] = (), **more: Any) -> None:
        super().__init__(declared, **more)
        self.old = old

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        super().add_to_parser(parser, ctx)
        parser.add_option(self, self.old, dest=self.name, action="store", nargs=self.nargs)


def note_option(name: str = "note", *, default: str | None = None) -> Callable[[F], F]:
    """Return the option for why something is done; `name` is the parameter that gets it."""
    return click.option(
        "--note",
        name,
        cls=RenamedOption,
        old=("--reason", "--why"),
        metavar="TEXT",
        default=default,
        help="Why, for the record and for those who wonder.",
    )


def flag(name: str, *, hidden: bool = False) -> Callable[[F], F]:
    """Return the option of a setting, spelled as in the table of settings."""
    words, _, metavar = FLAGS[name].words.partition(" ")
    more: dict[str, Any] = {"metavar": metavar} if metavar else {"default": None}
    return click.option(words, name, help=FLAGS[name].says, hidden=hidden, **more)


def url_option(command: F) -> F:
    return flag("url")(command)


def namespace_option(command: F) -> F:
    return flag("namespace")(command)


def json_option(command: F) -> F:
    return click.option(
        "--json", "as_json", is_flag=True, help="Print one JSON object per line instead of text."
    )(command)


def who_option(command: F) -> F:
    return click.option(
        "--who", metavar="NAME", help="Who, for the record; else you@this-machine."
    )(command)


def desk_options(command: F) -> F:
    """Add options of commands for a store or a server: its address, the namespace, the output."""
    return database_options(_server_options(command, hidden=False))


def house_options(command: F) -> F:
    """Add options of commands about all namespaces: the address of store or server, the output."""
    return url_option(_server_options(json_option(command), hidden=False))


def local_options(command: F) -> F:
    """Add options of commands that need the database itself; they refuse a server by name."""
    return url_option(_server_options(command, hidden=True))


def _server_options(command: F, *, hidden: bool) -> F:
    profile = click.option(
        "--profile", metavar="NAME", help="Settings of [profiles.NAME] in rota.toml."
    )
    return flag("server", hidden=hidden)(profile(command))


def database_options(command: F) -> F:
    """Add options for the address of the store, the namespace and the output."""
    return url_option(namespace_option(flag("app")(json_option(command))))


def worker_options(command: F) -> F:
    """Add options of commands that run jobs."""
    return url_option(namespace_option(_flags_of("worker", command)))


def server_options(command: F) -> F:
    """Add options of commands that serve the REST API."""
    return _flags_of("server", command)


def _flags_of(commands: str, command: F) -> F:
    for name, each in reversed(FLAGS.items()):
        if each.commands == commands:
            command = flag(name)(command)
    return command


def settings_of(flags: dict[str, Any]) -> Settings:
    """Return the settings of these flags, the environment and rota.toml together."""
    from rota.settings.read import read_settings

    return read_settings(flags, env=os.environ, folder=Path.cwd())


class NounGroup(SuggestingGroup):
    """A group of a noun: `rota runs` alone is `rota runs list`."""

    default = "list"

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = [self.default, *args]
        return super().parse_args(ctx, args)
