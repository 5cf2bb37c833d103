"""`rota schedules`: what fires when; preview, pause, start by hand, backfill."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.options import Noun, json_option, store_options, who_option

if TYPE_CHECKING:
    from rota.model.schedule import Schedule

EPILOG = """\b
Examples:
  rota schedules                                      what fires next, and how it went last
  rota schedules show report                          with its next firings
  rota schedules preview "0 6 * * mon-fri" --zone Europe/Paris --count 20
  rota schedules preview "30 2 * * *" --zone America/New_York --from 2026-03-07
  rota schedules pause report --note "the warehouse moves"
  rota schedules trigger report day=2026-11-14
  rota schedules backfill report --from 2026-11-01 --to 2026-11-08 --dry-run
"""
# Spelled out, because importing the model for them would make `rota --help` wait; a test compares.
DIALECTS = ("vixie", "quartz", "kubernetes")
GAPS = ("cron", "next", "skip", "same")
FOLDS = ("cron", "first", "second", "both")
ROLLS = ("skip", "next", "previous", "modified_following")
CATCHUPS = ("none", "last", "all")
STATES = ("active", "paused", "error", "ended")
REPROCESS = ("missing", "failed", "all")
OTHERS = "Any other option of a schedule, such as jitter=30s."
EXPR = """EXPR is a cron line, @daily and its like, "@every 90s", or a schedule as a JSON object
such as '{"every": {"months": 1}, "start": "2026-01-31T06:00"}'."""


@click.group("schedules", cls=Noun, epilog=EPILOG)
def command() -> None:
    """Show what fires when; preview, pause, start by hand, backfill."""


@command.command("list")
@click.option("--job", metavar="NAME", help="Only schedules of this job.")
@click.option("--state", type=click.Choice(STATES), help="Only those in this state.")
@click.option("--after", default="", metavar="NAME", help="The page after the one that ended so.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@store_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List schedules with their next firing and how they went last."""
    from rota.cli.clients import opened
    from rota.cli.output import print_json, print_table
    from rota.cli.schedule_page import COLUMNS, schedule_document, schedule_row
    from rota.engine.inspect import now_ms

    with opened(flags) as app:
        found = app.schedules.list(
            job=flags["job"], state=flags["state"], after=flags["after"], limit=flags["limit"]
        )
        now = app.store.read(now_ms)
    if as_json:
        print_json(map(schedule_document, found))
    else:
        print_table(COLUMNS, [schedule_row(each, now) for each in found], empty="no schedules")


@command.command("show")
@click.argument("name")
@click.option("--count", type=click.IntRange(1, 1000), default=5, show_default=True)
@store_options
def show(*, name: str, count: int, as_json: bool, **flags: Any) -> None:
    """Show a schedule: its rule in words, the next firings, what became of the last ones."""
    from rota.cli.clients import opened
    from rota.cli.output import print_json
    from rota.cli.schedule_page import page_document, print_page
    from rota.engine.inspect import now_ms

    with opened(flags) as app:
        view = app.schedules.show(name)
        coming = app.schedules.preview(name, count=count)
        past = app.schedules.firings(name, limit=count)
        now = app.store.read(now_ms)
    if as_json:
        print_json([page_document(view, coming, past)])
    else:
        print_page(view, coming, past, now)


@command.command("preview", help=f"Show when a schedule would fire, before it exists.\n\n{EXPR}")
@click.argument("expression", metavar="EXPR")
@click.option("--zone", metavar="ZONE", help="An IANA zone such as Europe/Paris; UTC if not said.")
@click.option("--from", "start", metavar="TIME", help="The first instant to look at; now.")
@click.option("--until", metavar="TIME", help="The last instant to look at.")
@click.option("--count", type=click.IntRange(1, 10_000), default=20, show_default=True)
@click.option("--dialect", type=click.Choice(DIALECTS), help="How the cron line is read.")
@click.option("--gap", type=click.Choice(GAPS), help="Wall times that do not exist.")
@click.option("--fold", type=click.Choice(FOLDS), help="Wall times that come twice.")
@click.option("--calendar", metavar="CODE", help="Whose holidays count, such as FR or XNYS.")
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
    from rota.cli.previews import COLUMNS, asked_schedule, coming, firing_document, firing_rows
    from rota.rules.sentence import describe

    schedule = asked_schedule(expression, options)
    found = coming(
        schedule,
        seed=seed,
        calendars={},
        start=_from(start, schedule),
        count=count,
        until=None if until is None else _instant("until", until, schedule),
    )
    if as_json:
        facts = {"expression": expression, "description": describe(schedule), "zone": schedule.zone}
        print_json([{**facts, "firings": [firing_document(each) for each in found]}])
        return
    print(describe(schedule))
    print()
    print_table(COLUMNS, firing_rows(found), empty="it does not fire in that time")


