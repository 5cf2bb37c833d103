"""Maintenance windows (`blackouts` in Python) on record, and their effect on starts by time.

A start by hand is a person's own decision: windows do not hold it back.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.locks import lock_name
from rota.engine.schedules.new_run import ScheduledStart
from rota.engine.values.stored_text import read
from rota.engine.wakeup_keys import windows_key
from rota.errors import BadInput
from rota.model.schedules.definitions import Blackout
from rota.rules.schedules.windows import START, WindowDecision, compile_blackout, verdict
from rota.store.base import Row, Tx

_blackout = msgspec.json.Decoder(Blackout)

Blackouts = Mapping[str, Sequence[Blackout]]
"""The windows of each namespace."""


def put_blackout(tx: Tx, name: str, blackout: Blackout, *, namespace: str) -> bool:
    """Store this window, in place of any other of this name; False if it is there already."""
    compile_blackout(blackout)
    spec = msgspec.json.encode(blackout).decode()
    lock_name(tx, "blackout", name, namespace=namespace)
    put = tx.execute("put_blackout", namespace=namespace, name=name, spec=spec)
    tx.notify((windows_key(namespace),))
    return put > 0


def remove_blackout(tx: Tx, name: str, *, namespace: str) -> bool:
    """Remove a window; False when there was none of that name."""
    lock_name(tx, "blackout", name, namespace=namespace)
    tx.notify((windows_key(namespace),))
    return tx.execute("delete_blackout", namespace=namespace, name=name) > 0


def blackouts(tx: Tx, *, namespace: str) -> dict[str, Blackout]:
    """Return all windows of a namespace, by name."""
    rows = tx.all("load_blackouts", namespaces=json.dumps([namespace]))
    return {row["name"]: read(_blackout, row["spec"], _what(row)) for row in rows}


def load_blackouts(tx: Tx, rows: Sequence[Row]) -> Blackouts:
    """Return the windows that may concern these schedules; mostly there are none to read."""
    namespaces = sorted({row["namespace"] for row in rows if row["has_blackouts"]})
    found: dict[str, list[Blackout]] = {}
    if namespaces:
        for row in tx.all("load_blackouts", namespaces=json.dumps(namespaces)):
            window = readable_window(row)
            if window is not None:
                found.setdefault(row["namespace"], []).append(window)
    return found


def readable_window(row: Row) -> Blackout | None:
    """Return the window. None if it cannot be read: it holds back nothing, and people are told."""
    try:
        window = read(_blackout, row["spec"], _what(row))
        compile_blackout(window)
    except BadInput as error:
        set_aside(_what(row), error)
        return None
    return window


def _what(row: Row) -> str:
    return f"maintenance window {row['name']}"


def window_at(windows: Sequence[Blackout], *, job: str, queue: str, at: int) -> WindowDecision:
    """Return what the windows decide about a start at this time; mostly `start`."""
    return verdict(windows, job=job, queue=queue, at=at) if windows else START


def outside_windows(
    windows: Sequence[Blackout], start: ScheduledStart, *, job: str, queue: str, now: int
) -> ScheduledStart | None:
    """Return the start, now or due when the window has ended, or None to leave it out.

    An instant in a window that skips is left out even if it is caught up later. In one that drains
    it starts: its run is queued, and claims obey the window (draining_windows.py).
    """
    if not windows:
        return start
    found = window_at(windows, job=job, queue=queue, at=now)
    if found.act in ("start", "drain"):
        at_instant = window_at(windows, job=job, queue=queue, at=start.instant)
        return None if at_instant.act == "skip" else start
    if found.act == "skip" or found.until is None:
        return None
    return msgspec.structs.replace(start, due_at=found.until)
