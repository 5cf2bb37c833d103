"""`rota breakers`: which jobs are held back, and why; open or close one by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from rota.cli.completing import names_of
from rota.cli.options import NounGroup, desk_options, note_option

if TYPE_CHECKING:
    from rota.cli.output import Cell, Row
    from rota.model.admission.breaker import BreakerView

EPILOG = """\b
Examples:
  rota breakers
  rota breakers open charge --note "the bank is down"
  rota breakers close charge

While a breaker is open no run of its job is started, whatever its queue; submits are accepted and
what runs goes on. One that opened by itself sends a probe after a while and closes if that ends
well; one that was opened by hand, or has pauses=True, stays open until it is closed by hand.
"""
COLUMNS = ("job", "state", "rule", "bad", "held", "since", "next", "note")


@click.group("breakers", cls=NounGroup, epilog=EPILOG)
def command() -> None:
    """List the breakers of jobs; open or close one by hand."""


@command.command("list")
@desk_options
def list_(*, as_json: bool, **flags: Any) -> None:
    """List the breakers of all jobs that have one or are held back."""
    from rota.cli.connect.backends import now_at, place
    from rota.cli.output import print_json, print_table

    with place(flags) as here:
        views = here.breakers.list()
        now = now_at(here)
    if as_json:
        print_json(views)
    else:
        rows = [_row(breaker, now) for breaker in views]
        print_table(COLUMNS, rows, empty="no job has a breaker")


@command.command("open")
@click.argument("job", shell_complete=names_of("breakers"))
@note_option()
@desk_options
def open_(*, job: str, note: str | None, as_json: bool, **flags: Any) -> None:
    """Start no run of this job until its breaker is closed by hand."""
    from rota.cli.connect.backends import place

    with place(flags) as here:
        here.breakers.open(job, note=note)
    _print_change(job, "open", as_json=as_json)


@command.command("close")
@click.argument("job", shell_complete=names_of("breakers"))
@desk_options
def close(*, job: str, as_json: bool, **flags: Any) -> None:
    """Start runs of this job again, in the old order; its tally starts afresh."""
    from rota.cli.connect.backends import place

    with place(flags) as here:
        here.breakers.close(job)
    _print_change(job, "closed", as_json=as_json)


def _print_change(job: str, state: str, *, as_json: bool) -> None:
    from rota.cli.output import print_json

    if as_json:
        print_json([{"job": job, "state": state}])
    else:
        print(f"the breaker of {job} is {state}")


def _row(breaker: BreakerView, now: int) -> Row:
    from rota.cli.times import since

    total = breaker.good + breaker.bad
    return (
        breaker.job,
        state_cell(breaker.state),
        breaker.rule or "",
        f"{breaker.bad} of {total}" if breaker.state == "closed" else "",
        str(breaker.held),
        since(breaker.opened_at, now),
        _next(breaker, now),
        breaker.note or "",
    )


def state_cell(state: str) -> Cell:
    """The state of a breaker; the colour says how bad it is."""
    from rota.cli.output import Cell

    styles = {"open": "bold red", "half_open": "yellow"}
    return Cell(state.replace("_", " "), styles.get(state, "green"))


def _next(breaker: BreakerView, now: int) -> str:
    from rota.cli.times import since

    if breaker.stays:
        return "stays open"
    if breaker.probe_id:
        return f"probe {breaker.probe_id}"
    if breaker.probe_at is None:
        return ""
    is_late = breaker.probe_at.ms <= now
    return "probe soon" if is_late else f"probe {since(breaker.probe_at, now)}"
