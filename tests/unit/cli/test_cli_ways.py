"""Every command asks a database or a server alike, or has a reason why it cannot."""

from __future__ import annotations

from collections.abc import Iterator

import click

from rota.cli.main import cli

HERE = "it starts processes on this machine"
PURE = "it reads files and asks nobody"
DATABASE = "it is about the database itself, and says so when a server is named"
NO_SERVER = {
    "up": HERE,
    "server": HERE,
    "demo": HERE,
    "completion": PURE,
    "schema": PURE,
    "init": PURE,
    "graphs show": PURE,
    "graphs schema": PURE,
    "schedules preview": PURE,
    "import crontab": PURE,
    "import cronjob": PURE,
    "import celery": PURE,
    "import systemd": PURE,
    "db migrate": DATABASE,
    "db sql": DATABASE,
    "db check": DATABASE,
    "db protect": DATABASE,
    "db grant": DATABASE,
    "db revoke": DATABASE,
    "db logins": DATABASE,
    "prune": DATABASE,
    "doctor": DATABASE,
    "releases list": DATABASE,
    "releases use": DATABASE,
    "bench": DATABASE,
}


def leaves(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from leaves(command, f"{path}{name} ")
        else:
            yield f"{path}{name}", command


def options(command: click.Command) -> dict[str, click.Option]:
    return {
        name: each
        for each in command.params
        if isinstance(each, click.Option)
        for name in (*each.opts, *each.secondary_opts)
    }


def takes_server(command: click.Command) -> bool:
    found = options(command).get("--server")
    return found is not None and not found.hidden and not found.is_flag


def test_a_command_takes_a_server_or_has_a_reason() -> None:
    without = {path for path, command in leaves(cli) if not takes_server(command)}

    assert without == set(NO_SERVER)


def test_each_remote_command_takes_a_database_a_profile_and_json() -> None:
    for path, command in leaves(cli):
        if takes_server(command):
            form = "--log-format" if path == "worker" else "--json"
            assert {"--url", "--profile", form} <= set(options(command)), path


def test_database_commands_know_the_server_flag_to_refuse_it() -> None:
    for path, command in leaves(cli):
        if NO_SERVER.get(path) == DATABASE:
            assert options(command)["--server"].hidden, path
