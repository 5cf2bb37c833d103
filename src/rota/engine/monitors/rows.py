"""Rows of monitors: their definition, what pings have told, and the view that people get."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.clock import moment, moment_or_none
from rota.engine.monitors.facts import facts_of
from rota.engine.values.stored_text import read
from rota.errors import BadInput
from rota.model.monitors.monitor import Monitor, MonitorFacts, MonitorView, PingMark
from rota.rules.monitors.addresses import MASK, PREFIX
from rota.rules.monitors.checks import describe_monitor, next_ping
from rota.rules.monitors.states import NextPing, down_reason, state_of
from rota.store.base import Row

_monitor = msgspec.json.Decoder(Monitor)


def monitor_of(row: Row) -> Monitor:
    """Return the definition of a row; BadInput if it cannot be read."""
    return read(_monitor, row["spec"], f"monitor {row['name']}")


def following(monitor: Monitor) -> NextPing:
    """Return the rule for the next ping; none is expected where this process cannot tell it."""
    try:
        return next_ping(monitor)
    except BadInput:  # zones of another machine, say; a failure is still noticed
        return lambda _: None


def view_of_monitor(
    row: Row, now: int, *, ping_key: str, is_masked: bool, recent: Sequence[PingMark]
) -> MonitorView:
    """Return the view of a monitor; a masked one shows no secret."""
    facts = facts_of(row)
    state = state_of(facts, now)
    try:
        monitor = monitor_of(row)
        description = describe_monitor(monitor)
    except BadInput as error:  # others are shown all the same
        monitor, description = Monitor(), str(error)
    return MonitorView(
        name=row["name"],
        state=state,
        reason=_reason(row, facts, state),
        **{field: getattr(monitor, field) for field in Monitor.__struct_fields__},
        description=description,
        path=PREFIX + (MASK if is_masked else row["ping_id"]),
        slug_path=f"{PREFIX}{MASK if is_masked else ping_key}/{row['name']}",
        is_masked=is_masked,
        last_at=moment_or_none(row["last_at"]),
        last_duration_ms=row["last_duration_ms"],
        started_at=moment_or_none(row["started_at"]),
        expected_at=moment_or_none(row["expected_at"]),
        down_at=moment_or_none(row["down_at"]),
        pings=row["pings"],
        recent=tuple(recent),
        changed_at=moment(row["changed_at"]),
    )


def _reason(row: Row, facts: MonitorFacts, state: str) -> str | None:
    if state == "down":
        return f"It {down_reason(facts, row['last_exit'])}."
    if state == "paused":
        note = f": {row['pause_note']}" if row["pause_note"] else ""
        return f"Paused by {row['changed_by']}{note}"
    return None
