"""The alerts of a file: channels to people, and rules that say what they are told."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.errors import BadOption
from rota.model.alerts.channel import AlertChannel
from rota.model.alerts.rule import AlertRule
from rota.rules.alerts.checks import read_rule
from rota.rules.alerts.file_checks import check_file_channel
from rota.rules.jobs.files.field import Field
from rota.rules.jobs.files.known import ALERT_FIELDS
from rota.rules.text.names import check_name

_LISTS = ("on", "to", "jobs", "queues")
NEVER = "never"


def read_channels(alerts: Field | None) -> dict[str, AlertChannel]:
    """Return the channels of a file by name; BadFile names the place of one that is wrong."""
    return {name: _channel(field) for name, field in _named(alerts, "channels")}


def read_rules(alerts: Field | None) -> dict[str, AlertRule]:
    """Return the rules of a file by name; BadFile names the place of one that is wrong."""
    return {name: _rule(field) for name, field in _named(alerts, "rules")}


def _named(alerts: Field | None, part: str) -> list[tuple[str, Field]]:
    if alerts is None or alerts.value is None:
        return []
    parts = alerts.fields(ALERT_FIELDS)
    if part not in parts or parts[part].value is None:
        return []
    found = list(parts[part].fields().items())
    for name, field in found:
        with field.blamed():
            check_name(part.removesuffix("s"), name)
    return found


def _channel(field: Field) -> AlertChannel:
    facts = {"url": field.value}
    if not isinstance(field.value, str):
        fields = field.fields(AlertChannel.__struct_fields__)
        facts = {name: each.value for name, each in fields.items()}
    with field.blamed():
        try:
            return check_file_channel(msgspec.convert(facts, AlertChannel))
        except msgspec.ValidationError as error:
            raise BadOption(str(error)) from error


def _rule(field: Field) -> AlertRule:
    fields = field.fields(AlertRule.__struct_fields__)
    facts: dict[str, Any] = {name: each.value for name, each in fields.items()}
    for name in _LISTS:
        if isinstance(facts.get(name), str):
            facts[name] = [facts[name]]
    if facts.get("repeat") == NEVER:
        facts["repeat"] = None
    with field.blamed():
        return read_rule(facts)
