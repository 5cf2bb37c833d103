"""`rota schedules list`, `show` and `preview`: schedules with their firings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.commands.schedules.group import command
from rota.cli.completing import names_of
from rota.cli.options import desk_options, json_option, settings_of

if TYPE_CHECKING:
    from rota.model.schedules.definitions import Schedule

# Spelled out, because importing the model for them would make `rota --help` wait; a test compares.
DIALECTS = ("vixie", "quartz", "kubernetes")
GAPS = ("cron", "next", "skip", "same")
FOLDS = ("cron", "first", "second", "both")
ROLLS = ("skip", "next", "previous", "modified_following")
STATES = ("active", "paused", "error", "ended")
EXPR = """EXPR is a cron line, @daily and its like, "@every 90s", "@event orders.closed", or a
schedule as a JSON object such as '{"every": {"months": 1}, "start": "2026-01-31T06:00"}'."""


@command.command("list")
@click.option(
    "--job", metavar="NAME", help="Only schedules of this job.", shell_complete=names_of("jobs")
)
@click.option("--state", type=click.Choice(STATES), help="Only those in this state.")
@click.option(
    "--after",
    default="",
    metavar="NAME",
    help="The page after the one that ended so.",
    shell_complete=names_of("schedules"),
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List schedules with their next firing and how they went last."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.pages.schedule import COLUMNS, schedule_row

    with place(flags) as here:
        views = here.schedules.list(
            job=flags["job"], state=flags["state"], after=flags["after"], limit=flags["limit"]
        )
        now = now_at(here)
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [schedule_row(each, now) for each in views], empty="no schedules")


@command.command("show")
@click.argument("name", shell_complete=names_of("schedules"))
@click.option("--count", type=click.IntRange(1, 1000), default=5, show_default=True)
@desk_options
def show(*, name: str, count: int, as_json: bool, **flags: Any) -> None:
    """Show a schedule: its rule in words, the next firings, what became of the last ones."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json
    from rota.cli.pages.schedule import print_page

    with place(flags) as here:
        view = here.schedules.show(name, count=count)
        now = now_at(here)
    if as_json:
        print_json([view])
    else:
        print_page(view, now)


@command.command("upcoming")
@click.option("--until", metavar="TIME", help="The last instant to look at; for a day if not said.")
@click.option("--limit", type=click.IntRange(1, 1000), default=50, show_default=True)
@desk_options
def upcoming(*, until: str | None, limit: int, as_json: bool, **flags: Any) -> None:
    """Show the next firings of all schedules, in order."""
    import sys

    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table
    from rota.cli.times import instant, since

    with place(flags) as here:
        found = here.schedules.upcoming(until=instant("--until", until), limit=limit)
        now = now_at(here)
    if as_json:
        print_json([found])
        return
    rows = [
        (each.at.text(), since(each.at, now), each.schedule, each.job, ", ".join(each.marks))
        for each in found.firings
    ]
    print_table(
        ("at", "in", "schedule", "job", "because"), rows, empty="nothing fires in that time"
    )
    if found.is_cut:
        print("there is more: --limit tells more of it", file=sys.stderr)


@command.command("preview", help=f"Show when a schedule would fire, before it exists.\n\n{EXPR}")
@click.argument("expression", metavar="EXPR")
@click.option("--zone", metavar="ZONE", help="An IANA zone such as Europe/Paris; UTC if not said.")
@click.option("--from", "start", metavar="TIME", help="The first instant to look at; now.")
@click.option("--until", metavar="TIME", help="The last instant to look at.")
@click.option("--count", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--dialect", type=click.Choice(DIALECTS), help="How the cron line is read.")
@click.option("--gap", type=click.Choice(GAPS), help="Wall times that do not exist.")
@click.option("--fold", type=click.Choice(FOLDS), help="Wall times that come twice.")
@click.option(
    "--calendar",
    metavar="CODE",
    help="Whose holidays count, such as FR or XNYS.",
    shell_complete=names_of("calendars"),
)
@click.option("--roll", type=click.Choice(ROLLS), help="Firings on days off.")
@click.option("--seed", default="", metavar="NAME", help="Whose H: the name of the schedule.")
@json_option
def preview(
    *,
    expression: str,
    start: str | None,
    until: str | None,
    count: int,
    seed: str,
    as_json: bool,
    **options: str | None,
) -> None:
    from rota.cli.output import print_json, print_table
    from rota.cli.pages.preview import COLUMNS, asked_schedule, coming, firing_rows
    from rota.engine.identity.namespaces import HOME
    from rota.engine.schedules.compiled import seed_of
    from rota.rules.schedules.sentence import describe

    schedule = asked_schedule(expression, options)
    seed = seed_of(settings_of({}).namespace or HOME, seed) if seed else ""
    description = describe(schedule, seed=seed)
    firings = coming(
        schedule,
        seed=seed,
        calendars={},
        start=_from(start, schedule),
        count=count,
        until=None if until is None else _instant("until", until, schedule),
    )
    if as_json:
        facts = {"expression": expression, "description": description, "zone": schedule.zone}
        print_json([{**facts, "firings": firings}])
        return
    print(description)
    print()
    print_table(COLUMNS, firing_rows(firings), empty="it does not fire in that time")


def _from(text: str | None, schedule: Schedule) -> int:
    if text is not None:
        return _instant("from", text, schedule)
    from datetime import UTC, datetime

    from rota.clock import to_ms

    return to_ms(datetime.now(UTC))


def _instant(field: str, text: str, schedule: Schedule) -> int:
    from rota.rules.schedules.zones import zone
    from rota.rules.text.moments import read_bound

    return read_bound(field, text, zone(schedule.zone))
