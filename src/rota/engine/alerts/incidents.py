"""Incidents: look for what is wrong, and store what follows with the messages about it.

A look is read in one transaction and stored in another one. Each stored row is guarded: if two
processes look at the same time, one of them opens an incident or tells of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from rota.engine.alerts.findings import findings
from rota.engine.alerts.look import Look
from rota.engine.alerts.rules import StoredRule, rules
from rota.engine.runs.find import now_ms
from rota.ids import new_id
from rota.model.alerts.finding import AlertFinding, OpenIncident
from rota.rules.alerts.matching import OF_RUNS
from rota.rules.alerts.plan import (
    BUDGET_MS,
    FORGOTTEN_MS,
    AlertPlan,
    Announcement,
    Closed,
    IncidentChange,
    Told,
    plan_rule,
)
from rota.rules.alerts.words import facts_of, title_of
from rota.rules.text.duration import parse_duration
from rota.store.base import Row, Tx

LOOKBACK_MS = 60_000
"""How far back each look reads failed runs: longer than a commit may be under way."""
SWEEP_MS = 3_600_000
"""How far back a look reads now and then: nothing may have looked for a while."""
MOST_OPEN = 10_000
LOOKED_AT = 100
"""The newest runs of a job among which a success is looked for."""
MAX_TITLE = 300


class RulePlan(NamedTuple):
    """The changes that one look makes for one rule, and where to tell them."""

    namespace: str
    name: str
    to: tuple[str, ...]
    plan: AlertPlan
    now: int


def look(tx: Tx, *, sweeps: bool = False) -> list[RulePlan]:
    """Return what has to be stored, for all rules of all namespaces; nothing without rules."""
    by_namespace: dict[str, list[StoredRule]] = {}
    for each in rules(tx, namespace=None):
        by_namespace.setdefault(each.namespace, []).append(each)
    if not by_namespace:
        return []
    now = now_ms(tx)
    return [
        plan
        for namespace, own in by_namespace.items()
        for plan in _plans(tx, namespace, own, now, sweeps=sweeps)
    ]


def _plans(
    tx: Tx, namespace: str, own: Sequence[StoredRule], now: int, *, sweeps: bool
) -> list[RulePlan]:
    present = _present(tx, namespace)
    told = _told(tx, namespace, now)
    closed = _closed(tx, namespace, now)
    seen: dict[int, list[AlertFinding]] = {}
    kinds = {kind for each in own if each.rule.enabled for kind in each.rule.on}
    plans = []
    for each in own:
        since = now - _lookback_ms(each, sweeps=sweeps)
        if since not in seen:
            seen[since] = findings(tx, Look(namespace, now, since), kinds)
        plan = plan_rule(
            each.name,
            each.rule,
            findings=seen[since],
            present=present.get(each.name, []),
            closed=closed.get(each.name, {}),
            told=told.get(each.name, Told()),
            now=now,
        )
        named = _named(tx, namespace, plan, since)
        plans.append(RulePlan(namespace, each.name, each.rule.to, named, now))
    return plans


def _lookback_ms(stored: StoredRule, *, sweeps: bool) -> int:
    window_ms = parse_duration(stored.rule.window) if stored.rule.after > 1 else LOOKBACK_MS
    return max(window_ms, SWEEP_MS if sweeps and stored.rule.after == 1 else LOOKBACK_MS)


def _present(tx: Tx, namespace: str) -> dict[str, list[OpenIncident]]:
    present: dict[str, list[OpenIncident]] = {}
    for row in tx.all("open_incidents", namespace=namespace, limit=MOST_OPEN):
        incident = _incident(row)
        recovered = incident.kind in OF_RUNS and _has_recovered(tx, namespace, incident)
        present.setdefault(incident.rule, []).append(replace(incident, has_recovered=recovered))
    return present


def _incident(row: Row) -> OpenIncident:
    run_id = None if row["run_id"] is None else str(row["run_id"])
    facts = {name: row[name] for name in OpenIncident.__struct_fields__ if name != "has_recovered"}
    return OpenIncident(**{**facts, "id": str(row["id"]), "run_id": run_id})


def _has_recovered(tx: Tx, namespace: str, incident: OpenIncident) -> bool:
    """Whether one of the newest runs of the job has succeeded after the last failure."""
    if incident.job is None:
        return False
    at = {"namespace": namespace, "job": incident.job, "since": incident.last_at}
    return bool(tx.all("succeeded_since", most=LOOKED_AT, **at))


def _told(tx: Tx, namespace: str, now: int) -> dict[str, Told]:
    rows = tx.all("told_lately", namespace=namespace, since=now - BUDGET_MS)
    return {row["rule"]: Told(messages=row["messages"], last_at=row["last_at"]) for row in rows}


def _closed(tx: Tx, namespace: str, now: int) -> dict[str, Closed]:
    closed: dict[str, dict[tuple[str, str], int]] = {}
    for row in tx.all("closed_lately", namespace=namespace, since=now - FORGOTTEN_MS):
        closed.setdefault(row["rule"], {})[row["kind"], row["subject"]] = row["last_at"]
    return dict(closed)


def _named(tx: Tx, namespace: str, plan: AlertPlan, since: int) -> AlertPlan:
    """Return the plan with ids, and with the newest error of new incidents of failed runs."""
    return replace(
        plan,
        silent=tuple(_filled(tx, namespace, each, since) for each in plan.silent),
        announcements=tuple(
            replace(
                each,
                changes=tuple(_filled(tx, namespace, change, since) for change in each.changes),
            )
            for each in plan.announcements
        ),
    )


def _filled(tx: Tx, namespace: str, change: IncidentChange, since: int) -> IncidentChange:
    if not change.is_new:
        return change
    incident = replace(change.incident, id=new_id())
    if incident.kind in OF_RUNS:
        at = {"namespace": namespace, "job": incident.job, "cause": incident.cause, "since": since}
        for row in tx.all("newest_failure", **at):
            named = f"{row['error_type']}: " if row["error_type"] else ""
            error = f"{named}{row['message'] or row['reason']}"
            title = f"{incident.title}: {error}".replace("\n", " ")[:MAX_TITLE]
            incident = replace(incident, title=title, run_id=str(row["run_id"]))
    return replace(change, incident=incident)


def list_incidents(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    state: str | None = None,
    rule: str | None = None,
    job: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[Row]:
    """Return incidents, the newest first; `before` is the last id of the page before."""
    filters = {"state": state, "rule": rule, "job": job, "before": before}
    return tx.all("list_incidents", namespace=namespace, limit=limit, **filters)


def failed_runs_of(tx: Tx, row: Row, *, namespace: str) -> int | None:
    """Return how many runs failed in an incident; None for one that is not about runs."""
    if row["kind"] not in OF_RUNS:
        return None
    at = {"namespace": namespace, "job": row["job"], "cause": row["cause"]}
    (found,) = tx.all("failed_since", since=row["opened_at"], until=row["last_at"], **at)
    return int(found["runs"])


def store_plans(tx: Tx, plans: Sequence[RulePlan]) -> int:
    """Store what a look found; return how many messages wait to be sent because of it."""
    return sum(_store(tx, each) for each in plans)


def _store(tx: Tx, found: RulePlan) -> int:
    for change in found.plan.silent:
        write_incident(tx, change, namespace=found.namespace)
    messages = 0
    for announcement in found.plan.announcements:
        kept = [
            each
            for each in announcement.changes
            if write_incident(tx, each, namespace=found.namespace)
        ]
        if kept:
            own = replace(announcement, changes=tuple(kept))
            messages += _announce(tx, found, own)
    return messages


def write_incident(tx: Tx, change: IncidentChange, *, namespace: str) -> bool:
    """Write one incident; False when another process was faster."""
    facts = msgspec.structs.asdict(change.incident)
    del facts["has_recovered"]
    if change.is_new:
        return tx.execute("open_incident", namespace=namespace, **facts) > 0
    moved = {name: facts[name] for name in ("id", "last_at", "messages", "told_at")}
    return (
        tx.execute(
            "move_incident",
            namespace=namespace,
            closed_at=change.closed_at,
            was_messages=change.was_messages,
            **moved,
        )
        > 0
    )


def _announce(tx: Tx, found: RulePlan, announcement: Announcement) -> int:
    title = title_of(found.name, announcement)
    for channel in found.to:
        message_id = new_id()
        facts = facts_of(
            announcement,
            message_id=message_id,
            namespace=found.namespace,
            title=title,
            now=found.now,
        )
        put_message(tx, message_id, facts, channel=channel, namespace=found.namespace)
    return len(found.to)


def put_message(
    tx: Tx, message_id: str, facts: Mapping[str, object], *, channel: str, namespace: str
) -> None:
    """Put a message into the outbox."""
    tx.execute(
        "insert_alert_message",
        id=message_id,
        namespace=namespace,
        channel=channel,
        rule=facts["rule"],
        kind=facts["kind"],
        title=facts["title"],
        payload=msgspec.json.encode(facts).decode(),
    )
