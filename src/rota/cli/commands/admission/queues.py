"""`rota queues`: the depth of queues; pause and resume."""

from __future__ import annotations

from typing import Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

EPILOG = """\b
Examples:
  rota queues
  rota queues show mail                   what limits it
  rota queues pause mail --note "provider is down"
  rota queues resume mail

In a paused queue nothing new is started; what runs goes on, and submits are accepted.
"""
COLUMNS = ("name", "queued", "running", "scheduled", "held", "oldest", "paused", "note")


@click.group("queues", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List queues with their depth; pause or resume one."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List all queues that hold runs or were ever paused."""
    from rota.cli.connect.backends import place
    from rota.cli.output import Cell, print_json, print_table
    from rota.cli.times import coarse

    with place(flags) as here:
        views = here.queues()
    if as_json:
        print_json(views)
        return
    rows = [
        (
            queue.name,
            _counted(queue.queued),
            str(queue.running),
            _counted(queue.scheduled),
            str(queue.held),
            "" if queue.oldest_ms is None else coarse(queue.oldest_ms),
            Cell("paused", "yellow") if queue.is_paused else "",
            queue.note or "",
        )
        for queue in views
    ]
    print_table(COLUMNS, rows, empty="all queues are empty")


@command.command("show")
@click.argument("name", shell_complete=names_of("queues"))
@desk_options
def show(*, name: str, as_json: bool, **flags: Any) -> None:
    """Show a queue: what limits it, its waits, and the runs that ended in the last hour."""
    from rota.cli.connect.backends import place
    from rota.cli.output import print_facts, print_json
    from rota.cli.pages.figures import quantiles, share
    from rota.cli.times import coarse

    with place(flags) as here:
        queue = here.show_queue(name)
    if as_json:
        print_json([queue])
        return
    paused = f"{'paused' if queue.is_paused else ''} {queue.note or ''}".strip()
    print_facts(
        [
            ("name", queue.name),
            ("state", paused),
            ("queued", _counted(queue.queued)),
            ("running", f"{queue.running:,} in {queue.slots:,} slots of {queue.workers:,} workers"),
            ("scheduled", _counted(queue.scheduled)),
            ("held", f"{queue.held:,}" if queue.held else ""),
            ("oldest", "" if queue.oldest_ms is None else coarse(queue.oldest_ms)),
            ("limits", "\n".join(limit.says for limit in queue.limits)),
            ("rate", f"{queue.rate_per_min:.1f} a minute"),
            ("success", share(queue.success_rate)),
            ("took", quantiles(queue.durations)),
            ("waited", quantiles(queue.waits)),
        ]
    )


def _counted(runs: int) -> str:
    """Return the number of runs; deep queues are counted up to a limit."""
    from rota.engine.admission.queues import COUNTED

    return f"{runs}+" if runs >= COUNTED else str(runs)


@command.command("pause")
@click.argument("name", shell_complete=names_of("queues"))
@note_option()
@desk_options
def pause(*, name: str, note: str | None, as_json: bool, **flags: Any) -> None:
    """Start nothing new from this queue until it is resumed."""
    from rota.cli.connect.backends import place
    from rota.rules.text.names import check_name

    check_name("queue", name)
    with place(flags) as here:
        here.pause_queue(name, note)
    _print_change(name, is_paused=True, as_json=as_json)


@command.command("resume")
@click.argument("name", shell_complete=names_of("queues"))
@desk_options
def resume(*, name: str, as_json: bool, **flags: Any) -> None:
    """Start runs of this queue again, in the old order."""
    from rota.cli.connect.backends import place
    from rota.rules.text.names import check_name

    check_name("queue", name)
    with place(flags) as here:
        here.resume_queue(name)
    _print_change(name, is_paused=False, as_json=as_json)


def _print_change(name: str, *, is_paused: bool, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"name": name, "paused": is_paused}])
    else:
        print(f"queue {name} is {'paused' if is_paused else 'open'}")
