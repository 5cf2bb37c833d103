"""The page of one run, for `rota runs show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rota.cli.output import Cell, print_facts, state_cell, styled
from rota.cli.pages.documents import iso
from rota.cli.pages.results import masked
from rota.cli.times import ago, took
from rota.engine.insight.reasons import Reason
from rota.model.run import AttemptView, ErrorDetail, RunView
from rota.rules.runs.times import run_values

_NAMES = {
    "error": ("error", "errors"),
    "timeout": ("timeout", "timeouts"),
    "crash": ("crash", "crashes"),
    "lost": ("lost worker", "lost workers"),
    "cancelled": ("cancelled", "cancelled"),
}
"""Kinds of attempts, for one and for several."""


def print_page(  # noqa: PLR0913  # one fact each, all named
    run: RunView,
    attempts: Sequence[AttemptView],
    now: int,
    *,
    tally: Mapping[str, int],
    reasons: Sequence[Reason] = (),
    on_failure_run: str | None = None,
    is_paused: bool = False,
) -> None:
    told = [("on failure", f"run {on_failure_run}")] if on_failure_run else []
    print_facts([*_facts(run, now, tally, reasons, is_paused=is_paused), *told])
    for each in attempts:
        lasted = took(each.started_at, each.ended_at)
        worker = f" on worker {each.worker_id}" if each.worker_id else ""
        head = f"attempt {each.number}: {each.kind}{f' after {lasted}' if lasted else ''}{worker}"
        print(f"\n{styled(head, 'bold')}")
        if each.error:
            _print_error(each.error)
    if run.error and not any(each.error == run.error for each in attempts):
        print()
        _print_error(run.error)


def _print_error(error: ErrorDetail) -> None:
    message = error.message.replace("\n", "\n    ")  # it must not look like a line of ours
    print(styled(f"  {error.type}: {message}", "red"))
    for line in error.traceback.splitlines():
        print(f"    {line}")


def told_tally(tally: Mapping[str, int]) -> str:
    """`2 errors, 1 timeout`: how attempts ended, the commonest first."""
    order = sorted(tally.items(), key=lambda each: (-each[1], each[0]))
    return ", ".join(f"{count} {_NAMES[kind][count > 1]}" for kind, count in order)


def _facts(
    run: RunView,
    now: int,
    tally: Mapping[str, int],
    reasons: Sequence[Reason],
    *,
    is_paused: bool,
) -> list[tuple[str, str | Cell]]:
    def moment(ms: int | None) -> str:
        return "" if ms is None else f"{iso(ms)}  ({ago(ms, now)})"

    told = told_tally(tally)
    times = run_values(run.origin)
    interval = f"{times['interval_start']} to {times['interval_end']}"
    waits = run.state in ("scheduled", "queued")
    return [
        ("id", run.id),
        ("job", f"{run.job} (version {run.version})"),
        ("state", state_cell(run.state, is_paused=is_paused)),
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
        ("attempt", f"{run.attempt} ({told})" if told else str(run.attempt)),
        ("why", "\n".join(reason.says for reason in reasons)),
        ("created", moment(run.created_at)),
        ("starts" if run.state == "scheduled" else "queued", moment(run.ready_at) if waits else ""),
        ("started", moment(run.started_at)),
        ("finished", moment(run.finished_at)),
        ("took", took(run.started_at, run.finished_at)),
        ("worker", run.worker_id or ""),
        ("key", run.key or ""),
        ("rerun of", run.rerun_of or ""),
        ("failure of", run.failure_of or ""),
        ("delivery", "at most once" if run.at_most_once else ""),
    ]
