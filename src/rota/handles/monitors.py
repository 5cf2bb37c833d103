"""Handles for monitors: foreign cron jobs that ping, and what they have told."""

from __future__ import annotations

import builtins
from datetime import timedelta
from typing import Any

from rota.errors import UnknownMonitor
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.monitors.monitor import MonitorView, PingDetail, PingKind, PingView
from rota.operations.monitors.monitors import (
    MonitorBody,
    list_monitors,
    pause_monitor,
    put_monitor,
    remove_monitor,
    resume_monitor,
    rotate_monitor,
    rotate_ping_key,
    show_monitor,
)
from rota.operations.monitors.pings import list_pings, ping_monitor, show_ping
from rota.rules.monitors.checks import read_monitor
from rota.rules.schedules.trigger_options import duration_text


class Monitors:
    """The check-in monitors of a namespace; get them as `app.monitors` or `client.monitors`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self, *, state: str | None = None) -> builtins.list[MonitorView]:
        """Return monitors by name; `state` is new, up, late, down, paused or started."""
        return all_items(self._backend, list_monitors, only=state)

    def show(self, name: str) -> MonitorView:
        """Return one monitor; UnknownMonitor if there is none of that name."""
        return self._backend.call(show_monitor, name)

    def put(
        self,
        name: str,
        *,
        every: str | timedelta | None = None,
        cron: str | None = None,
        grace: str | timedelta = "1h",
        **fields: Any,
    ) -> MonitorView:
        """Create or change a monitor, which keeps its address.

        `app.monitors.put("backup", cron="0 3 * * *", zone="Europe/Paris", grace="30m")`
        """
        period = None if every is None else duration_text(every)
        given = {"every": period, "cron": cron, "grace": duration_text(grace), **fields}
        monitor = read_monitor(given)
        body = {field: getattr(monitor, field) for field in monitor.__struct_fields__}
        return self._backend.call(put_monitor, name, MonitorBody(**body))

    def pause(self, name: str, *, note: str | None = None) -> MonitorView:
        """Expect nothing until it is resumed, or pinged unless `manual_resume` is set."""
        return self._backend.call(pause_monitor, name, note=note)

    def resume(self, name: str) -> MonitorView:
        """Wait for the next ping, however long it takes."""
        return self._backend.call(resume_monitor, name)

    def remove(self, name: str) -> bool:
        """Remove a monitor with its pings; False when there was none of that name."""
        try:
            self._backend.call(remove_monitor, name)
        except UnknownMonitor:
            return False
        return True

    def rotate(self, name: str) -> MonitorView:
        """Give a monitor another secret address."""
        return self._backend.call(rotate_monitor, name)

    def rotate_key(self) -> str:
        """Replace the key of addresses with names; returns the path before the name."""
        return self._backend.call(rotate_ping_key).path

    def ping(
        self, name: str, kind: PingKind = "success", *, exit_status: int | None = None
    ) -> MonitorView:
        """Ping a monitor by hand; `kind` is success, start, fail or log."""
        return self._backend.call(ping_monitor, name, kind=kind, exit_status=exit_status)

    def pings(self, name: str, *, limit: int = 100) -> builtins.list[PingView]:
        """Return the newest pings, the newest first."""
        return all_items(self._backend, list_pings, limit=limit, name=name)

    def show_ping(self, name: str, number: int) -> PingDetail:
        """Return a ping with what was sent along."""
        return self._backend.call(show_ping, name, number)
