"""`rota schedules backfill` and `backfills`: past instants as runs."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.commands.schedules.group import command
from rota.cli.completing import names_of
from rota.cli.options import RenamedOption, desk_options, note_option, who_option

REPROCESS = ("missing", "failed", "all")


@command.command("backfill")
@click.argument("name", shell_complete=names_of("schedules"))
@click.argument("words", metavar="[NAME=VALUE]...", nargs=-1)
@click.option("--from", "start", required=True, metavar="TIME", help="The first instant.")
@click.option(
    "--until",
    "end",
    cls=RenamedOption,
    old=("--to",),
    required=True,
    metavar="TIME",
    help="Up to this one, not included.",
)
@click.option("--reprocess", type=click.Choice(REPROCESS), default="missing", show_default=True)
@click.option(
    "--concurrency",
    "parallel",
    cls=RenamedOption,
    old=("--parallel",),
    type=click.IntRange(1, 1000),
    help="So many at once, whatever else runs; else they keep to the schedule's overlap policy.",
)
@click.option("--newest-first", is_flag=True, help="From the end of the range to its start.")
@click.option("--most", type=click.IntRange(1), help="Allow so many firings; 10,000 if not said.")
@click.option("--dry-run", is_flag=True, help="Say what it would do with the first 100 instants.")
@click.option("--detach", is_flag=True, help="Do not wait for the end.")
@who_option
@desk_options
def backfill(*, name: str, words: tuple[str, ...], as_json: bool, **flags: Any) -> None:
    """Run a schedule for past instants, each once, a few at a time.

    The same range again does nothing new: instants that have a run keep it, unless --reprocess
    says failed or all. Each NAME=VALUE replaces one of the schedule's arguments.
    """
    from rota.cli.arguments import parse
    from rota.cli.connect.backends import by, place
    from rota.cli.pages.backfill import follow, print_backfill, print_planned
    from rota.handles.schedules.backfills import backfill_body

    arguments = parse(words, None, hints={})
    if arguments.args:
        raise click.UsageError(f"{words[0]!r} is not NAME=VALUE")
    order = {key: flags[key] for key in ("reprocess", "newest_first", "parallel", "most")}
    body = backfill_body(flags["start"], flags["end"], args=arguments.kwargs or None, **order)
    who = flags.pop("who")
    with place(flags, who=who) as here:
        backfills = here.schedules.backfills
        if flags["dry_run"]:
            print_planned(backfills.preview(name, body), as_json=as_json)
            return
        begun = backfills.start(name, body, **by(who))
        view = begun.show() if flags["detach"] else follow(begun)
    print_backfill(view, as_json=as_json)


@command.command("backfills")
@click.argument("name", required=False, shell_complete=names_of("schedules"))
@click.option("--cancel", metavar="ID", help="Make no more runs for this one.")
@note_option()
@who_option
@desk_options
def backfills(
    *,
    name: str | None,
    cancel: str | None,
    note: str | None,
    who: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """List backfills and how far they are, the newest first; or cancel one."""
    from rota.cli.connect.backends import by, place
    from rota.cli.output import print_json, print_table
    from rota.cli.pages.backfill import COLUMNS, backfill_row

    with place(flags, who=who) as here:
        if cancel is not None:
            here.schedules.backfills.find(cancel).cancel(note=note, **by(who))
        views = here.schedules.backfills.list(name)
    if as_json:
        print_json(views)
    else:
        print_table(COLUMNS, [backfill_row(each) for each in views], empty="no backfills")
