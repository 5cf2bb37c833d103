"""The choice of letters for the verbs of `rota dead`, and the question before they change."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import msgspec

from rota.cli.connect.backends import place
from rota.cli.output import Cell, is_fancy, print_facts
from rota.cli.safe_text import console
from rota.cli.times import since
from rota.errors import BadArguments, NotAllowed
from rota.ids import is_id
from rota.rules.text.json_keys import check_keys

if TYPE_CHECKING:
    from rota.cli.connect.backends import Place
    from rota.clock import Moment
    from rota.model.failures.dead_letter import LetterView, Redriven

BIG = 500
"""The number of letters from which a progress bar is shown."""


@contextmanager
def chosen(
    run_ids: tuple[str, ...], flags: dict[str, Any]
) -> Iterator[tuple[Place, list[str], int]]:
    """Yield the place, the named runs, and the number of letters that they or the group mean."""
    group = flags["group"]
    if bool(run_ids) == (group is not None):
        raise click.UsageError("say which dead letters: some IDs, or --group")
    # With an app at hand, new arguments are checked against its functions.
    with place(flags, who=flags["who"], with_code=flags.get("args") is not None) as here:
        ids = [letter_at(here, run_id) for run_id in run_ids]
        yield here, ids, len(ids) if group is None else _count(here, group)


def letter_at(here: Place, text: str) -> str:
    """Return the run with this id, or with an id that begins or ends with the text."""
    from rota.client import Client
    from rota.handles.runs.ids import LEAST_CHARS

    short = text.lower()
    if isinstance(here, Client) or is_id(short) or len(short) < LEAST_CHARS:
        return here.find_run(text).id
    from rota.engine.failures.dead_letters import like

    return here.store.read(lambda tx: like(tx, short, namespace=here.namespace))


def _count(here: Place, group: str) -> int:
    """Return how many letters of a group are open."""
    from rota.client import Client

    if isinstance(here, Client):
        return sum(each.open for each in here.dead_letters.groups(group=group))
    from rota.engine.failures.dead_letters import open_group

    at = {"namespace": here.namespace}
    return here.store.read(lambda tx: open_group(tx, group, **at)).count


def read_args(text: str | None) -> dict[str, Any] | None:
    """Parse the new arguments, given as one object."""
    if text is None:
        return None
    check_keys(text)
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        wanted = '{"order": 14}'
        raise BadArguments(f"--args is not an object such as {wanted}: {error}") from error


def agreed(verb: str, count: int, *, group: str | None, is_sure: bool) -> None:
    """Ask before a whole group is changed; without a terminal, the option must confirm it."""
    if group is None or is_sure or not count:
        return
    what = f"{verb} {count:,} dead letter{'s' if count > 1 else ''} of group {group}"
    if not sys.stdin.isatty():
        raise click.UsageError(f"this would {what}; say --yes if that is meant")
    click.confirm(f"{what.capitalize()}?", abort=True, err=True)


@contextmanager
def progressing(count: int) -> Iterator[Callable[[int], None] | None]:
    """Yield a progress bar on stderr for many letters on a terminal, otherwise None."""
    if count < BIG or not is_fancy(sys.stderr):
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        line = bar.add_task("letters", total=count)
        yield lambda done: bar.advance(line, done)


def check_used(done: Sequence[Redriven], args: dict[str, Any] | None) -> None:
    """NotAllowed when arguments were given for letters that were redriven before."""
    late = [] if args is None else [each for each in done if not each.is_new]
    if late:
        first = late[0]
        more = f" and {len(late) - 1} more" if len(late) > 1 else ""
        raise NotAllowed(
            f"run {first.run_id}{more} was already redriven as {first.rerun_id}; "
            "--args were not used: `rota runs rerun` runs any ended run again"
        )


def print_letter(letter: LetterView, now: int) -> None:
    """Print the facts of a letter that its run does not have."""
    print_facts(
        [
            ("dead letter", Cell(letter.state, "bold")),
            ("group", letter.fingerprint),
            ("died", _when(letter.died_at, now)),
            ("by", letter.acted_by or ""),
            ("at", "" if letter.acted_at is None else _when(letter.acted_at, now)),
            ("redriven as", letter.rerun_id or ""),
        ]
    )


def _when(at: Moment, now: int) -> str:
    return f"{at.text()}  ({since(at, now)})"
