"""The words of a message: its title, and the facts that programs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rota.clock import to_text
from rota.model.alerts.incident import MessageKind
from rota.rules.alerts.plan import Announcement, IncidentChange

NAMED = 20
"""Incidents that a message lists by name."""
MAX_TITLE = 300
_HEADS: Mapping[MessageKind, str] = {
    "opened": "{title}",
    "reminder": "Still: {title}",
    "recovered": "Over: {title}",
}


def title_of(rule: str, announcement: Announcement) -> str:
    """Return the headline of a message."""
    if announcement.kind == "digest":
        many = len(announcement.changes)
        over = sum(each.closed_at is not None for each in announcement.changes)
        ended = f", {over:,} of them over" if over else ""
        return f"{many:,} alerts of the rule {rule}{ended}"
    (change,) = announcement.changes
    title = _HEADS[announcement.kind].format(title=change.incident.title)
    return title if len(title) <= MAX_TITLE else f"{title[: MAX_TITLE - 1]}…"


def facts_of(
    announcement: Announcement, *, message_id: str, namespace: str, title: str, now: int
) -> dict[str, Any]:
    """Return the JSON object that a webhook receives, and that the text of others is made of."""
    first = announcement.changes[0].incident
    shown = announcement.changes[:NAMED]
    return {
        "id": message_id,
        "kind": announcement.kind,
        "at": to_text(now),
        "namespace": namespace,
        "rule": first.rule,
        "severity": first.severity,
        "title": title,
        "incidents": [incident_facts(each) for each in shown],
        "more": len(announcement.changes) - len(shown),
    }


def incident_facts(change: IncidentChange) -> dict[str, Any]:
    """Return the facts of one incident."""
    incident = change.incident
    facts = {
        "id": incident.id,
        "kind": incident.kind,
        "subject": incident.subject,
        "title": incident.title,
        "advice": incident.advice,
        "job": incident.job,
        "queue": incident.queue,
        "runId": incident.run_id,
        "openedAt": to_text(incident.opened_at),
        "lastAt": to_text(incident.last_at),
        "closedAt": None if change.closed_at is None else to_text(change.closed_at),
    }
    return {name: value for name, value in facts.items() if value is not None}


def text_of(facts: Mapping[str, Any]) -> str:
    """Return the message as plain text, for channels that people read."""
    incidents: Sequence[Mapping[str, Any]] = facts.get("incidents", ())
    lines = [line for each in incidents for line in _lines(each, is_alone=len(incidents) == 1)]
    if facts.get("more"):
        lines.append(f"and {facts['more']:,} more: `rota alerts`")
    lines.append(f"rule {facts['rule']} · {facts['severity']} · namespace {facts['namespace']}")
    return "\n".join(lines)


def _lines(incident: Mapping[str, Any], *, is_alone: bool) -> list[str]:
    if not is_alone:
        ended = " (over)" if "closedAt" in incident else ""
        return [f"- {incident['title']}{ended}"]
    begin = f"since {incident['openedAt']}"
    ended = f", over since {incident['closedAt']}" if "closedAt" in incident else ""
    lines = [f"{begin}, last seen {incident['lastAt']}{ended}"]
    if "runId" in incident:
        lines.append(f"newest run: {incident['runId']} (`rota runs show {incident['runId']}`)")
    if "advice" in incident:
        lines.append(incident["advice"])
    return lines
