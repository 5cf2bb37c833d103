"""The page of one run, for `rota runs show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rota.cli.commands.runs.filters import shown_labels
from rota.cli.output import Cell, print_facts, state_cell, styled
from rota.cli.pages.results import masked
from rota.cli.times import lasted, since
from rota.clock import Moment
from rota.model.runs.reason import Reason
from rota.model.runs.run import AttemptView, ErrorView, RunView
from rota.model.view import plain_text
from rota.rules.runs.times import run_values

_NAMES = {
    "error": ("error", "errors"),
    "timeout": ("timeout", "timeouts"),
    "crash": ("crash", "crashes"),
    "lost": ("lost worker", "lost workers"),
    "cancelled": ("cancelled", "cancelled"),
}
"""Kinds of attempts, in the singular and the plural."""


class ShownRun(RunView, frozen=True, kw_only=True):
    """All about one run, for scripts: the run, and what the API answers of it elsewhere."""

    attempts: list[AttemptView]
    why: list[Reason] | msgspec.UnsetType = msgspec.UNSET
    nodes: list[dict[str, Any]] | msgspec.UnsetType = msgspec.UNSET
    graph_progress: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


def shown_run(run: RunView, attempts: list[AttemptView], **more: Any) -> ShownRun:
    """Return the run as an object, with its attempts and further facts."""
    return ShownRun(**msgspec.structs.asdict(run), attempts=attempts, **more)


def print_page(
    run: RunView, attempts: Sequence[AttemptView], now: int, *, reasons: Sequence[Reason] = ()
) -> None:
    """Print all about one run, for people."""
    print_facts(_facts(run, now, reasons))
    for each in attempts:
        time = lasted(each.started_at, each.ended_at)
        worker = f" on worker {each.worker_id}" if each.worker_id else ""
        head = f"attempt {each.number}: {each.kind}{f' after {time}' if time else ''}{worker}"
        print(f"\n{styled(head, 'bold')}")
        if each.error:
            _print_error(each.error)
    if run.error and not any(each.error == run.error for each in attempts):
        print()
        _print_error(run.error)


def _print_error(error: ErrorView) -> None:
    message = error.message.replace("\n", "\n    ")  # it must not look like a line of ours
    print(styled(f"  {error.type}: {message}", "red"))
    for line in error.traceback.splitlines():
        print(f"    {line}")


def told_tally(tally: Mapping[str, int]) -> str:
    """Return `2 errors, 1 timeout`: how attempts ended, the commonest first."""
    order = sorted(tally.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{count} {_NAMES[kind][count > 1]}" for kind, count in order)


def _facts(run: RunView, now: int, reasons: Sequence[Reason]) -> list[tuple[str, str | Cell]]:
    def moment(at: Moment | None) -> str:
        return "" if at is None else f"{at.text()}  ({since(at, now)})"

    tally = told_tally(run.tally)
    times = run_values(plain_text(run.origin))
    interval = f"{times['interval_start']} to {times['interval_end']}"
    waits = run.state in ("scheduled", "queued")
    return [
        ("id", run.id),
        ("job", f"{run.job} (version {run.version})"),
        ("state", state_cell(run.state, is_paused=run.paused)),
        ("reason", run.reason or ""),
        ("queue", run.queue),
        ("priority", str(run.priority)),
        ("schedule", f"{times['schedule']} ({times['started_by']})" if run.origin else ""),
        ("for", times["scheduled_for"] or ""),
        ("interval", interval if times["interval_start"] else ""),
        ("backfill", run.backfill_id or ""),
        ("arguments", run.args),
        ("result", masked(run.result or "")),
        ("progress", "" if run.progress is None else f"{run.progress:.0%}"),
        ("note", masked(run.progress_note or "")),
        ("attempt", f"{run.attempt} ({tally})" if tally else str(run.attempt)),
        ("why", "\n".join(reason.says for reason in reasons)),
        ("created", moment(run.created_at)),
        ("starts" if run.state == "scheduled" else "queued", moment(run.ready_at) if waits else ""),
        ("started", moment(run.started_at)),
        ("finished", moment(run.finished_at)),
        ("deadline", _deadline(run, now)),
        ("took", lasted(run.started_at, run.finished_at)),
        ("worker", run.worker_id or ""),
        ("key", run.key or ""),
        ("labels", shown_labels(run.labels)),
        ("rerun of", run.rerun_of or ""),
        ("failure of", run.failure_of or ""),
        ("delivery", "at most once" if run.at_most_once else ""),
        ("on failure", f"run {run.on_failure_run}" if run.on_failure_run else ""),
    ]


def _deadline(run: RunView, now: int) -> str:
    if run.deadline is None:
        return ""
    missed = "missed" if run.deadline_missed else ""
    return f"{run.deadline.text()}  ({missed or since(run.deadline, now)})"
