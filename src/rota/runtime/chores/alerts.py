"""Sends alerts: emits them in this process, and posts them to the webhook if there is one.

Alerts wait in an outbox that their own transaction filled, so none is lost when a process dies.
"""

from __future__ import annotations

from typing import Any

import msgspec

from rota.clock import to_text
from rota.engine.alerts.outbox import Alert, sent_alert, take_alert, tell_alert, waiting_alerts
from rota.engine.failures.batch_isolation import set_aside
from rota.engine.values.stored_text import read
from rota.errors import BadInput, RotaError
from rota.notices import emit
from rota.runtime.options import WorkerOptions
from rota.runtime.service import Service
from rota.store.base import Store

BATCH = 20
FIRST_WAIT_MS = 15_000
"""Longer than a request may take: no other process sends the alert in the meantime."""
LONGEST_WAIT_MS = 900_000

_facts = msgspec.json.Decoder(dict[str, Any])


class AlertSender(Service):
    """Sends each alert from one of all processes, at least once and always with the same key."""

    interval_s = 1.0

    def __init__(self, store: Store, options: WorkerOptions) -> None:
        super().__init__()
        self._store = store
        self._webhook = options.alert_webhook
        self._allow_private = options.alert_private

    def tick(self) -> bool:
        sends = bool(self._webhook)
        alerts = self._store.read(lambda tx: waiting_alerts(tx, sends=sends, limit=BATCH))
        for alert in alerts:
            if not alert.is_told:
                self._tell(alert)
            if sends:
                self._send(alert)
        return len(alerts) == BATCH

    def _tell(self, alert: Alert) -> None:
        if self._store.write(lambda tx: tell_alert(tx, alert)):
            emit(alert.kind, namespace=alert.namespace, **_facts_of(alert))

    def _send(self, alert: Alert) -> None:
        # Imported at the first alert: most workers never send one.
        from rota.runtime.chores.webhook import post  # noqa: PLC0415

        wait_ms = min(FIRST_WAIT_MS << min(alert.tries, 20), LONGEST_WAIT_MS)
        if not self._store.write(lambda tx: take_alert(tx, alert, wait_ms=wait_ms)):
            return
        try:
            post(self._webhook, _body(alert), key=alert.id, allow_private=self._allow_private)
        except (RotaError, OSError) as error:
            emit("alert.failed", alert=alert.kind, tries=alert.tries + 1, error=str(error))
        else:
            self._store.write(lambda tx: sent_alert(tx, alert))


def _body(alert: Alert) -> bytes:
    at = to_text(alert.at)
    head = {"id": alert.id, "kind": alert.kind, "at": at, "namespace": alert.namespace}
    return msgspec.json.encode(head | _facts_of(alert))


def _facts_of(alert: Alert) -> dict[str, Any]:
    """Return the facts of an alert; none if they are unreadable, so that later alerts go out."""
    try:
        return read(_facts, alert.payload, f"alert {alert.id}")
    except BadInput as error:
        set_aside(f"alert {alert.id}", error)
        return {}
