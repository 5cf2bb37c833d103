"""`rota dead`: runs that failed for good, in groups of the same cause; redrive or discard them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.failures.dead_letter import LetterGroup, LetterView

EPILOG = """\b
Examples:
  rota dead                                    groups of the same cause
  rota dead list --job charge
  rota dead show 3f0c9d2a71be                  with attempts and traceback
  rota dead redrive ID --args '{"order": 14}'  with other arguments
  rota dead redrive --group 9b1f4c0d2e7a --rate 10/s
  rota dead discard --group 9b1f4c0d2e7a --note "sold out anyway"

A letter is redriven once, whoever asks: as a new run, linked to the old. `rota audit` says who did
what. An ID may be shortened to its last (or first) 6 characters or more.
"""
GROUP_COLUMNS = ("group", "job", "open", "first", "last", "versions", "error")
LETTER_COLUMNS = ("id", "job", "version", "died", "group", "state", "error")
STATES = ("open", "redriven", "discarded", "all")


class Dead(NounGroup):
    """The group: `rota dead` alone is `rota dead groups`."""

    default = "groups"


@click.group("dead", cls=Dead, epilog=EPILOG)
def command() -> None:
    """Show runs that failed for good; redrive or discard them."""


@command.command("groups")
@click.option(
    "--job", metavar="NAME", help="Only letters of this job.", shell_complete=names_of("jobs")
)
@click.option("--all", "acted", is_flag=True, help="Also groups in which nothing is open.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def groups(*, job: str | None, acted: bool, limit: int, as_json: bool, **flags: Any) -> None:
    """List the causes, those with most open letters first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.dead_letters.groups(job=job, acted=acted, limit=limit)
        now = now_at(here)
    if as_json:
        print_json(views)
    else:
        print_table(GROUP_COLUMNS, [_group_row(each, now) for each in views], empty="no letters")


@command.command("list")
@click.option(
    "--job", metavar="NAME", help="Only letters of this job.", shell_complete=names_of("jobs")
)
@click.option("--fingerprint", metavar="GROUP", help="Only letters of this group.")
@click.option("--state", type=click.Choice(STATES), default="open", show_default=True)
@click.option(
    "--before",
    metavar="ID",
    help="The page after the one that ended with this run.",
    shell_complete=names_of("letters"),
)
@click.option("--limit", type=click.IntRange(1, 10_000), default=30, show_default=True)
@desk_options
def list_(*, fingerprint: str | None, state: str, as_json: bool, **flags: Any) -> None:
    """List letters one by one, those of the newest runs first."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.dead_letter_choice import letter_at
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        letters = here.dead_letters.letters(
            job=flags["job"],
            group=fingerprint,
            state=None if state == "all" else state,  # type: ignore[arg-type]  # click has checked
            before=letter_at(here, flags["before"]) if flags["before"] else None,
            limit=flags["limit"],
        )
        now = now_at(here)
    if as_json:
        print_json(letters)
    else:
        print_table(
            LETTER_COLUMNS, [_letter_row(each, now) for each in letters], empty="no letters"
        )


@command.command("show")
@click.argument("run_id", metavar="ID", shell_complete=names_of("letters"))
@desk_options
def show(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Show a letter with its run, the failed attempts and their tracebacks."""
    import msgspec

    from rota.cli.connect.backends import now_at, place
    from rota.cli.dead_letter_choice import letter_at, print_letter
    from rota.cli.output import print_json
    from rota.cli.pages.run import print_page, shown_run
    from rota.model.view import encode

    with place(flags) as here:
        run = here.run(letter_at(here, run_id))
        letter = here.dead_letters.show(run.id)
        view, attempts = run.show(), run.attempts()
        now = now_at(here)
    if as_json:
        facts = msgspec.json.decode(encode(letter))
        print_json([{**facts, "run": shown_run(view, attempts)}])
        return
    print_letter(letter, now)
    print()
    print_page(view, attempts, now)


@command.command("redrive")
@click.argument("run_ids", metavar="[ID]...", nargs=-1, shell_complete=names_of("letters"))
@click.option(
    "--group",
    metavar="GROUP",
    help="All open letters of this group.",
    shell_complete=names_of("letter groups"),
)
@click.option("--rate", metavar="RATE", help="Start so many in a time, such as 10/s or 90/m.")
@click.option("--args", "args", metavar="OBJECT", help="Other arguments, as one JSON object.")
@note_option("reason", default="")
@click.option("--who", metavar="NAME", help="Who, for the record; else you@this-machine.")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
@desk_options
def redrive(*, run_ids: tuple[str, ...], yes: bool, as_json: bool, **flags: Any) -> None:
    """Run letters again as new runs, each at most once; prints old and new ids."""
    from rota.cli.connect.backends import by
    from rota.cli.dead_letter_choice import agreed, check_used, chosen, progressing, read_args
    from rota.cli.output import print_json

    args = read_args(flags["args"])
    request = {"group": flags["group"], "args": args, "rate": flags["rate"], "why": flags["reason"]}
    with chosen(run_ids, flags) as (here, ids, count):
        agreed("redrive", count, group=flags["group"], is_sure=yes or as_json)
        with progressing(count) as report:
            redriven = here.dead_letters.redrive(*ids, told=report, **request, **by(flags["who"]))
    if as_json:
        print_json(redriven)
    else:
        for each in redriven:
            outcome = "redriven as" if each.is_new else "was redriven as"
            print(f"{each.run_id}  {outcome} {each.rerun_id}")
    check_used(redriven, args)


@command.command("discard")
@click.argument("run_ids", metavar="[ID]...", nargs=-1, shell_complete=names_of("letters"))
@click.option(
    "--group",
    metavar="GROUP",
    help="All open letters of this group.",
    shell_complete=names_of("letter groups"),
)
@note_option("reason", default="")
@click.option("--who", metavar="NAME", help="Who, for the record; else you@this-machine.")
@click.option("--yes", is_flag=True, help="Do not ask whether it is meant.")
@desk_options
def discard(*, run_ids: tuple[str, ...], yes: bool, as_json: bool, **flags: Any) -> None:
    """Close letters that nobody will redrive; their runs stay until retention."""
    from rota.cli.connect.backends import by
    from rota.cli.dead_letter_choice import agreed, chosen, progressing
    from rota.cli.output import print_json

    request = {"group": flags["group"], "why": flags["reason"], **by(flags["who"])}
    with chosen(run_ids, flags) as (here, ids, count):
        agreed("discard", count, group=flags["group"], is_sure=yes or as_json)
        with progressing(count) as report:
            discarded = here.dead_letters.discard(*ids, told=report, **request)
    if as_json:
        print_json([{"discarded": discarded}])
    else:
        print(f"{discarded} discarded")


def _group_row(group: LetterGroup, now: int) -> Row:
    from rota.cli.output import Cell
    from rota.cli.times import since

    return (
        Cell(group.fingerprint, "bold"),
        group.job,
        str(group.open),
        since(group.first_at, now),
        since(group.last_at, now),
        ", ".join(map(str, group.versions)),
        _error(group),
    )


def _letter_row(letter: LetterView, now: int) -> Row:
    from rota.cli.output import id_cell
    from rota.cli.times import since

    return (
        id_cell(letter.run_id),
        letter.job,
        str(letter.version),
        since(letter.died_at, now),
        letter.fingerprint,
        letter.state,
        _error(letter),
    )


def _error(of: LetterGroup | LetterView) -> str:
    text = f"{of.error_type}: {of.message}" if of.error_type else of.message
    return text.partition("\n")[0][:80]
