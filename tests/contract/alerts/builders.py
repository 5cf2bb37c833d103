"""Builders for alerts: rules, looks, and what people were told."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.engine.alerts.incidents import look, store_plans
from rota.engine.alerts.messages import DueMessage, due_messages
from rota.engine.alerts.rules import put_channel, put_rule
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.finding import OpenIncident
from rota.model.alerts.rule import AlertRule
from rota.store.base import Store
from tests.contract.builders import HOME


def given_rule(store: Store, name: str = "night", **fields: Any) -> AlertRule:
    """A rule on failed runs that tells `ops`, unless the fields say otherwise."""
    rule = AlertRule(**{"on": ("run.failed",), "to": ("ops",), **fields})
    store.write(lambda tx: put_rule(tx, name, rule, namespace=HOME))
    return rule


def given_channel(store: Store, name: str = "ops", url: str = "https://example.org/hook") -> None:
    channel = AlertChannel(url=url)
    store.write(lambda tx: put_channel(tx, name, channel, namespace=HOME))


def watch(store: Store, *, sweeps: bool = False) -> int:
    """Look once; the number of messages that wait because of it."""
    plans = store.read(lambda tx: look(tx, sweeps=sweeps))
    return store.write(lambda tx: store_plans(tx, plans))


def messages(store: Store) -> list[DueMessage]:
    return store.read(lambda tx: due_messages(tx, limit=1_000))


def titles(store: Store) -> list[str]:
    return [each.title for each in messages(store)]


def facts(message: DueMessage) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(message.payload)
    return found


def open_incidents(store: Store) -> list[dict[str, Any]]:
    columns = [each for each in OpenIncident.__struct_fields__ if each != "has_recovered"]
    rows = store.read(lambda tx: tx.all("open_incidents", namespace=HOME, limit=1_000))
    return [{name: row[name] for name in columns} for row in rows]
