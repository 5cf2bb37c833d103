"""What the verbs of `rota dead` share: which letters are meant, and whether it is really meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rota.cli.connect.dead_letter_backends import letter_desk
from rota.cli.output import Cell, is_fancy, print_facts
from rota.cli.pages.documents import iso
from rota.cli.safe_text import console
from rota.cli.times import ago
from rota.errors import NotAllowed

if TYPE_CHECKING:
    from rota.cli.connect.dead_letter_backends import DeadLetterBackend
    from rota.engine.failures.dead_letters import LetterView
    from rota.engine.failures.redrive import Redriven

BIG = 500
"""From so many letters on, a bar shows how far it is."""


@contextmanager
def chosen(
    run_ids: tuple[str, ...], flags: dict[str, Any]
) -> Iterator[tuple[DeadLetterBackend, list[str], int]]:
    """Where to ask, the runs that were named, and how many letters that or the group means."""
    group = flags["group"]
    if bool(run_ids) == (group is not None):
        raise click.UsageError("say which dead letters: some IDs, or --group")
    with letter_desk(flags) as here:
        ids = [here.find(run_id) for run_id in run_ids]
        yield here, ids, len(ids) if group is None else here.count(group)


def agreed(verb: str, count: int, *, group: str | None, is_sure: bool) -> None:
    """Ask before a whole group is changed; without a terminal nobody can answer."""
    if group is None or is_sure or not count:
        return
    what = f"{verb} {count:,} dead letter{'s' if count > 1 else ''} of group {group}"
    if not sys.stdin.isatty():
        raise click.UsageError(f"this would {what}; say --yes if that is meant")
    click.confirm(f"{what.capitalize()}?", abort=True, err=True)


@contextmanager
def progressing(count: int) -> Iterator[Callable[[int], None] | None]:
    """A bar on stderr for many letters on a terminal, else nothing."""
    if count < BIG or not is_fancy(sys.stderr):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        line = bar.add_task("letters", total=count)
        yield lambda done: bar.advance(line, done)


def check_used(done: Sequence[Redriven], args: dict[str, Any] | None) -> None:
    """NotAllowed when arguments were given for letters that somebody had redriven before."""
    late = [] if args is None else [each for each in done if not each.is_new]
    if late:
        first = late[0]
        more = f" and {len(late) - 1} more" if len(late) > 1 else ""
        raise NotAllowed(
            f"run {first.run_id}{more} was already redriven as {first.rerun_id}; "
            "--args were not used: `rota runs rerun` runs any ended run again"
        )


def print_letter(letter: LetterView, now: int) -> None:
    """The facts that its run does not have."""
    acted = letter.acted_at
    print_facts(
        [
            ("dead letter", Cell(letter.state, "bold")),
            ("group", letter.fingerprint),
            ("died", f"{iso(letter.died_at)}  ({ago(letter.died_at, now)})"),
            ("by", letter.acted_by or ""),
            ("at", "" if acted is None else f"{iso(acted)}  ({ago(acted, now)})"),
            ("redriven as", letter.rerun_id or ""),
        ]
    )
