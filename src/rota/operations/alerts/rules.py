"""Operations on alert rules: list them, create or change one, remove one."""

from __future__ import annotations

from collections.abc import Collection

from rota.engine.alerts import rules as engine
from rota.engine.locks import lock_name
from rota.errors import NotPermitted, UnknownAlertRule
from rota.model.alerts.rule import (
    AlertKind,
    AlertRule,
    AlertRuleView,
    Grouping,
    QuietHours,
    Severity,
)
from rota.model.schedules.definitions import Removed
from rota.model.view import Body, Page
from rota.operations.audit_changes import tell_changed
from rota.operations.caller import Caller
from rota.operations.etags import check_match, etag_of
from rota.operations.operation import changes, nothing_changed, reads
from rota.rules.text.names import check_name
from rota.store.base import Tx


class AlertRuleBody(Body):
    """The alerts that a rule sends, and its channels."""

    on: tuple[AlertKind, ...]
    """Kinds of alerts."""
    to: tuple[str, ...]
    """Names of channels."""
    jobs: tuple[str, ...] = ()
    """Names of jobs, `*` stands for any text; empty for all jobs."""
    queues: tuple[str, ...] = ()
    """Names of queues, `*` stands for any text; empty for all queues."""
    severity: Severity = "error"
    group: Grouping = "job"
    """Failed runs of one job, of one job and cause, or of one rule share an incident."""
    after: int = 1
    """Failed runs before an incident is opened, counted over `window`."""
    window: str = "10m"
    repeat: str | None = "4h"
    """The time between reminders of an incident that goes on; null for none."""
    recovery: bool = True
    """Whether people are told when an incident is over."""
    quiet: QuietHours | None = None
    """The hours in which only critical alerts are sent."""
    at_most: int = 10
    """Messages in ten minutes; what is beyond is told in one message."""
    enabled: bool = True
    note: str = ""


def _etag(rule: AlertRuleView) -> str:
    """Return the ETag of what people have written, without what the store counts."""
    counted = ("open", "missing", "verbs")
    return etag_of(*(getattr(rule, each) for each in rule.__struct_fields__ if each not in counted))


@reads("/alert-rules")
def list_alert_rules(tx: Tx, caller: Caller) -> Page[AlertRuleView]:
    """All alert rules, by name."""
    _check_whole(caller)
    channels = set(engine.channels(tx, namespace=caller.namespace))
    found = engine.rules(tx, namespace=caller.namespace)
    return Page(items=[_view(caller, each, channels) for each in found])


@reads("/alert-rules/{name}", etag=_etag)
def show_alert_rule(tx: Tx, caller: Caller, name: str) -> AlertRuleView:
    """An alert rule."""
    _check_whole(caller)
    return _find(tx, caller, name)


@changes("PUT", "/alert-rules/{name}", verb="put alert rule")
def put_alert_rule(
    tx: Tx,
    caller: Caller,
    name: str,
    body: AlertRuleBody,
    *,
    if_match: str | None = None,
    if_none_match: str | None = None,
) -> AlertRuleView:
    """Create or change an alert rule; it counts from the next look, within seconds."""
    check_name("rule", name)
    _check_whole(caller)
    lock_name(tx, "alert rule", name, namespace=caller.namespace)
    present = [each for each in engine.rules(tx, namespace=caller.namespace) if each.name == name]
    etag = _etag(_view(caller, present[0], ())) if present else None
    check_match(if_match, etag, if_none_match=if_none_match)
    rule = AlertRule(**{field: getattr(body, field) for field in body.__struct_fields__})
    engine.put_rule(tx, name, rule, namespace=caller.namespace)
    tell_changed(tx, caller, present[0].rule if present else None, rule)
    if present and present[0].rule == rule:
        nothing_changed(tx, caller)
    return _find(tx, caller, name)


@changes("DELETE", "/alert-rules/{name}", verb="remove alert rule")
def remove_alert_rule(tx: Tx, caller: Caller, name: str, *, if_match: str | None = None) -> Removed:
    """Remove an alert rule; its open incidents are closed, and nobody is told."""
    _check_whole(caller)
    lock_name(tx, "alert rule", name, namespace=caller.namespace)
    check_match(if_match, _etag(_find(tx, caller, name)))
    engine.remove_rule(tx, name, namespace=caller.namespace)
    return Removed(name=name)


def _check_whole(caller: Caller) -> None:
    """NotPermitted for a caller who sees some queues only: rules are about all of them."""
    if not caller.sees_all_queues:
        raise NotPermitted("alert rules are about all queues, and the credential reaches some")


def _find(tx: Tx, caller: Caller, name: str) -> AlertRuleView:
    channels = set(engine.channels(tx, namespace=caller.namespace))
    for each in engine.rules(tx, namespace=caller.namespace):
        if each.name == name:
            return _view(caller, each, channels)
    raise UnknownAlertRule(name)


def _view(caller: Caller, stored: engine.StoredRule, channels: Collection[str]) -> AlertRuleView:
    return AlertRuleView(
        name=stored.name,
        **{field: getattr(stored.rule, field) for field in stored.rule.__struct_fields__},
        open=stored.open,
        missing=tuple(each for each in stored.rule.to if each not in channels),
        verbs=caller.may("edit", "delete"),
    )
