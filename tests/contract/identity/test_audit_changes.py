"""The audit tells which fields of a definition a change gave other values."""

from __future__ import annotations

from typing import Any

from rota.engine.identity.audit_log import acts
from rota.model.identity.audit import AuditEntry
from rota.model.schedules.definitions import Calendar
from rota.operations.admission.windows import BlackoutBody, put_blackout
from rota.operations.alerts.rules import AlertRuleBody, put_alert_rule
from rota.operations.schedules.bodies import ScheduleBody
from rota.operations.schedules.calendars import put_calendar
from rota.operations.schedules.schedules import put_schedule
from rota.store.base import Store
from tests.contract.backends import backend_of
from tests.contract.builders import HOME
from tests.contract.failures.breaker_builders import given_job


def put(store: Store, operation: Any, *bodies: Any) -> list[AuditEntry]:
    """The entries of one change after another, the oldest first."""
    ann = backend_of(store).acting_as("ann@here")
    for body in bodies:
        ann.call(operation, "one", body)
    return store.read(lambda tx: acts(tx, namespace=HOME))[::-1]


def test_a_change_tells_each_field_before_and_after(store: Store) -> None:
    rule = AlertRuleBody(on=("run.failed",), to=("ops",))
    other = AlertRuleBody(on=("run.failed",), to=("ops", "boss"), severity="critical")

    made, changed = put(store, put_alert_rule, rule, other)

    assert made.detail == {}, "there was nothing before"
    assert changed.detail == {
        "changed": {
            "to": {"before": ["ops"], "after": ["ops", "boss"]},
            "severity": {"before": "error", "after": "critical"},
        }
    }


def test_a_schedule_tells_its_trigger_and_its_arguments(store: Store) -> None:
    given_job(store)
    nightly = ScheduleBody(job="noop", expression="0 2 * * *")
    later = ScheduleBody(job="noop", expression="0 3 * * *")

    *_, changed = put(store, put_schedule, nightly, later)

    assert set(changed.detail["changed"]) == {"trigger"}
    assert changed.detail["changed"]["trigger"]["after"]["expression"] == "0 3 * * *"


def test_calendars_and_windows_tell_it_too(store: Store) -> None:
    _, calendar = put(store, put_calendar, Calendar(), Calendar(country="FR"))
    hour = BlackoutBody(kind="skip", trigger="0 2 * * sun", duration="1h")
    longer = BlackoutBody(kind="skip", trigger="0 2 * * sun", duration="2h")
    *_, changed = put(store, put_blackout, hour, longer)

    assert calendar.detail["changed"] == {"country": {"before": None, "after": "FR"}}
    assert set(changed.detail["changed"]) == {"duration"}


def test_a_long_value_is_cut(store: Store) -> None:
    rule = AlertRuleBody(on=("run.failed",), to=("ops",), note="x" * 2_000)

    *_, changed = put(store, put_alert_rule, AlertRuleBody(on=rule.on, to=rule.to), rule)

    assert len(changed.detail["changed"]["note"]["after"]) < 600
