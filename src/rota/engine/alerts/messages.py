"""Messages: the outbox of alerts. Each is sent at least once, always with the same id."""

from __future__ import annotations

from typing import NamedTuple

from rota.store.base import Tx

FIRST_WAIT_MS = 15_000
"""Longer than sending may take: no other process sends the message in the meantime."""
LONGEST_WAIT_MS = 900_000
MOST_TRIES = 60
"""About half a day of tries: what could not be sent by then is history."""


class DueMessage(NamedTuple):
    """A message to be sent now."""

    id: str
    namespace: str
    channel: str
    title: str
    payload: str
    tries: int
    spec: str | None
    """The channel as it is stored; None for one that was removed."""


def due_messages(tx: Tx, *, limit: int) -> list[DueMessage]:
    """Return the messages to be sent now, oldest first."""
    return [
        DueMessage(
            str(row["id"]),
            row["namespace"],
            row["channel"],
            row["title"],
            row["payload"],
            row["tries"],
            row["spec"],
        )
        for row in tx.all("due_alert_messages", limit=limit)
    ]


class AlertWork(NamedTuple):
    """The work that alerts have to do now."""

    has_rules: bool
    wait_ms: int | None
    """How long until the next message is due; None when none waits."""


def alert_work(tx: Tx) -> AlertWork:
    """Return what there is to do; one statement, whatever the number of rules."""
    (row,) = tx.all("alert_work")
    return AlertWork(bool(row["has_rules"]), row["wait_ms"])


class ChannelDeliveries(NamedTuple):
    """The state of the messages to one channel."""

    waiting: int = 0
    sent_at: int | None = None
    failed_at: int | None = None
    error: str | None = None
    """Why the last try failed."""


def deliveries(tx: Tx, *, namespace: str) -> dict[str, ChannelDeliveries]:
    """Return what became of the messages of each channel that ever had one."""
    found = {}
    for row in tx.all("channel_deliveries", namespace=namespace):
        at = {"namespace": namespace, "channel": row["channel"], "failed_at": row["failed_at"]}
        errors = tx.all("last_alert_error", **at) if row["failed_at"] is not None else []
        found[row["channel"]] = ChannelDeliveries(
            row["waiting"], row["sent_at"], row["failed_at"], errors[0]["error"] if errors else None
        )
    return found


def take_message(tx: Tx, message: DueMessage) -> bool:
    """Claim the sending of a message; True for one process. Others may try after the wait."""
    wait_ms = wait_after(message.tries)
    return tx.execute("take_alert_message", id=message.id, tries=message.tries, wait_ms=wait_ms) > 0


def wait_after(tries: int) -> int:
    """Return how long to wait before the next try, in milliseconds."""
    return min(FIRST_WAIT_MS << min(tries, 20), LONGEST_WAIT_MS)


def message_sent(tx: Tx, message: DueMessage) -> None:
    """Note that the receiver has a message: it is not sent again."""
    tx.execute("alert_message_sent", id=message.id)


def message_failed(tx: Tx, message: DueMessage, error: str, *, is_final: bool = False) -> None:
    """Note why a try failed; the last one, or a final error, ends the tries."""
    tx.execute(
        "alert_message_failed",
        id=message.id,
        error=error,
        gives_up=is_final or message.tries + 1 >= MOST_TRIES,
        wait_ms=wait_after(message.tries),
    )
