"""Maintenance windows that drain: nothing new is started in them, whoever asked for it."""

from __future__ import annotations

import json

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.values.stored_text import read
from rota.errors import BadInput
from rota.model.schedule import Blackout
from rota.store.base import Row, Tx

_blackout = msgspec.json.Decoder(Blackout)


class ClosedWindow(msgspec.Struct, frozen=True, kw_only=True):
    """The window that lasts now, or else the next, of one that drains."""

    name: str
    note: str = ""
    job: str | None = None
    queue: str | None = None
    begins_in_ms: int
    """Negative once it has begun."""
    ends_in_ms: int
    ends_at: int

    def holds(self, *, job: str, queue: str) -> bool:
        """Whether it lasts now and is meant for such a run."""
        is_meant = self.job in {None, job} and self.queue in {None, queue}
        return is_meant and self.begins_in_ms <= 0


def drains(tx: Tx, *, namespace: str) -> tuple[ClosedWindow, ...]:
    """Those of a namespace that last or will come, by the database's clock; mostly none."""
    rows = tx.all("load_blackouts", namespaces=json.dumps([namespace]))
    ahead = [_readable(row) for row in rows]
    return tuple(each for each in ahead if each is not None)


def _readable(row: Row) -> ClosedWindow | None:
    """None as well for one that cannot be understood: a worker that serves others goes on."""
    what = f"maintenance window {row['name']}"
    try:
        window = read(_blackout, row["spec"], what)
        return _drain(row["name"], window, row["now"]) if window.kind == "drain" else None
    except BadInput as error:
        set_aside(what, error)
        return None


def _drain(name: str, window: Blackout, now: int) -> ClosedWindow | None:
    # Late: most workers never have a window, and need not know cron and zones.
    from rota.rules.schedules.windows import compile_blackout  # noqa: PLC0415

    span = compile_blackout(window).span_from(now)
    if span is None:
        return None
    begins_at, ends_at = span
    return ClosedWindow(
        name=name,
        note=window.note,
        job=window.job,
        queue=window.queue,
        begins_in_ms=begins_at - now,
        ends_in_ms=ends_at - now,
        ends_at=ends_at,
    )
