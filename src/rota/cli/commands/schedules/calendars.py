"""`rota calendars`: named business calendars for schedules."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options

EPILOG = """\b
Examples:
  rota calendars
  rota calendars set acme --country FR --off 2026-12-24 --off 2026-12-31
  rota calendars set gulf --weekend fri,sat
  rota calendars remove acme

A schedule names one: @app.job(schedule="0 6 * * *", calendar="acme", roll="next"). Countries and
markets need no calendar: calendar="FR" and calendar="XNYS" are there already.
"""
COLUMNS = ("name", "version", "country", "weekend", "off", "on")
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@click.group("calendars", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """Show business calendars by name; make, change and remove them."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the calendars of this namespace."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.calendars.list()
    if as_json:
        print_json(views.values())
        return
    rows = [
        (
            each.name,
            str(each.version),
            each.country or "",
            ", ".join(DAYS[day] for day in each.weekend),
            ", ".join(each.off),
            ", ".join(each.on),
        )
        for each in views.values()
    ]
    print_table(COLUMNS, rows, empty="no calendars; countries such as FR need none")


@command.command("set")
@click.argument("name", shell_complete=names_of("calendars"))
@click.option("--country", metavar="CODE", help="Its public holidays are off: FR, US-CA, XNYS.")
@click.option("--weekend", metavar="DAYS", help="Days off each week; sat,sun if not said.")
@click.option("--off", multiple=True, metavar="DATE", help="A further day off; any number.")
@click.option("--on", multiple=True, metavar="DATE", help="A day worked in spite of all.")
@click.option("--replace", is_flag=True, help="What is not said goes back to its default.")
@desk_options
def set_(*, name: str, weekend: str | None, as_json: bool, **flags: Any) -> None:
    """Make a calendar or change the one of that name; its schedules follow at once.

    Of a calendar that exists, what is not said stays as it is, unless --replace is given. All days
    that are named with --off, or with --on, take the place of those before them.
    """
    from msgspec import structs

    from rota.cli.connect.backends import place
    from rota.cli.output import print_json
    from rota.cli.pages.changes import print_changes
    from rota.model.schedules.definitions import Calendar

    fields = {key: flags[key] for key in ("country", "off", "on") if flags[key]}
    if weekend is not None:
        days = {_weekday(day) for day in weekend.split(",") if day.strip()}
        fields["weekend"] = tuple(sorted(days))
    with place(flags) as here:
        old = here.calendars.list().get(name)
        base = Calendar() if old is None or flags["replace"] else old.calendar
        calendar = structs.replace(base, **fields)
        view = here.calendars.put(name, calendar)
    if as_json:
        print_json([view])
    else:
        print(f"calendar {name} is version {view.version}")
        print_changes(old.calendar if old else None, calendar)


@command.command("remove")
@click.argument("name", shell_complete=names_of("calendars"))
@desk_options
def remove(*, name: str, as_json: bool, **flags: Any) -> None:
    """Remove a calendar; refused while a schedule names it."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_json

    with place(flags) as here:
        here.calendars.remove(name)
    if as_json:
        print_json([{"name": name, "removed": True}])
    else:
        print(f"calendar {name} is removed")


def _weekday(text: str) -> int:
    name = text.strip().lower()[:3]
    if name not in DAYS:
        raise click.BadParameter(f"{text!r} is no day of the week", param_hint="--weekend")
    return DAYS.index(name)
