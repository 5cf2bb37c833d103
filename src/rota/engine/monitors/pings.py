"""Pings: each is recorded, and moves the monitor that it is for, in one transaction."""

from __future__ import annotations

from typing import NamedTuple

from rota.engine.monitors.definitions import look_up, take
from rota.engine.monitors.facts import facts_of
from rota.engine.monitors.rows import following, monitor_of
from rota.errors import BadInput, UnknownPing
from rota.model.monitors.monitor import (
    KEPT_PINGS,
    PING_BODY_BYTES,
    MonitorFacts,
    PingDetail,
    PingFacts,
    PingView,
)
from rota.model.view import view_of
from rota.rules.monitors.addresses import PingTarget
from rota.rules.monitors.checks import grace_ms
from rota.rules.monitors.states import after_ping, duration_ms
from rota.store.base import Row, Tx


class Pinged(NamedTuple):
    """The monitor that an address is for."""

    namespace: str
    monitor_id: str


def find_pinged(tx: Tx, target: PingTarget) -> Pinged | None:
    """Return the monitor of an address, in whatever namespace; None for an unknown one."""
    if target.name is None:
        row = tx.one("find_pinged_by_id", secret=target.secret)
    else:
        row = tx.one("find_pinged_by_key", secret=target.secret, name=target.name)
    return None if row is None else Pinged(row["namespace"], str(row["id"]))


def record_ping(tx: Tx, pinged: Pinged, ping: PingFacts) -> bool:
    """Record a ping; False when the monitor was removed meanwhile."""
    at = {"namespace": pinged.namespace, "id": pinged.monitor_id}
    row = tx.one("take_monitor_by_id", **at)
    return row is not None and _record(tx, row, ping)


def ping_by_name(tx: Tx, name: str, ping: PingFacts, *, namespace: str) -> None:
    """Record a ping of a person; UnknownMonitor if there is none of that name."""
    _record(tx, take(tx, name, namespace=namespace), ping)


def list_pings(
    tx: Tx, name: str, *, namespace: str, before: int | None, limit: int
) -> list[PingView]:
    """Return pings of a monitor, the newest first."""
    row = look_up(tx, name, namespace=namespace)
    last = row["pings"] + 1 if before is None else before
    rows = tx.all("list_monitor_pings", monitor_id=row["id"], before=last, limit=limit)
    return [view_of(PingView, each) for each in rows]


def find_ping(tx: Tx, name: str, number: int, *, namespace: str) -> PingDetail:
    """Return a ping with its body; UnknownPing if it is not kept any more."""
    row = look_up(tx, name, namespace=namespace)
    ping = tx.one("find_monitor_ping", monitor_id=row["id"], number=number)
    if ping is None:
        raise UnknownPing(name, number)
    return view_of(PingDetail, ping, is_cut=ping["size"] > PING_BODY_BYTES)


def _record(tx: Tx, row: Row, ping: PingFacts) -> bool:
    """Move a monitor that is locked; False if it has been pinged since its row was read."""
    old, now = facts_of(row), row["now"]
    lasted_ms = duration_ms(old, ping, now)
    if lasted_ms is None and ping.rid is not None and ping.kind in ("success", "fail"):
        lasted_ms = _since_start(tx, row, ping.rid)
    new = _moved(row, old, ping)
    is_end = new.last_at == now and ping.kind in ("success", "fail")
    changed = {name: getattr(new, name) for name in MonitorFacts.__struct_fields__}
    is_moved = tx.execute(
        "move_monitor",
        id=row["id"],
        pings=row["pings"],
        last_exit=ping.exit_status if is_end else row["last_exit"],
        last_duration_ms=lasted_ms if is_end else row["last_duration_ms"],
        **changed,
    )
    if not is_moved:
        return False
    number = row["pings"] + 1
    facts = {name: getattr(ping, name) for name in PingFacts.__struct_fields__}
    tx.execute(
        "insert_monitor_ping",
        monitor_id=row["id"],
        number=number,
        namespace=row["namespace"],
        at=now,
        duration_ms=lasted_ms,
        **facts,
    )
    tx.execute("forget_monitor_pings", monitor_id=row["id"], number=number - KEPT_PINGS)
    return True


def _moved(row: Row, old: MonitorFacts, ping: PingFacts) -> MonitorFacts:
    try:
        monitor = monitor_of(row)
    except BadInput:  # written by a newer version: the ping is recorded, and no more
        return old
    return after_ping(
        old,
        ping,
        row["now"],
        following=following(monitor),
        grace_ms=grace_ms(monitor),
        manual_resume=monitor.manual_resume,
    )


def _since_start(tx: Tx, row: Row, rid: str) -> int | None:
    start = tx.one("find_monitor_start", monitor_id=row["id"], rid=rid)
    return None if start is None else row["now"] - start["at"]
