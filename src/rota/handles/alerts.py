"""Handles for alerts: what rules have found, the rules, and the channels to people."""

from __future__ import annotations

import builtins
from typing import Any

from rota.errors import UnknownAlertChannel, UnknownAlertRule
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.alerts.channel import AlertChannelView
from rota.model.alerts.incident import IncidentView, MessageView
from rota.model.alerts.rule import AlertRuleView
from rota.operations.alerts.channels import (
    AlertChannelBody,
    list_alert_channels,
    list_alert_messages,
    put_alert_channel,
    remove_alert_channel,
    test_alert_channel,
)
from rota.operations.alerts.incidents import list_alerts, show_alert
from rota.operations.alerts.rules import (
    AlertRuleBody,
    list_alert_rules,
    put_alert_rule,
    remove_alert_rule,
)
from rota.rules.alerts.checks import read_rule


class Alerts:
    """The alerts of a namespace; get it as `app.alerts` or `client.alerts`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(
        self,
        *,
        state: str | None = None,
        rule: str | None = None,
        job: str | None = None,
        limit: int = 50,
    ) -> builtins.list[IncidentView]:
        """Return incidents, the newest first; `state` is open or closed."""
        filters = {"status": state, "rule": rule, "job": job}
        return all_items(self._backend, list_alerts, limit=limit, **filters)

    def show(self, alert_id: str) -> IncidentView:
        """Return one incident; UnknownAlert if there is none of that id."""
        return self._backend.call(show_alert, alert_id)

    def rules(self) -> dict[str, AlertRuleView]:
        """Return all alert rules by name."""
        return {each.name: each for each in self._backend.call(list_alert_rules).items}

    def put_rule(self, name: str, **fields: Any) -> AlertRuleView:
        """Create or change a rule.

        `app.alerts.put_rule("nightly", on=["run.failed"], jobs=["etl.*"], to=["oncall"])`
        """
        rule = read_rule(fields)
        body = {field: getattr(rule, field) for field in rule.__struct_fields__}
        return self._backend.call(put_alert_rule, name, AlertRuleBody(**body))

    def remove_rule(self, name: str) -> bool:
        """Remove a rule; False when there was none of that name."""
        try:
            self._backend.call(remove_alert_rule, name)
        except UnknownAlertRule:
            return False
        return True

    def channels(self) -> dict[str, AlertChannelView]:
        """Return all channels by name; their secrets are left out."""
        return {each.name: each for each in self._backend.call(list_alert_channels).items}

    def put_channel(
        self, name: str, url: str, *, secret: str | None = None, note: str = ""
    ) -> AlertChannelView:
        """Create or change a channel.

        `app.alerts.put_channel("oncall", "smtp://mail:${MAIL_PASSWORD}@mx/?from=rota@x&to=ops@x")`
        """
        return self._backend.call(
            put_alert_channel, name, AlertChannelBody(url=url, secret=secret, note=note)
        )

    def remove_channel(self, name: str) -> bool:
        """Remove a channel; False when there was none of that name."""
        try:
            self._backend.call(remove_alert_channel, name)
        except UnknownAlertChannel:
            return False
        return True

    def test(self, channel: str) -> MessageView:
        """Send a test message to a channel."""
        return self._backend.call(test_alert_channel, channel)

    def messages(
        self, *, channel: str | None = None, state: str | None = None, limit: int = 50
    ) -> builtins.list[MessageView]:
        """Return messages with their state, the newest first."""
        filters = {"channel": channel, "status": state}
        return all_items(self._backend, list_alert_messages, limit=limit, **filters)
