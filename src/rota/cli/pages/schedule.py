"""Schedules in the output: a row of the list, a page of its own, an object for scripts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from rota.cli.output import Cell, Row, id_cell, print_facts, print_table, state_cell
from rota.cli.pages.preview import COLUMNS as FIRING_COLUMNS
from rota.cli.pages.preview import firing_rows, instant
from rota.cli.times import since
from rota.errors import BadOption
from rota.model.schedules.firing import FiringView
from rota.model.schedules.schedule import ScheduleDetail, ScheduleView
from rota.rules.text.json_keys import check_keys

COLUMNS = ("name", "job", "when", "state", "next", "last", "ended", "runs", "missed")
PAST_COLUMNS = ("for", "kind", "what", "run", "state")
STYLES = {"active": "green", "paused": "yellow", "error": "bold red", "ended": "dim"}


def schedule_row(view: ScheduleView, now: int) -> Row:
    """Return one line of the list."""
    return (
        Cell(view.name, "bold"),
        view.job,
        view.description,
        Cell(view.state, STYLES.get(view.state, "")),
        since(view.next_at, now),
        state_cell(view.last_state or ""),
        since(view.last_ended_at, now),
        str(view.fired),
        str(view.missed or ""),
    )


def print_page(view: ScheduleDetail, now: int) -> None:
    """Print the facts, the next firings, and the results of the last ones."""
    print_facts(
        [
            ("schedule", Cell(view.name, "bold")),
            ("when", view.description),
            ("job", view.job),
            ("state", Cell(_state(view), STYLES.get(view.state, ""))),
            (
                "next",
                f"{instant(view.next_at.ms)} ({since(view.next_at, now)})" if view.next_at else "",
            ),
            ("last", _last(view, now)),
            ("now", f"{view.running} running, {view.waiting} waiting"),
            ("so far", _counts(view)),
            ("arguments", _arguments(view)),
            ("policies", _policies(view)),
            ("from", f"{_origin(view)}, revision {view.revision}, {since(view.changed_at, now)}"),
        ]
    )
    print()
    print_table(FIRING_COLUMNS, firing_rows(view.coming), empty="no firings to come")
    if view.past:
        print()
        print_table(PAST_COLUMNS, [_past_row(each) for each in view.past], empty="")


def option_values(pairs: Sequence[str]) -> dict[str, Any]:
    """Parse `NAME=VALUE` of the command line; a value that is JSON is taken as JSON."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign:
            raise BadOption(f"--option {pair!r:.64} is not NAME=VALUE")
        try:
            values[name] = msgspec.json.decode(text)
            check_keys(text)
        except msgspec.DecodeError:
            values[name] = text
    return values


def _counts(view: ScheduleView) -> str:
    """Return the counters; a run that waits counts for `count`, but has not started."""
    started = max(0, view.fired - view.waiting)
    return f"{started} started, {view.missed} missed, {view.skipped} skipped"


def _origin(view: ScheduleView) -> str:
    return f"{view.origin} of app {view.app}" if view.app else view.origin


def _state(view: ScheduleView) -> str:
    if view.blocked_by:
        return f"{view.state}, blocked by the failure of {view.blocked_by}"
    by = f" by {view.changed_by}" if view.state == "paused" and view.changed_by else ""
    return f"{view.state}{by}: {view.note}" if view.note else f"{view.state}{by}"


def _next(view: ScheduleView, now: int) -> str:
    at = view.next_at
    return "" if at is None else f"{instant(at.ms)} ({since(at, now)})"


def _last(view: ScheduleView, now: int) -> str:
    if view.last_run is None:
        return ""
    row = f"{view.last_state} {since(view.last_ended_at, now)}, run {view.last_run}"
    return f"{row}; {view.failures} failures in a row" if view.failures > 1 else row


def _arguments(view: ScheduleView) -> str:
    args = view.schedule.args if view.schedule else {}
    return ", ".join(
        f"{name}={msgspec.json.encode(value).decode()}" for name, value in args.items()
    )


def _policies(view: ScheduleView) -> str:
    if view.schedule is None:
        return ""
    policies = {
        name: getattr(view.schedule, name) for name in ("overlap", "catchup", "jitter", "count")
    }
    return ", ".join(f"{name} {value}" for name, value in policies.items() if value is not None)


def _past_row(firing: FiringView) -> Row:
    return (
        instant(firing.instant.ms),
        firing.kind,
        firing.decision,
        id_cell(firing.run_id) if firing.run_id else "",
        state_cell(firing.state or ""),
    )
