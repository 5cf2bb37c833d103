"""`rota runs cancel` and `rerun`: some runs by their ids, or all that filters find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import desk_options, note_option
from rota.cli.run_filters import FILTERS, chosen_filters, filter_options, number_meant

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place
    from rota.model.states import State

_CANCELLED = {
    "running": "asked to stop",
    "suspended": "cancelling: teardowns run first (rota why); --force ends it now",
}


@click.command("cancel")
@click.argument("run_ids", metavar="[ID]...", nargs=-1, shell_complete=names_of("runs"))
@filter_options
@note_option("reason", default="cancelled on the command line")
@click.option("--force", is_flag=True, help="End runs of graphs without their teardowns.")
@desk_options
def cancel(
    *, run_ids: tuple[str, ...], reason: str, force: bool, as_json: bool, **flags: Any
) -> int:
    """End waiting runs now, ask running ones to stop: of these IDs, or that the filters find.

    A run of a graph clears away first what its setups have made: it ends when its teardowns have.

    A run that has ended otherwise cannot be cancelled: the others still are, and the exit
    code is 3.
    """
    from rota.cli.connect.backends import place

    filters, is_sure, dry_run = _choice(run_ids, flags)
    with place(flags) as here:
        if run_ids:
            return _cancel_each(here, run_ids, reason, force=force, as_json=as_json)
        if force:
            raise click.UsageError(
                "--force is for IDs: look first at what the teardowns clear away"
            )
        wanted = chosen_filters(here, filters)
        meant = here.cancel_runs(dry_run=True, **wanted)
        if number_meant("cancel", meant, dry_run=dry_run, is_sure=is_sure, as_json=as_json):
            done = here.cancel_runs(reason=reason, **wanted)
            _print_done("cancelled or asked to stop", done.done, as_json=as_json)
    return 0


@click.command("rerun")
@click.argument(
    "words", metavar="[ID]... [NAME=VALUE]...", nargs=-1, shell_complete=names_of("runs")
)
@filter_options
@click.option("--args", "args", metavar="OBJECT", help="All arguments anew, as one JSON object.")
@note_option("reason")
@desk_options
def rerun(
    *,
    words: tuple[str, ...],
    args: str | None,
    reason: str | None,
    as_json: bool,
    **flags: Any,
) -> None:
    """Submit ended runs again: of these IDs, or that the filters find; prints the new ids.

    NAME=VALUE replaces one argument of a single run, the others stay; --args replaces all of them.
    """
    from rota.cli.connect.backends import place

    run_ids = tuple(word for word in words if "=" not in word)
    pairs = words[len(run_ids) :]
    if any("=" not in pair for pair in pairs):
        raise click.UsageError("name the runs before the arguments")
    filters, is_sure, dry_run = _choice(run_ids, flags)
    if (pairs or args is not None) and len(run_ids) != 1:
        raise click.UsageError("other arguments are for a single run: give one ID")
    with place(flags) as here:
        if run_ids:
            _rerun_each(here, run_ids, pairs, args, reason, as_json=as_json)
            return
        wanted = chosen_filters(here, filters)
        meant = here.rerun_runs(dry_run=True, **wanted)
        if number_meant("rerun", meant, dry_run=dry_run, is_sure=is_sure, as_json=as_json):
            done = here.rerun_runs(reason=reason, **wanted)
            _print_done("submitted again", done.done, as_json=as_json)


def _choice(run_ids: tuple[str, ...], flags: dict[str, Any]) -> tuple[dict[str, Any], bool, bool]:
    """Return the filters, whether it is sure and whether to count only; flags loses them."""
    filters = {name: flags.pop(name) for name in FILTERS}
    is_sure, dry_run = flags.pop("yes"), flags.pop("dry_run")
    is_by_filter = any(
        value not in (None, ()) for name, value in filters.items() if name != "steps"
    )
    if bool(run_ids) == is_by_filter:
        raise click.UsageError("say which runs: some IDs, or filters such as --job and --state")
    if run_ids and dry_run:
        raise click.UsageError("--dry-run counts what filters find; IDs are counted already")
    return filters, is_sure, dry_run


def _cancel_each(
    here: Place, run_ids: tuple[str, ...], reason: str, *, force: bool, as_json: bool
) -> int:
    from rota.cli.connect.backends import run_at
    from rota.cli.main import complain
    from rota.errors import NotAllowed

    code = 0
    for run in [run_at(here, run_id) for run_id in run_ids]:
        try:
            _print_state(run.id, run.cancel(reason, force=force), as_json=as_json)
        except NotAllowed as error:
            code = complain(error)
    return code


def _rerun_each(
    here: Place,
    run_ids: tuple[str, ...],
    pairs: tuple[str, ...],
    args: str | None,
    reason: str | None,
    *,
    as_json: bool,
) -> None:
    from rota.cli.arguments import parse
    from rota.cli.connect.backends import run_at
    from rota.cli.dead_letter_choice import read_args
    from rota.cli.output import print_json

    for old in [run_at(here, run_id) for run_id in run_ids]:
        wanted = read_args(args)
        if pairs:
            import msgspec

            base = msgspec.json.decode(str(old.show().args)) if wanted is None else wanted
            wanted = {**base, **parse(pairs, None, hints={}).kwargs}
        fresh = old.rerun(args=wanted, reason=reason)
        if as_json:
            print_json([{"executionId": fresh.id, "rerunOf": old.id}])
        else:
            print(fresh.id)


def _print_state(run_id: str, state: State, *, as_json: bool) -> None:
    from rota.cli.output import print_json
    from rota.model.runs.answers import RunState

    if as_json:
        print_json([RunState(run_id=run_id, status=state)])
    else:
        print(f"{run_id}  {_CANCELLED.get(state, state)}")


def _print_done(what: str, count: int, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"done": count}])
    else:
        print(f"{count:,} {what}")
