"""Alert rules and channels on record."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from rota.engine.failures.batch_isolation import set_aside
from rota.engine.locks import lock_name
from rota.engine.values.stored_text import read
from rota.errors import BadInput
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule
from rota.rules.alerts.checks import check_channel, check_rule
from rota.store.base import Tx

_rule = msgspec.json.Decoder(AlertRule)
_channel = msgspec.json.Decoder(AlertChannel)


class StoredRule(NamedTuple):
    """A rule on record, with the number of its open incidents."""

    namespace: str
    name: str
    rule: AlertRule
    open: int


def put_rule(tx: Tx, name: str, rule: AlertRule, *, namespace: str) -> None:
    """Store this rule, in place of any other of this name."""
    spec = msgspec.json.encode(check_rule(rule)).decode()
    lock_name(tx, "alert rule", name, namespace=namespace)
    tx.execute("put_alert_rule", namespace=namespace, name=name, spec=spec)


def remove_rule(tx: Tx, name: str, *, namespace: str) -> bool:
    """Remove a rule; False when there was none of that name."""
    lock_name(tx, "alert rule", name, namespace=namespace)
    return tx.execute("delete_alert_rule", namespace=namespace, name=name) > 0


def rules(tx: Tx, *, namespace: str | None) -> list[StoredRule]:
    """Return the rules of a namespace, or of all of them; one that cannot be read is left out."""
    found = []
    for row in tx.all("load_alert_rules", namespace=namespace):
        what = f"alert rule {row['name']}"
        try:
            rule = read(_rule, row["spec"], what)
        except BadInput as error:
            set_aside(what, error)
            continue
        found.append(StoredRule(row["namespace"], row["name"], rule, row["open_incidents"]))
    return found


def put_channel(tx: Tx, name: str, channel: AlertChannel, *, namespace: str) -> None:
    """Store this channel, in place of any other of this name."""
    spec = msgspec.json.encode(check_channel(channel)).decode()
    lock_name(tx, "alert channel", name, namespace=namespace)
    tx.execute("put_alert_channel", namespace=namespace, name=name, spec=spec)


def remove_channel(tx: Tx, name: str, *, namespace: str) -> bool:
    """Remove a channel; False when there was none of that name."""
    lock_name(tx, "alert channel", name, namespace=namespace)
    return tx.execute("delete_alert_channel", namespace=namespace, name=name) > 0


def channels(tx: Tx, *, namespace: str) -> dict[str, AlertChannel]:
    """Return the channels of a namespace, by name."""
    rows = tx.all("load_alert_channels", namespace=namespace)
    return {row["name"]: read_channel(row["spec"], row["name"]) for row in rows}


def read_channel(spec: str, name: str) -> AlertChannel:
    """Return a channel from its row; BadInput if it cannot be read."""
    return read(_channel, spec, f"alert channel {name}")
