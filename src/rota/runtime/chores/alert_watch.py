"""Watches for what alert rules report, and sends the messages; one process at a time looks."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

from rota.clock import elapsed_s
from rota.engine.alerts.incidents import look, store_plans
from rota.engine.alerts.messages import (
    DueMessage,
    alert_work,
    due_messages,
    message_failed,
    message_sent,
    take_message,
)
from rota.engine.alerts.rules import read_channel
from rota.engine.failures.batch_isolation import set_aside
from rota.errors import RotaError, StoreUnavailable, UnknownAlertChannel
from rota.notices import emit
from rota.runtime.chores.lifecycle import Chore
from rota.runtime.options import WorkerOptions
from rota.store.base import Store

BATCH = 100
CHANNELS_AT_ONCE = 4
SWEEP_S = 300.0


class AlertWatcher(Chore):
    """One read every two seconds while there are no rules; a look and its messages otherwise."""

    interval_s = 2.0
    chore = "alerts"

    def __init__(self, store: Store, options: WorkerOptions) -> None:
        super().__init__(store)
        self._allow_private = options.alert_private
        self._swept_s: float | None = None

    def tick(self) -> bool:
        work = self._store.read(alert_work)
        stored = self._look() if work.has_rules and self.is_mine() else 0
        if stored or (work.wait_ms is not None and work.wait_ms <= 0):
            return self._send_due()
        return False

    def _look(self) -> int:
        now_s = elapsed_s()
        sweeps = self._swept_s is None or now_s - self._swept_s >= SWEEP_S
        plans = self._store.read(lambda tx: look(tx, sweeps=sweeps))
        if sweeps:
            self._swept_s = now_s
        return self._store.write(lambda tx: store_plans(tx, plans)) if plans else 0

    def _send_due(self) -> bool:
        """Send what is due, several channels at a time: a dead one delays no other."""
        due = self._store.read(lambda tx: due_messages(tx, limit=BATCH))
        ordered = sorted(due, key=_place)  # stable: the oldest of each channel first
        groups = [list(group) for _, group in groupby(ordered, key=_place)]
        with ThreadPoolExecutor(CHANNELS_AT_ONCE, "rota-alerts") as pool:
            for _ in pool.map(self._send_all, groups):
                pass
        return len(due) == BATCH

    def _send_all(self, messages: Sequence[DueMessage]) -> None:
        """Send the messages of one channel until one fails: the others have their turn later."""
        for each in messages:
            if self._stopping or not self._send(each):
                return

    def _send(self, message: DueMessage) -> bool:
        if not self._store.write(lambda tx: take_message(tx, message)):
            return True
        if message.spec is None:
            gone = UnknownAlertChannel(message.channel)
            self._note(message, gone, is_final=True)
            return True
        try:
            self._deliver(message, message.spec)
        except StoreUnavailable:
            raise
        except (RotaError, OSError) as error:
            self._note(message, error)
            return False
        except Exception as error:  # noqa: BLE001  # a foreign package; other messages go on
            set_aside(f"alert message {message.id}", error)
            self._note(message, error)
            return False
        else:
            self._store.write(lambda tx: message_sent(tx, message))
        return True

    def _deliver(self, message: DueMessage, spec: str) -> None:
        from rota.runtime.alerts.send import send  # noqa: PLC0415  # at the first message

        channel = read_channel(spec, message.channel)
        send(message.id, message.payload, channel, allow_private=self._allow_private)

    def _note(self, message: DueMessage, error: Exception, *, is_final: bool = False) -> None:
        text = str(error) or type(error).__name__
        emit("alert.failed", alert=message.channel, tries=message.tries + 1, error=text)
        self._store.write(lambda tx: message_failed(tx, message, text, is_final=is_final))


def _place(message: DueMessage) -> tuple[str, str]:
    return message.namespace, message.channel
