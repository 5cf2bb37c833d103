"""Filters that choose many runs for one verb, and the question before they change."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rota.cli.completing import names_of
from rota.model.states import State

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place
    from rota.model.runs.answers import BulkDone

F = TypeVar("F", bound=Callable[..., Any])

STATES = tuple(state.value for state in State)
FILTERS = (
    *("state", "job", "queue", "schedule", "error", "text", "since", "until", "steps"),
    *("label", "arg", "view"),
)
TIMES = ("since", "until")


def filter_options(command: F) -> F:
    """Add the filters, and the options that say whether they are meant."""
    for option in reversed(
        (
            click.option("--state", type=click.Choice(STATES), help="All runs in this state."),
            click.option(
                "--job", metavar="NAME", help="Of this job.", shell_complete=names_of("jobs")
            ),
            click.option(
                "--queue", metavar="NAME", help="Of this queue.", shell_complete=names_of("queues")
            ),
            click.option(
                "--schedule",
                metavar="NAME",
                help="Started by this schedule.",
                shell_complete=names_of("schedules"),
            ),
            click.option("--error", metavar="TEXT", help="Whose last error has this text."),
            click.option("--text", metavar="TEXT", help="Whose arguments or key have this text."),
            click.option(
                "--label", multiple=True, metavar="CONDITION", help="With these labels; repeatable."
            ),
            click.option(
                "--arg", multiple=True, metavar="NAME=VALUE", help="With this argument; repeatable."
            ),
            click.option("--view", metavar="NAME", help="That a saved view shows."),
            click.option("--since", metavar="TIME", help="Submitted since 2h ago, or a time."),
            click.option("--until", metavar="TIME", help="Submitted before 1h ago, or a time."),
            click.option(
                "--nodes/--no-nodes", "steps", default=True, help="With runs of nodes (default)."
            ),
            click.option("--dry-run", is_flag=True, help="Only count the runs that are meant."),
            click.option("--yes", is_flag=True, help="Do not ask whether it is meant."),
        )
    ):
        command = option(command)
    return command


def chosen_filters(here: Place, flags: dict[str, Any]) -> dict[str, Any]:
    """Return the filters in the form of the verbs; `2h` is two hours ago by the store's clock."""
    from rota.cli.connect.backends import now_at

    filters = {name: value for name, value in flags.items() if value not in (None, ())}
    if "state" in filters:
        filters["status"] = filters.pop("state")
    for name in TIMES:
        if name in filters:
            filters[name] = _time(f"--{name}", filters[name], now_at(here))
    return filters


def number_meant(
    verb: str, meant: BulkDone, *, dry_run: bool, is_sure: bool, as_json: bool
) -> bool:
    """Tell how many runs are meant; return whether to go on, after asking on a terminal."""
    from rota.cli.output import print_json

    count = f"{meant.matched:,}{' or more' if meant.more else ''}"
    what = f"{verb} {count} run{'' if meant.matched == 1 else 's'}"
    if dry_run:
        if as_json:
            print_json([meant])
        else:
            print(f"this would {what}")
        return False
    if is_sure or not meant.matched:
        return True
    if not sys.stdin.isatty():
        raise click.UsageError(f"this would {what}; say --yes if that is meant")
    click.confirm(f"{what.capitalize()}?", abort=True, err=True)
    return True


def _time(flag: str, text: str, now: int) -> Any:
    from rota.cli.times import instant
    from rota.errors import BadDuration
    from rota.rules.text.duration import parse_duration

    try:
        return _at(now - parse_duration(text))
    except BadDuration:
        return instant(flag, text)


def _at(ms: int) -> Any:
    from rota.clock import to_datetime

    return to_datetime(ms)
