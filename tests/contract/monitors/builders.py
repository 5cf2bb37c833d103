"""Builders for monitors: one on record, its pings, and what is known of it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from rota.engine.monitors.definitions import find_monitor, make_ping_key, put_monitor
from rota.engine.monitors.pings import Pinged, find_pinged, record_ping
from rota.ids import new_id
from rota.model.monitors.monitor import Monitor, MonitorView, PingFacts, PingKind
from rota.rules.monitors.addresses import read_address
from rota.store.base import Store
from tests.contract.builders import HOME

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
KEY = "fqOOd6-F4MMNuCEnzTU01w"


def given_monitor(
    store: Store, name: str = "backup", *, namespace: str = HOME, **fields: Any
) -> bool:
    """A monitor that expects a ping an hour, with ten minutes of grace, unless fields say else."""
    given: dict[str, Any] = {"every": None if "cron" in fields else "1h", "grace": "10m"}
    monitor = Monitor(**given | fields)

    def make(tx: Any) -> bool:
        make_ping_key(tx, KEY if namespace == HOME else KEY[::-1], namespace=namespace)
        return put_monitor(
            tx,
            name,
            monitor,
            namespace=namespace,
            who="ann",
            new_id=new_id,
            new_ping_id=lambda: str(UUID(new_id())),
        )

    return store.write(make)


def seen(store: Store, name: str = "backup", *, namespace: str = HOME) -> MonitorView:
    return store.read(lambda tx: find_monitor(tx, name, namespace=namespace, is_masked=False))


def pinged(store: Store, name: str = "backup", *, namespace: str = HOME) -> Pinged:
    address = seen(store, name, namespace=namespace).path.removeprefix("/ping/")
    found = store.read(lambda tx: find_pinged(tx, read_address(address)))
    assert found is not None
    return found


def ping(
    store: Store, kind: PingKind = "success", name: str = "backup", **fields: Any
) -> MonitorView:
    """Ping a monitor; what is known of it then."""
    to = pinged(store, name)
    assert store.write(lambda tx: record_ping(tx, to, PingFacts(kind=kind, **fields)))
    return seen(store, name)
