"""What the verbs of `rota dead` share: which letters are meant, and whether it is really meant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from rota.cli.clients import LEAST_CHARS, client
from rota.cli.documents import iso
from rota.cli.options import settings
from rota.cli.output import Cell, is_fancy, print_facts
from rota.cli.served import refuse_server
from rota.cli.times import ago
from rota.errors import BadArguments, BadInput

if TYPE_CHECKING:
    from rota.app import App
    from rota.engine.dead_letters import LetterView

BIG = 500
"""From so many letters on, a bar shows how far it is."""


def find_letter_id(app: App, text: str) -> str:
    """The run of the letter that is meant by an id, or by the end or beginning of one."""
    from rota.engine.dead_letters import like
    from rota.ids import is_id

    text = text.lower()
    if is_id(text):
        return text
    if len(text) < LEAST_CHARS:
        raise BadInput(f"{text!r} is too short for a run's id; give {LEAST_CHARS} characters of it")
    return app.store.read(lambda tx: like(tx, text, namespace=app.namespace))


@contextmanager
def chosen(run_ids: tuple[str, ...], flags: dict[str, Any]) -> Iterator[tuple[App, list[str], int]]:
    """The app, the runs that were named, and how many letters that or the group means."""
    from rota.engine.dead_letters import open_group

    group = flags["group"]
    if bool(run_ids) == (group is not None):
        raise click.UsageError("say which dead letters: some IDs, or --group")
    app = _client(flags)
    try:
        ids = [find_letter_id(app, run_id) for run_id in run_ids]
        count = len(ids)
        if group is not None:
            found = app.store.read(lambda tx: open_group(tx, group, namespace=app.namespace))
            count = found.count
        yield app, ids, count
    finally:
        app.close()


def _client(flags: dict[str, Any]) -> App:
    """With an app at hand, other arguments can be checked against its functions."""
    said = settings(flags)
    refuse_server(said)
    if flags.get("args") is None or said.app is None:
        return client(said)
    from rota.cli.loading import load_app

    return load_app(said)


def edited(app: App, text: str | None, ids: list[str], group: str | None) -> dict[str, Any] | None:
    """The other arguments; a job that the app does not define is checked as the store knows it."""
    if text is None:
        return None
    import msgspec

    from rota.cli.arguments import recorded_job
    from rota.engine.dead_letters import open_group
    from rota.engine.jobs import jobs

    try:
        args = msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError as error:
        wanted = '{"order": 14}'
        raise BadArguments(f"--args is not an object such as {wanted}: {error}") from error
    if group is not None:
        job = app.store.read(lambda tx: open_group(tx, group, namespace=app.namespace)).job
    else:
        job = app.dead_letters.show(ids[0]).job
    known = {
        view.name: view for view in app.store.read(lambda tx: jobs(tx, namespace=app.namespace))
    }
    if job in known and job not in app.jobs:
        app.jobs[job] = recorded_job(app, known[job])
    return args


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
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    columns = BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        line = bar.add_task("letters", total=count)
        yield lambda done: bar.advance(line, done)


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
