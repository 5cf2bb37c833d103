"""`rota effects`: calls to the outside world that are in doubt; settle one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

if TYPE_CHECKING:
    from rota.cli.output import Row
    from rota.model.values.effect import EffectView

EPILOG = """\b
Examples:
  rota effects
  rota effects show 1f3a
  rota effects settle 1f3a charge --done --result '{"receipt": 7}'
  rota effects settle 1f3a charge --not-done --note "the bank knows nothing of it"
  rota dead redrive 1f3a

A call of `current_run().once()` is in doubt when it was begun and left no result: the process died,
or the call raised. Look it up outside by its idempotency key, and say what became of it. A redrive
or rerun then takes the result without a call, or makes the call again with the same key.
"""
COLUMNS = ("run", "job", "effect", "state", "begun", "key")


@click.group("effects", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List calls outside that are in doubt; say what became of one."""


@command.command("list")
@click.option("--job", metavar="NAME", help="Of this job only.", shell_complete=names_of("jobs"))
@click.option("--limit", type=click.IntRange(1, 500), default=100, show_default=True)
@desk_options
def list_(*, job: str | None, limit: int, as_json: bool, **flags: Any) -> None:
    """List effects in doubt, the newest first."""
    from rota.cli.connect.backends import now_at, place

    with place(flags) as here:
        effects, now = here.effects.list(job=job, limit=limit), now_at(here)
    _print(effects, now, as_json=as_json, empty="no effect is in doubt")


@command.command("show")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@desk_options
def show(*, run_id: str, as_json: bool, **flags: Any) -> None:
    """Show all effects of a run, with their keys."""
    from rota.cli.connect.backends import now_at, place, run_at

    with place(flags) as here:
        effects, now = here.effects.show(run_at(here, run_id).id), now_at(here)
    _print(effects, now, as_json=as_json, empty="this run has no effects")


@command.command("settle")
@click.argument("run_id", metavar="RUN", shell_complete=names_of("runs"))
@click.argument("name", metavar="EFFECT")
@click.option("--done/--not-done", "done", default=None, help="Whether the call took place.")
@click.option("--result", metavar="JSON", help="What it gave, with --done; else null.")
@note_option("reason", default="")
@desk_options
def settle(  # what became of it, all named
    *,
    run_id: str,
    name: str,
    done: bool | None,
    result: str | None,
    reason: str,
    as_json: bool,
    **flags: Any,
) -> None:
    """Say whether a call in doubt took place, and what it gave."""
    from rota.cli.connect.backends import place, run_at
    from rota.cli.output import print_json

    if done is None:
        raise click.UsageError("say --done or --not-done: whether the call took place")
    value = _value(result)
    with place(flags) as here:
        run = run_at(here, run_id)
        effect = here.effects.settle(run.id, name, done=done, result=value, why=reason)
    if as_json:
        print_json([effect])
        return
    then = "takes this result" if done else "makes the call with the same key"
    again = f"rota graphs rerun {effect.graph_id} --failed" if effect.graph_id else ""
    print(f"{name} of run {run.id} is {_word(effect)}; a redrive or rerun {then}:")
    print(f"  {again or f'rota dead redrive {run.id}'}")


def _value(text: str | None) -> Any:
    import msgspec

    if text is None:
        return None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as error:
        raise click.UsageError(
            f"--result is no JSON ({error}); a text stands in quotes: '\"abc\"'"
        ) from None


def _print(effects: list[EffectView], now: int, *, as_json: bool, empty: str) -> None:
    from rota.cli.output import print_json, print_table

    if as_json:
        print_json(effects)
    else:
        print_table(COLUMNS, [_row(each, now) for each in effects], empty=empty)


def _row(effect: EffectView, now: int) -> Row:
    from rota.cli.output import Cell, id_cell
    from rota.cli.times import since

    return (
        id_cell(effect.run_id),
        effect.job,
        effect.name,
        Cell(_word(effect), "yellow" if effect.state == "in_doubt" else ""),
        since(effect.intended_at, now),
        effect.idempotency_key,
    )


def _word(effect: EffectView) -> str:
    if effect.taken_by is not None and effect.state == "taken_up":
        return f"taken up by run {effect.taken_by}"
    decider = f" (said {effect.decided_by})" if effect.decided_by else ""
    return f"{effect.state.replace('_', ' ')}{decider}"
