"""Backfills on a terminal: plan, progress bar, end."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rota.cli.output import Row, is_fancy, print_json, print_table, state_cell
from rota.cli.pages.preview import instant
from rota.cli.safe_text import console
from rota.errors import BackfillFailed

if TYPE_CHECKING:
    from rota.handles.schedules.backfills import Backfill
    from rota.model.schedules.backfill import BackfillInstant, BackfillView

COLUMNS = ("id", "schedule", "state", "from", "to", "seen", "started", "succeeded", "failed")
PLAN_COLUMNS = ("for", "would", "run so far")


def print_planned(planned: Sequence[BackfillInstant], *, as_json: bool) -> None:
    """Print what a backfill would do, instant by instant."""
    if as_json:
        print_json(planned)
        return
    rows: list[Row] = [
        (
            instant(each.instant.ms),
            "start" if each.starts else "leave",
            state_cell(each.state or "none"),
        )
        for each in planned
    ]
    print_table(PLAN_COLUMNS, rows, empty="no instants in that range")
    starts = sum(each.starts for each in planned)
    print(f"{starts} of these {len(planned)} would be started")


def follow(backfill: Backfill) -> BackfillView:
    """Wait for the end of a backfill, with a bar on a terminal."""
    if not is_fancy(sys.stderr):
        return backfill.wait()
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        line = bar.add_task("backfill", total=None)

        def told(view: BackfillView) -> None:
            text = f"{view.live} running, {view.failed} failed"
            done = max(0, view.seen - view.live)
            bar.update(line, total=view.total, completed=done, description=text)

        return backfill.wait(told=told)


def print_backfill(view: BackfillView, *, as_json: bool) -> None:
    """Print how a backfill ended, or that it goes on; BackfillFailed if any of its runs failed."""
    if as_json:
        print_json([view])
    else:
        print(
            f"{view.id} {view.state}: {view.started} started, {view.succeeded} succeeded, "
            f"{view.failed} failed, {view.seen - view.started} had a run"
        )
    if view.state != "active" and view.failed:
        raise BackfillFailed(view.id, view.state, failed=view.failed, started=view.started)


def backfill_row(view: BackfillView) -> Row:
    """Return one line of the list."""
    return (
        view.id,
        view.schedule or "",
        view.state,
        instant(view.from_at.ms),
        instant(view.to_at.ms),
        f"{view.seen}/{view.total}",
        str(view.started),
        str(view.succeeded),
        str(view.failed),
    )
