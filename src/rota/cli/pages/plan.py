"""The flags of `rota plan` and `rota apply`, and a plan in the form for people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rota.cli.options import desk_options

if TYPE_CHECKING:
    from rota.model.jobs.apply_plan import Plan, RunChange, Wish

F = TypeVar("F", bound=Callable[..., Any])

SHOWN = 10
"""Runs shown for each schedule; all of them are in the JSON."""
SIGNS = {"add": ("+", "green"), "change": ("~", "yellow"), "remove": ("-", "bold red")}


def plan_options(command: F) -> F:
    """Add the options for the files, and for how they are applied."""
    for option in (
        click.option("--take-over", is_flag=True, help="Also change what code or other files own."),
        click.option("--prune", is_flag=True, help="Remove what left the files."),
        click.option(
            "--horizon", metavar="TIME", default="7d", help="How far runs are compared; 7d."
        ),
        click.option("--from", "start", metavar="TIME", help="Since when they are compared; now."),
        click.argument("files", nargs=-1, required=True, metavar="FILE..."),
    ):
        command = option(command)
    return desk_options(command)


def wish_of(flags: dict[str, Any]) -> Wish:
    from rota.errors import BadDuration
    from rota.model.jobs.apply_plan import Wish
    from rota.rules.text.duration import parse_duration

    try:
        horizon_ms = parse_duration(flags["horizon"])
    except BadDuration as error:
        raise BadDuration(f"--horizon: {error}") from error
    return Wish(
        start=_start(flags["start"]),
        horizon_ms=horizon_ms,
        prune=flags["prune"],
        take_over=flags["take_over"],
    )


def _start(text: str | None) -> int | None:
    from rota.rules.schedules.zones import zone
    from rota.rules.text.moments import read_bound

    return None if text is None else read_bound("from", text, zone("UTC"))


def print_plan(plan: Plan, flags: dict[str, Any]) -> None:
    """Print line by line: a sign, the thing, and each field before and after."""
    from rota.cli.output import styled

    for change in plan.changes:
        sign, style = SIGNS[change.verb]
        print(styled(f"{sign} {change.kind} {change.name}", style))
        for each in change.fields:
            print(f"    {each.field}: {_text(each.old)} -> {_text(each.new)}")
    for leftover in plan.leftovers:
        print(f"  {leftover.kind} {leftover.name} is not in the files any more; --prune removes it")
    _print_runs(plan, flags)
    count = len(plan.changes)
    summary = f"{count} change{'' if count == 1 else 's'}, {plan.unchanged} as they should be"
    print(summary if count else f"nothing to do, {plan.unchanged} as they should be")


def _print_runs(plan: Plan, flags: dict[str, Any]) -> None:
    if not plan.runs:
        return
    counts = {
        verb: sum(each.verb == verb for each in plan.runs) for verb in ("add", "remove", "move")
    }
    print(
        f"runs in {_span(flags)}: {counts['add']} added, {counts['remove']} removed, "
        f"{counts['move']} moved"
    )
    by_schedule: dict[str, list[RunChange]] = {}
    for each in plan.runs:
        by_schedule.setdefault(each.schedule, []).append(each)
    for name, runs in by_schedule.items():
        for each in runs[:SHOWN]:
            sign = {"add": "+", "remove": "-", "move": ">"}[each.verb]
            times = [at.text() for at in (each.old, each.new) if at is not None]
            print(f"  {sign} {name}  {' -> '.join(times)}")
        if len(runs) > SHOWN:
            print(f"    {name}: {len(runs) - SHOWN} more")
    for name in plan.cut:
        print(f"  {name}: not all of its runs were compared, there are too many")


def _span(flags: dict[str, Any]) -> str:
    horizon, start = flags["horizon"], flags["start"]
    return f"the next {horizon}" if start is None else f"{horizon} from {start}"


def _text(value: Any) -> str:
    return "none" if value is None else json.dumps(value, ensure_ascii=False)
