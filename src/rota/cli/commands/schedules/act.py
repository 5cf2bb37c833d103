"""The verbs of `rota schedules` that change something."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.commands.schedules.group import command, print_change
from rota.cli.completing import names_of
from rota.cli.options import desk_options, note_option, who_option

CATCHUPS = ("none", "last", "all")
OTHERS = "Any other option of a schedule, such as jitter=30s."


@command.command("pause")
@click.argument("name", shell_complete=names_of("schedules"))
@note_option()
@who_option
@desk_options
def pause(*, name: str, note: str | None, who: str | None, as_json: bool, **flags: Any) -> None:
    """Stop all starts but those by hand until it is resumed; what runs goes on."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.schedules.pause(name, note=note, **by(who))
    print_change(name, "paused", as_json=as_json)


@command.command("resume")
@click.argument("name", shell_complete=names_of("schedules"))
@who_option
@desk_options
def resume(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Start by time again; `catchup` decides about what was missed."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.schedules.resume(name, **by(who))
    print_change(name, "active", as_json=as_json)


@command.command("unblock")
@click.argument("name", shell_complete=names_of("schedules"))
@who_option
@desk_options
def unblock(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Go on with a strict schedule although one of its runs has failed."""
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.schedules.unblock(name, **by(who))
    print_change(name, "unblocked", as_json=as_json)


@command.command("remove")
@click.argument("name", shell_complete=names_of("schedules"))
@who_option
@desk_options
def remove(*, name: str, who: str | None, as_json: bool, **flags: Any) -> None:
    """Remove a schedule; what waits is skipped, what runs goes on.

    One that the code of an app declares comes back when a worker of that app starts.
    """
    from rota.cli.connect.backends import by, place

    with place(flags, who=who) as here:
        here.schedules.remove(name, **by(who))
    print_change(name, "removed", as_json=as_json)


class SetCommand(click.Command):
    """A command that accepts the options of schedules that have no flag of their own."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from rota.rules.schedules.option_table import SCHEDULE_OPTIONS

            name = error.option_name.lstrip("-").replace("-", "_")
            if name not in SCHEDULE_OPTIONS:
                raise
            message = f"No such option: {error.option_name}. Write it as -o {name}=VALUE."
            raise click.UsageError(message, ctx) from error


@command.command("set", cls=SetCommand)
@click.argument("name", shell_complete=names_of("schedules"))
@click.argument("expression", metavar="EXPR")
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@click.option(
    "--job",
    metavar="NAME",
    help="What to start; a new schedule needs it.",
    shell_complete=names_of("jobs"),
)
@click.option("--zone", metavar="ZONE", help="An IANA zone such as Europe/Paris; UTC if not said.")
@click.option(
    "--overlap", metavar="POLICY", help="What if the last run has not ended: allow, skip..."
)
@click.option("--catchup", type=click.Choice(CATCHUPS), help="Firings that were missed.")
@click.option("--option", "-o", "others", multiple=True, metavar="NAME=VALUE", help=OTHERS)
@click.option(
    "--replace", is_flag=True, help="What is not said goes back to its default, arguments too."
)
@who_option
@desk_options
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

    Each NAME=VALUE is an argument of the job, `-o args={...}` all of them. Of a schedule that
    exists, what is not said stays as it is, unless --replace is given; `-o NAME=null` sets one
    option back to its default.
    """
    from rota.cli.arguments import parse
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json
    from rota.cli.pages.schedule import option_values
    from rota.cli.schedule_set import asked, present, print_set

    options = {key: flags.pop(key) for key in ("zone", "overlap", "catchup")}
    changes = {key: value for key, value in options.items() if value is not None}
    changes |= option_values(flags.pop("others"))
    job, replace = flags.pop("job"), flags.pop("replace")
    with place(flags, who=who) as here:
        arguments = parse(words, None, hints={})
        if arguments.args:
            raise click.UsageError(f"{arguments.args[0]!r} is not NAME=VALUE")
        old = present(here, name)
        if old is None and job is None:
            raise click.UsageError(f"there is no schedule {name} yet: say --job, what to start")
        stored = {key: each.calendar for key, each in here.calendars.list().items()}
        base = None if replace or old is None else old.schedule
        schedule = asked(expression, changes, arguments.kwargs, base=base, calendars=stored)
        new = here.schedules.put(name, schedule, job=job or old.job, **by(who))  # type: ignore[union-attr]  # seen above
    if as_json:
        print_json([new])
    else:
        print_set(old, new)


@command.command("trigger")
@click.argument("name", shell_complete=names_of("schedules"))
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@click.option(
    "--for", "for_", metavar="WHEN", help="The time it is for: 2026-12-01T08:00:00+01:00."
)
@click.option("--wait", is_flag=True, help="Wait until the run has ended; its exit code tells.")
@click.option("--timeout", metavar="TIME", help="How long to wait.")
@who_option
@desk_options
def trigger(
    *,
    name: str,
    words: tuple[str, ...],
    for_: str | None,
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Start a schedule once, now, under its overlap policy; also while it is paused.

    Each NAME=VALUE replaces one of its arguments. Prints the id of the run.
    """
    from rota.cli.arguments import parse
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json
    from rota.cli.times import instant
    from rota.cli.waiting import check_ending, wait_for
    from rota.errors import NotAllowed

    arguments = parse(words, None, hints={})
    if arguments.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    with place(flags, who=who) as here:
        run = here.schedules.trigger(
            name, arguments.kwargs or None, scheduled_for=instant("--for", for_), **by(who)
        )
        if run is None:
            raise NotAllowed(f"{name} was not started: its overlap policy gave the start up")
        if as_json:
            print_json([{"schedule": name, "runId": run.id}])
        else:
            print(run.id)
        if flags["wait"]:
            check_ending(run, wait_for(run, flags["timeout"]))
