"""`rota namespaces`: tenants that share the store without seeing each other, with their limits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, house_options, who_option

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.identity.credentials import Namespace

EPILOG = """\b
Examples:
  rota namespaces
  rota namespaces create team-a --queued 100000 --running 50 --rate 200 --payload 64KB
  rota namespaces set team-a --queued 200000
  rota namespaces remove team-a
  rota tokens create ci --role operator --namespace team-a

Who asks a server is in the namespace of its token, and in no other. Quotas hold for what comes
through servers, which answer 429 beyond them; --rate counts at each server, and --running holds
for all workers together.
"""
COLUMNS = ("name", "queued", "running", "rate", "payload", "note")


@click.group("namespaces", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List, create and change namespaces and their quotas."""


def _quota_options(command: Any) -> Any:
    for option in (
        click.option("--note", help="Whose it is, for people."),
        click.option("--payload", metavar="SIZE", help="Most bytes of one run's arguments: 64KB."),
        click.option("--rate", type=float, metavar="N", help="Most submits a second."),
        click.option("--running", type=int, metavar="N", help="Most runs at once."),
        click.option("--queued", type=int, metavar="N", help="Most runs that wait."),
    ):
        command = option(command)
    return who_option(house_options(command))


@command.command("list")
@house_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the namespaces on record with their quotas."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.namespaces.list()
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [_row(each) for each in views], empty="only `default`, without quotas")


@command.command("create")
@click.argument("name", shell_complete=names_of("namespaces"))
@_quota_options
def create(*, name: str, as_json: bool, who: str | None, **flags: Any) -> None:
    """Make the namespace NAME; what is left out has no limit."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        namespace = here.namespaces.create(
            name, note=flags["note"] or "", **_limits(flags), **by(who)
        )
    _print_made(namespace, "made", as_json=as_json)


@command.command("set")
@click.argument("name", shell_complete=names_of("namespaces"))
@_quota_options
def set_(*, name: str, as_json: bool, who: str | None, **flags: Any) -> None:
    """Change quotas of the namespace NAME; 0 takes a limit away."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        namespace = here.namespaces.change(name, note=flags["note"], **_limits(flags), **by(who))
    _print_made(namespace, "changed", as_json=as_json)


@command.command("remove")
@click.argument("name", shell_complete=names_of("namespaces"))
@who_option
@house_options
def remove(*, name: str, as_json: bool, who: str | None, **flags: Any) -> None:
    """Take the namespace NAME off the record, if nothing is left in it."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json

    with place(flags, who=who) as here:
        here.namespaces.remove(name, **by(who))
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"namespace {name} is removed")


def _limits(flags: dict[str, Any]) -> dict[str, Any]:
    return {name: flags[name] for name in ("queued", "running", "rate", "payload")}


def _print_made(namespace: Namespace, how: str, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([namespace])
    else:
        print(f"namespace {namespace.name} is {how}")


def _row(each: Namespace) -> Row:
    quotas = each.quotas
    limits = (quotas.queued, quotas.running, quotas.rate, quotas.payload)
    return (each.name, *("" if limit is None else f"{limit:g}" for limit in limits), each.note)
