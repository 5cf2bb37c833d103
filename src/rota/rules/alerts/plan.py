"""The plan of one look: which incidents open, go on and close, and what people are told.

A rule tells of an incident when it opens, again after `repeat` while it goes on, and when it is
over. In quiet hours only critical alerts are told; others wait for their end. A rule sends at most
`at_most` messages in ten minutes; what is due beyond that is told in one message, a minute later.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from rota.model.alerts.finding import AlertFinding, OpenIncident
from rota.model.alerts.incident import MessageKind
from rota.model.alerts.rule import AlertRule
from rota.rules.alerts.matching import OF_RUNS, PAST, covered
from rota.rules.alerts.quiet import is_quiet
from rota.rules.text.duration import parse_duration

SETTLED_MS = 300_000
"""How long nothing may happen before what has happened is over: a job that fails now and then has
one incident, not one for each failure."""
FORGOTTEN_MS = 86_400_000
"""After this time without anything new an incident is closed, and nobody is told."""
BUDGET_MS = 600_000
"""The span in which a rule sends at most `at_most` messages."""
DIGEST_MS = 60_000
"""The least time between messages of a rule that has used up its messages."""
MOST_OPEN = 200
"""Open incidents of one rule; what is beyond shares one."""
OTHERS = "others"


Closed = Mapping[tuple[str, str], int]
"""When incidents that were closed lately were last seen, by kind and subject: the failures that
they were about open no new ones."""


class Told(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a rule in the last ten minutes."""

    messages: int = 0
    last_at: int | None = None


class IncidentChange(msgspec.Struct, frozen=True, kw_only=True):
    """An incident as it is to be stored."""

    incident: OpenIncident
    is_new: bool
    closed_at: int | None = None
    was_messages: int = 0
    """The number of messages that its row has while nobody else has told people."""


