"""Waits for a run on the command line: with a bar on a terminal, silently elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rota.cli.output import is_fancy
from rota.cli.pages.states import run_word
from rota.cli.safe_text import console
from rota.errors import RunFailed

if TYPE_CHECKING:
    from rota.cli.connect.backends import Handle
    from rota.model.runs.run import Ended

LOOK_S = 0.3


def wait_for(run: Handle, timeout: str | None) -> Ended:
    """Return how the run ended; RunNotFinished when it takes longer than the timeout."""
    if not is_fancy(sys.stderr):
        return run.wait(timeout)
    return _wait_with_bar(run, timeout)


def _wait_with_bar(run: Handle, timeout: str | None) -> Ended:
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from rota.clock import elapsed_s
    from rota.errors import RunNotFinished
    from rota.rules.text.duration import parse_duration

    end_s = elapsed_s() + parse_duration(timeout) / 1000 if timeout else float("inf")
    text = TextColumn("{task.description}", markup=False)  # a note is no markup
    columns = SpinnerColumn(), text, BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console(stderr=True), transient=True) as bar:
        line = bar.add_task("waiting", total=None)
        while True:
            left_s = end_s - elapsed_s()
            try:
                return run.wait(max(0.0, min(LOOK_S, left_s)))
            except RunNotFinished:
                if left_s <= LOOK_S:
                    raise
            view = run.show()
            total = None if view.progress is None else 1.0
            about = f"{view.job} {run_word(view.state)} {view.progress_note or ''}".rstrip()
            bar.update(line, description=about, total=total, completed=view.progress or 0.0)


def check_ending(run: Handle, ended: Ended) -> None:
    """RunFailed unless the run succeeded."""
    from rota.model.states import State

    if ended.state is State.SUCCESS:
        return
    error_text = f"{ended.error.type}: {ended.error.message}" if ended.error else ""
    reason = "; ".join(part for part in (ended.reason, error_text) if part)
    raise RunFailed(run.id, ended.state, reason or "no reason given")