@command.command("pause")
@click.argument("name")
@click.option("--note", help="Why, for those who wonder.")
@who_option
@store_options
def pause(*, name: str, note: str | None, who: str | None, as_json: bool, **flags: Any) -> None:
    """Stop starts by time until the schedule is resumed; what runs goes on."""
    from rota.cli.clients import opened

    with opened(flags) as app:
        app.schedules.pause(name, note=note, who=who)
    _print_change(name, "paused", as_json=as_json)


@command.command("resume")
@click.argument("name")
@who_option
@store_options
def resume(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Start by time again; `catchup` decides about what was missed."""
    from rota.cli.clients import opened

    with opened(flags) as app:
        app.schedules.resume(name, who=who)
    _print_change(name, "active", as_json=as_json)


@command.command("unblock")
@click.argument("name")
@who_option
@store_options
def unblock(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Go on with a strict schedule although one of its runs has failed."""
    from rota.cli.clients import opened

    with opened(flags) as app:
        app.schedules.unblock(name, who=who)
    _print_change(name, "unblocked", as_json=as_json)


@command.command("remove")
@click.argument("name")
@who_option
@store_options
def remove(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Remove a schedule; what waits is skipped, what runs goes on.

    One that the code of an app declares comes back when a worker of that app starts.
    """
    from rota.cli.clients import opened

    with opened(flags) as app:
        app.schedules.remove(name, who=who)
    _print_change(name, "removed", as_json=as_json)


@command.command("set")
@click.argument("name")
@click.argument("expression", metavar="EXPR")
@click.argument("words", metavar="[ARGUMENT]...", nargs=-1)
@click.option("--job", required=True, metavar="NAME", help="What to start.")
@click.option("--zone", metavar="ZONE", help="An IANA zone such as Europe/Paris; UTC if not said.")
@click.option(
    "--overlap", metavar="POLICY", help="What if the last run has not ended: allow, skip..."
)
@click.option("--catchup", type=click.Choice(CATCHUPS), help="Firings that were missed.")
@click.option("--option", "-o", "others", multiple=True, metavar="NAME=VALUE", help=OTHERS)
@who_option
@store_options
def set_(
    *,
    name: str,
    expression: str,
    words: tuple[str, ...],
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Make a schedule, or change the one of that name; no restart is needed.

    ARGUMENTs are those of the job, as in `rota submit`.
    """
    from rota.cli.arguments import parse
    from rota.cli.clients import opened
    from rota.cli.output import print_json
    from rota.cli.previews import asked_schedule
    from rota.cli.schedule_page import option_values, schedule_document
    from rota.rules.sentence import describe

    options = {key: flags.pop(key) for key in ("zone", "overlap", "catchup")}
    options |= option_values(flags.pop("others"))
    job = flags.pop("job")
    with opened(flags) as app:
        given = parse(words, None, hints={})
        schedule = asked_schedule(expression, {**options, "args": given.kwargs or None})
        view = app.schedules.put(name, schedule, job=job, who=who)
    if as_json:
        print_json([schedule_document(view)])
    else:
        print(f"{name}: {describe(schedule)}")


@command.command("trigger")
@click.argument("name")
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--wait", is_flag=True, help="Wait until the run has ended; its exit code tells.")
@click.option("--timeout", metavar="TIME", help="How long to wait.")
@who_option
@store_options
def trigger(
    *, name: str, words: tuple[str, ...], who: str | None, as_json: bool, **flags: Any
) -> None:
    """Start a schedule once, now, under its overlap policy; also while it is paused.

    Each NAME=VALUE replaces one of its arguments. Prints the id of the run.
    """
    from rota.cli.arguments import parse
    from rota.cli.clients import opened
    from rota.cli.output import print_json
    from rota.cli.waiting import check_ending, wait_for
    from rota.errors import NotAllowed

    given = parse(words, None, hints={})
    if given.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    with opened(flags) as app:
        run = app.schedules.trigger(name, given.kwargs or None, who=who)
        if run is None:
            raise NotAllowed(f"{name} was not started: its overlap policy gave the start up")
        if as_json:
            print_json([{"schedule": name, "runId": run.id}])
        else:
            print(run.id)
        if flags["wait"]:
            check_ending(run, wait_for(run, flags["timeout"]))


@command.command("backfill")
@click.argument("name")
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--from", "start", required=True, metavar="TIME", help="The first instant.")
@click.option("--to", "end", required=True, metavar="TIME", help="Up to this one, not included.")
@click.option("--reprocess", type=click.Choice(REPROCESS), default="missing", show_default=True)
@click.option("--parallel", type=click.IntRange(1, 1000), default=1, show_default=True)
@click.option("--newest-first", is_flag=True, help="From the end of the range to its start.")
@click.option("--most", type=click.IntRange(1), help="Allow so many firings; 10,000 if not said.")
@click.option("--dry-run", is_flag=True, help="Say what it would do with the first 100 instants.")
@click.option("--detach", is_flag=True, help="Do not wait for the end.")
@who_option
@store_options
def backfill(*, name: str, words: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Run a schedule for past instants, each once, a few at a time.

    The same range again does nothing new: instants that have a run keep it, unless --reprocess
    says failed or all. Each NAME=VALUE replaces one of the schedule's arguments.
    """
    from rota.app.backfills import Wish
    from rota.cli.arguments import parse
    from rota.cli.backfills import follow, print_backfill, print_planned
    from rota.cli.clients import opened

    given = parse(words, None, hints={})
    if given.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    order = {key: flags[key] for key in ("reprocess", "newest_first", "parallel")}
    wish = Wish(flags["start"], flags["end"], args=given.kwargs or None, **order)
    with opened(flags) as app:
        if flags["dry_run"]:
            print_planned(app.schedules.backfills.preview(name, wish), as_json=as_json)
            return
        begun = app.schedules.backfill(
            name,
            wish.start,
            wish.end,
            args=wish.args,
            most=flags["most"],
            who=flags["who"],
            **order,
        )
        view = begun.show() if flags["detach"] else follow(begun)
    print_backfill(view, as_json=as_json)


@command.command("backfills")
@click.argument("name", required=False)
@click.option("--cancel", metavar="ID", help="Make no more runs for this one.")
@store_options
def backfills(*, name: str | None, cancel: str | None, as_json: bool, **flags: Any) -> None:
    """List backfills and how far they are, the newest first; or cancel one."""
    from rota.cli.backfills import COLUMNS, backfill_row
    from rota.cli.clients import opened
    from rota.cli.documents import document
    from rota.cli.output import print_json, print_table

    with opened(flags) as app:
        if cancel is not None:
            app.schedules.backfills.find(cancel).cancel()
        found = app.schedules.backfills.list(name)
    if as_json:
        print_json(map(document, found))
    else:
        print_table(COLUMNS, [backfill_row(each) for each in found], empty="no backfills")


def _print_change(name: str, state: str, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"name": name, "state": state}])
    else:
        print(f"{name} is {state}")


def _from(text: str | None, schedule: Schedule) -> int:
    if text is not None:
        return _instant("from", text, schedule)
    from datetime import UTC, datetime

    from rota.clock import to_ms

    return to_ms(datetime.now(UTC))


def _instant(field: str, text: str, schedule: Schedule) -> int:
    from rota.rules.moments import read_bound
    from rota.rules.zones import zone

    return read_bound(field, text, zone(schedule.zone))
