"""Monitors on record: put, remove, pause, resume, and their secret addresses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from rota.engine.monitors.facts import facts_of
from rota.engine.monitors.rows import following, monitor_of, view_of_monitor
from rota.engine.runs.find import now_ms
from rota.errors import BadInput, Outdated, UnknownMonitor
from rota.model.monitors.monitor import Monitor, MonitorFacts, MonitorView, PingMark
from rota.model.view import view_of
from rota.rules.monitors.checks import check_monitor, grace_ms
from rota.rules.monitors.states import paused, resumed, with_times
from rota.store.base import Row, Tx

RECENT = 30
"""The pings in the short history of a monitor."""


def put_monitor(  # noqa: PLR0913  # a monitor, and whose it is
    tx: Tx,
    name: str,
    monitor: Monitor,
    *,
    namespace: str,
    who: str,
    new_id: Callable[[], str],
    new_ping_id: Callable[[], str],
) -> bool:
    """Store a monitor in place of any of this name; False when it was so already.

    One that is there keeps its address, its pings and its pause.
    """
    spec = msgspec.json.encode(check_monitor(monitor)).decode()
    at = {"namespace": namespace, "name": name}
    if tx.execute("put_monitor", id=new_id(), spec=spec, ping_id=new_ping_id(), who=who, **at):
        return True
    row = take(tx, name, namespace=namespace)
    if row["spec"] == spec:
        return False
    changed = with_times(facts_of(row), following=following(monitor), grace_ms=grace_ms(monitor))
    _change(tx, row, changed, spec=spec, who=row["changed_by"] if _is_paused(row) else who)
    return True


def remove_monitor(tx: Tx, name: str, *, namespace: str) -> None:
    """Remove a monitor with its pings; its address is unknown from now on."""
    row = take(tx, name, namespace=namespace)
    tx.execute("delete_monitor_pings", id=row["id"])
    tx.execute("delete_monitor", id=row["id"])


def pause_monitor(tx: Tx, name: str, *, namespace: str, who: str, note: str | None) -> bool:
    """Expect nothing from a monitor; False when it is paused with this note already."""
    row = take(tx, name, namespace=namespace)
    if _is_paused(row) and (note is None or note == row["pause_note"]):
        return False
    _change(tx, row, paused(facts_of(row)), who=who, pause_note=note)
    return True


def resume_monitor(tx: Tx, name: str, *, namespace: str, who: str) -> bool:
    """Wait for the next ping of a monitor that is paused; False when it is not."""
    row = take(tx, name, namespace=namespace)
    if not _is_paused(row):
        return False
    _change(tx, row, resumed(facts_of(row)), who=who)
    return True


def rotate_monitor(
    tx: Tx, name: str, *, namespace: str, who: str, new_ping_id: Callable[[], str]
) -> None:
    """Give a monitor another address; the old one is unknown from now on."""
    row = take(tx, name, namespace=namespace)
    tx.execute("change_ping_id", id=row["id"], ping_id=new_ping_id(), who=who)


def ping_key(tx: Tx, *, namespace: str) -> str | None:
    """Return the secret with which monitors of a namespace are pinged by name."""
    row = tx.one("find_ping_key", namespace=namespace)
    return None if row is None else str(row["secret"])


def make_ping_key(tx: Tx, secret: str, *, namespace: str) -> None:
    """Store a ping key for a namespace that has none."""
    tx.execute("make_ping_key", namespace=namespace, secret=secret)


def rotate_ping_key(tx: Tx, secret: str, *, namespace: str) -> None:
    """Replace the ping key of a namespace."""
    if not tx.execute("change_ping_key", namespace=namespace, secret=secret):
        make_ping_key(tx, secret, namespace=namespace)


def take(tx: Tx, name: str, *, namespace: str) -> Row:
    """Return the row of a monitor, locked; UnknownMonitor if there is none of that name."""
    row = tx.one("take_monitor", namespace=namespace, name=name)
    if row is None:
        raise UnknownMonitor(name)
    return row


def look_up(tx: Tx, name: str, *, namespace: str) -> Row:
    """Return the row of a monitor, without a lock; UnknownMonitor if there is none."""
    for row in tx.all("list_monitors", namespace=namespace, name=name, after="", limit=1):
        return row
    raise UnknownMonitor(name)


def find_monitor(tx: Tx, name: str, *, namespace: str, is_masked: bool) -> MonitorView:
    """Return a monitor; UnknownMonitor if there is none of that name."""
    found = monitors(tx, namespace=namespace, is_masked=is_masked, name=name, limit=1)
    if not found:
        raise UnknownMonitor(name)
    return found[0]


def monitors(
    tx: Tx,
    *,
    namespace: str,
    is_masked: bool,
    name: str | None = None,
    after: str = "",
    limit: int,
) -> list[MonitorView]:
    """Return monitors by name, with their newest pings."""
    rows = tx.all("list_monitors", namespace=namespace, name=name, after=after, limit=limit)
    if not rows:
        return []
    now, key = now_ms(tx), ping_key(tx, namespace=namespace) or ""
    recent = _recent(tx, rows, namespace)
    return [
        view_of_monitor(
            row, now, ping_key=key, is_masked=is_masked, recent=recent.get(str(row["id"]), ())
        )
        for row in rows
    ]


def present_monitor(tx: Tx, name: str, *, namespace: str) -> Monitor | None:
    """Return the definition that a monitor has; None if there is none that can be read."""
    try:
        return monitor_of(look_up(tx, name, namespace=namespace))
    except BadInput:
        return None


def _recent(tx: Tx, rows: Sequence[Row], namespace: str) -> dict[str, list[PingMark]]:
    marks: dict[str, list[PingMark]] = {}
    names = {"first": rows[0]["name"], "last": rows[-1]["name"]}
    for row in tx.all("recent_monitor_pings", namespace=namespace, most=RECENT, **names):
        marks.setdefault(str(row["monitor_id"]), []).append(view_of(PingMark, row))
    return marks


def _is_paused(row: Row) -> bool:
    return bool(row["status"] == "paused")


def _change(
    tx: Tx,
    row: Row,
    facts: MonitorFacts,
    *,
    who: str,
    spec: str | None = None,
    pause_note: str | None = None,
) -> None:
    is_paused = facts.status == "paused"
    values: dict[str, Any] = {
        "spec": row["spec"] if spec is None else spec,
        "pause_note": (pause_note or row["pause_note"]) if is_paused else None,
        **{name: getattr(facts, name) for name in _CHANGED},
    }
    if not tx.execute("change_monitor", id=row["id"], pings=row["pings"], who=who, **values):
        raise Outdated(f"monitor {row['name']} was pinged meanwhile; send the change again")


_CHANGED = ("status", "started_at", "started_rid", "expected_at", "down_at")