class Announcement(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a rule about one or more incidents."""

    kind: MessageKind
    changes: tuple[IncidentChange, ...]


class AlertPlan(msgspec.Struct, frozen=True, kw_only=True):
    """The changes that one look makes for one rule."""

    announcements: tuple[Announcement, ...] = ()
    silent: tuple[IncidentChange, ...] = ()
    """Changes that nobody is told of."""


def plan_rule(  # noqa: PLR0913  # what is known of one rule, all named
    name: str,
    rule: AlertRule,
    *,
    findings: Sequence[AlertFinding],
    present: Sequence[OpenIncident],
    closed: Closed,
    told: Told,
    now: int,
) -> AlertPlan:
    """Return what to store and to tell; `present` are the incidents of this rule that are open."""
    due: list[tuple[MessageKind, IncidentChange]] = []
    silent: list[IncidentChange] = []
    for change in _changes(name, rule, findings, present, closed, now):
        kind = _kind(rule, change, now)
        if kind is None:
            silent.append(change)
        else:
            due.append((kind, change))
    return _within_budget(rule, due, silent, told, now)


def _changes(
    name: str,
    rule: AlertRule,
    findings: Sequence[AlertFinding],
    present: Sequence[OpenIncident],
    closed: Closed,
    now: int,
) -> Iterator[IncidentChange]:
    found = {(each.kind, each.subject): each for each in covered(rule, findings)}
    own = [each for each in present if each.subject != OTHERS]
    for incident in own:
        finding = found.pop((incident.kind, incident.subject), None)
        yield _continued(rule, incident, finding, now)
    fresh = [each for key, each in found.items() if each.opens and each.at > closed.get(key, -1)]
    fresh.sort(key=lambda each: (-each.at, each.subject))
    room = max(0, MOST_OPEN - len(own))
    for each in fresh[:room]:
        yield _opened(name, rule, each, now)
    shared = _shared(fresh[room:])
    for incident in (each for each in present if each.subject == OTHERS):
        yield _continued(rule, incident, shared, now)
        shared = None
    if shared is not None:
        yield _opened(name, rule, shared, now)


def _opened(name: str, rule: AlertRule, finding: AlertFinding, now: int) -> IncidentChange:
    incident = OpenIncident(
        id="",
        rule=name,
        kind=finding.kind,
        subject=finding.subject,
        severity=rule.severity,
        title=finding.title,
        advice=finding.advice,
        job=finding.job,
        cause=finding.cause,
        queue=finding.queue,
        run_id=finding.run_id,
        opened_at=min(finding.at, now),
        last_at=finding.at,
    )
    return IncidentChange(incident=incident, is_new=True)


def _shared(findings: Sequence[AlertFinding]) -> AlertFinding | None:
    """Return the one finding of all those for which there is no room."""
    if not findings:
        return None
    return AlertFinding(
        kind=findings[0].kind,
        subject=OTHERS,
        title=f"{len(findings):,} more like these",
        at=max(each.at for each in findings),
        advice="Too many incidents of this rule are open: narrow the rule, or group it.",
    )


def _continued(
    rule: AlertRule, incident: OpenIncident, finding: AlertFinding | None, now: int
) -> IncidentChange:
    last_at = incident.last_at if finding is None else max(finding.at, incident.last_at)
    is_over = _is_over(incident, last_at, now) if incident.kind in PAST else finding is None
    return IncidentChange(
        incident=replace(incident, last_at=last_at),
        is_new=False,
        closed_at=now if is_over or not rule.enabled else None,
        was_messages=incident.messages,
    )


def _is_over(incident: OpenIncident, last_at: int, now: int) -> bool:
    """Whether what has happened is over: nobody is told of that unless a job succeeds again."""
    quiet_ms = now - last_at
    if incident.kind not in OF_RUNS:
        return incident.messages > 0 and quiet_ms >= SETTLED_MS
    return quiet_ms >= FORGOTTEN_MS or (incident.has_recovered and quiet_ms >= SETTLED_MS)


def _kind(rule: AlertRule, change: IncidentChange, now: int) -> MessageKind | None:
    """Return the message that is due for this change; None if nobody is to be told now."""
    incident = change.incident
    if change.closed_at is not None:
        is_told = rule.enabled and rule.recovery and incident.messages > 0
        return "recovered" if is_told and _has_ended_well(incident) else None
    if incident.severity != "critical" and is_quiet(rule.quiet, now):
        return None
    if incident.messages == 0:
        return "opened"
    if rule.repeat is None or incident.told_at is None:
        return None
    is_time = now - incident.told_at >= parse_duration(rule.repeat)
    is_news = incident.kind not in PAST or incident.last_at > incident.told_at
    return "reminder" if is_time and is_news else None


def _has_ended_well(incident: OpenIncident) -> bool:
    return incident.kind not in PAST or incident.has_recovered


def _within_budget(
    rule: AlertRule,
    due: Sequence[tuple[MessageKind, IncidentChange]],
    silent: list[IncidentChange],
    told: Told,
    now: int,
) -> AlertPlan:
    if not due:
        return AlertPlan(silent=tuple(silent))
    if told.messages + len(due) <= rule.at_most:
        single = tuple(Announcement(kind=kind, changes=(_told(each, now),)) for kind, each in due)
        return AlertPlan(announcements=single, silent=tuple(silent))
    if told.last_at is not None and now - told.last_at < DIGEST_MS:
        # Nothing is lost: what is not told now is due at the next look. What closes stays open.
        waiting = [each for _, each in due if each.closed_at is None]
        return AlertPlan(silent=(*silent, *waiting))
    whole = Announcement(kind="digest", changes=tuple(_told(each, now) for _, each in due))
    return AlertPlan(announcements=(whole,), silent=tuple(silent))


def _told(change: IncidentChange, now: int) -> IncidentChange:
    messages = change.incident.messages + 1
    return replace(change, incident=replace(change.incident, messages=messages, told_at=now))
