"""`rota blackouts`: maintenance windows, in which nothing starts by time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

if TYPE_CHECKING:
    from rota.model.schedules.definitions import BlackoutView

EPILOG = """\b
Examples:
  rota blackouts
  rota blackouts set move --kind defer --from 2026-12-24T22:00Z --until 2026-12-25T06:00Z
  rota blackouts set sunday --kind skip --trigger "0 2 * * sun" --duration 4h --zone Europe/Paris
  rota blackouts set bank --kind drain --job charge --trigger "0 23 * * *" --duration 1h
  rota blackouts remove move

skip leaves firings out, defer lets them start at the end of the window, drain lets nothing new of
its jobs start. Without --job and --queue a window is everybody's. Starts by hand are not held.
"""
COLUMNS = ("name", "kind", "when", "job", "queue", "note")
KINDS = ("skip", "defer", "drain")


@click.group("blackouts", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Show maintenance windows; make, change and remove them."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the windows of this namespace."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.blackouts.list()
    if as_json:
        print_json(views.values())
        return
    rows = [
        (each.name, each.kind, each.description, each.job or "", each.queue or "", each.note)
        for each in views.values()
    ]
    print_table(COLUMNS, rows, empty="no maintenance windows")


@command.command("set")
@click.argument("name", shell_complete=names_of("windows"))
@click.option(
    "--kind", type=click.Choice(KINDS), help="What becomes of firings; a new one needs it."
)
@click.option("--from", "start", metavar="TIME", help="When the window begins, once.")
@click.option("--until", "end", metavar="TIME", help="The first instant after it.")
@click.option("--trigger", metavar="EXPR", help="When it begins, again and again: a cron line.")
@click.option("--duration", metavar="TIME", help="How long such a window lasts, as in 4h.")
@click.option("--zone", metavar="ZONE", help="The zone of these times; UTC if not said.")
@click.option("--job", metavar="NAME", help="Only for this job.", shell_complete=names_of("jobs"))
@click.option(
    "--queue", metavar="NAME", help="Only for this queue.", shell_complete=names_of("queues")
)
@note_option()
@click.option("--replace", is_flag=True, help="What is not said goes back to its default.")
@desk_options
def set_(*, name: str, as_json: bool, **flags: Any) -> None:
    """Make a window or change the one of that name.

    Of a window that exists, what is not said stays as it is, unless --replace is given; a new time
    takes the place of the old one, whichever way that was said.
    """
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.cli.pages.changes import print_changes

    fields = ("kind", "start", "end", "trigger", "duration", "zone", "job", "queue", "note")
    changes = {field: flags.pop(field) for field in fields}
    replace = flags.pop("replace")
    with place(flags) as here:
        old = here.blackouts.list().get(name)
        if old is None and changes["kind"] is None:
            raise click.UsageError(f"there is no window {name} yet: say --kind")
        body = changes if old is None or replace else _merge(old, changes)
        new = here.blackouts.put(name, **body)
    if as_json:
        print_json([new])
    else:
        print(f"window {name} is set")
        print_changes(old and old.blackout, new.blackout)


def _merge(old: BlackoutView, changes: dict[str, Any]) -> dict[str, Any]:
    new_values = {key: value for key, value in changes.items() if value is not None}
    old_values = {key: getattr(old, key) for key in changes}
    for times in (("start", "end"), ("trigger", "duration")):
        others = ("trigger", "duration") if times[0] == "start" else ("start", "end")
        if any(key in new_values for key in times):
            old_values |= dict.fromkeys(others)
    return {**old_values, **new_values}


@command.command("remove")
@click.argument("name", shell_complete=names_of("windows"))
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove a window; what it defers starts at its old end."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.errors import BadInput

    with place(flags) as here:
        if not here.blackouts.remove(name):
            raise BadInput(f"there is no window named {name!r}; see `rota blackouts`")
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"window {name} is removed")
