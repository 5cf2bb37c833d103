"""Alerts: the outbox of messages to people, written with the change that each reports.

Each is emitted once as a notice, and sent at least once to a webhook if there is one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

import msgspec

from rota.store.base import Tx

PATIENCE_MS = 86_400_000
"""An alert that could not be sent for a day is history, not news."""


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """An alert that waits in the outbox."""

    id: str
    namespace: str
    at: int
    kind: str
    payload: str
    """A JSON object."""
    tries: int
    is_told: bool


def raise_alert(
    tx: Tx, kind: str, facts: Mapping[str, object], *, namespace: str, change: tuple[int, str]
) -> None:
    """Put an alert into the outbox; `change` is the number and name of what happened.

    The id is derived from it, the number first: alerts of one millisecond stay in order.
    """
    number, name = change
    text = msgspec.json.encode(facts).decode()
    digest = hashlib.sha256(f"{namespace}\n{kind}\n{name}\n{number}".encode()).hexdigest()
    alert_id = f"{number:08x}{digest[:24]}"
    tx.execute("raise_alert", id=alert_id, namespace=namespace, kind=kind, payload=text)


def waiting_alerts(tx: Tx, *, sends: bool, limit: int) -> list[Alert]:
    """Return the alerts to emit, and with `sends` also those to send now; oldest first."""
    rows = tx.all("waiting_alerts", sends=sends, patience_ms=PATIENCE_MS, limit=limit)
    return [
        Alert(
            id=row["id"],
            namespace=row["namespace"],
            at=row["at"],
            kind=row["kind"],
            payload=row["payload"],
            tries=row["tries"],
            is_told=bool(row["is_told"]),
        )
        for row in rows
    ]


def tell_alert(tx: Tx, alert: Alert) -> bool:
    """Claim the notice of an alert; True for the one process that is to emit it."""
    return tx.execute("tell_alert", id=alert.id) > 0


def take_alert(tx: Tx, alert: Alert, *, wait_ms: int) -> bool:
    """Claim the sending of an alert; True for one process. Others may try after the wait."""
    return tx.execute("take_alert", id=alert.id, tries=alert.tries, wait_ms=wait_ms) > 0


def sent_alert(tx: Tx, alert: Alert) -> None:
    """Note that the receiver has an alert: it is not sent again."""
    tx.execute("sent_alert", id=alert.id)
