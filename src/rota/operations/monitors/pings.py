"""Operations on pings: list those of a monitor, show one with its log, and send one by hand."""

from __future__ import annotations

import re

from rota.engine.monitors import pings as engine
from rota.errors import BadInput
from rota.model.monitors.monitor import MonitorView, PingDetail, PingFacts, PingKind, PingView
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.monitors.monitors import check_whole, found_monitor
from rota.operations.operation import changes, reads, tell
from rota.operations.paging import PAGE, Limit, not_a_cursor
from rota.rules.monitors.addresses import HIGHEST_STATUS
from rota.rules.text.checks import whole_number
from rota.store.base import Tx

_NUMBER = re.compile(r"[0-9]{1,15}")


@reads("/monitors/{name}/pings")
def list_pings(
    tx: Tx, caller: Caller, name: str, *, cursor: str | None = None, limit: Limit = PAGE
) -> Page[PingView]:
    """The newest 100 pings of a monitor, the newest first, without what was sent along."""
    check_whole(caller)
    if cursor is not None and not _NUMBER.fullmatch(cursor):
        raise not_a_cursor(cursor)
    before = None if cursor is None else int(cursor)
    items = engine.list_pings(tx, name, namespace=caller.namespace, before=before, limit=limit)
    return Page(items=items, next=str(items[-1].number) if len(items) == limit else None)


@reads("/monitors/{name}/pings/{ping_number}")
def show_ping(tx: Tx, caller: Caller, name: str, ping_number: int) -> PingDetail:
    """A ping with what was sent along, such as the end of a log."""
    check_whole(caller)
    return engine.find_ping(tx, name, ping_number, namespace=caller.namespace)


@changes("POST", "/monitors/{name}/ping", verb="ping monitor")
def ping_monitor(
    tx: Tx,
    caller: Caller,
    name: str,
    *,
    kind: PingKind = "success",
    exit_status: int | None = None,
) -> MonitorView:
    """Ping a monitor by hand, as its job would, to see what follows."""
    check_whole(caller)
    if exit_status is not None:
        if kind != "success":
            raise BadInput("give a kind or an exitStatus, not both")
        kind = "fail" if whole_number("exitStatus", exit_status, 0, HIGHEST_STATUS) else "success"
    ping = PingFacts(kind=kind, exit_status=exit_status, method="by hand", agent=caller.actor.who)
    tell(tx, caller, kind=kind, exitStatus=exit_status)
    engine.ping_by_name(tx, name, ping, namespace=caller.namespace)
    return found_monitor(tx, caller, name)
