"""The figures of a run: what was done, how fast it was got over, how much went through."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from chaos.facts import Facts, Tried
from chaos.faults import KILLS, STOPS
from chaos.nemesis import Death, Deeds


def figures(facts: Facts, deeds: Deeds, *, took_s: float) -> dict[str, Any]:
    """Numbers by name; times in seconds."""
    states = Counter(end.state for end in facts.ended)
    reasons = Counter(end.reason for end in facts.ended if end.state == "failed")
    return {
        "jobs": len(facts.ended),
        **{name: states[name] for name in ("success", "failed", "cancelled")},
        "failed by reason": dict(reasons),
        "attempts lost with their worker": sum(each.kind == "lost" for each in facts.tried),
        "kills": sum(deeds.counts[kind] for kind in KILLS),
        "stops": sum(deeds.counts[kind] for kind in STOPS),
        "PostgreSQL crashes": deeds.counts["crash_postgres"],
        "PgBouncer crashes": deeds.counts["crash_pooler"],
        "cuts and silences": deeds.counts["cut"] + deeds.counts["silence"],
        "graceful restarts": deeds.counts["restart_worker"],
        "amnesties after a gap in reaping": len(facts.amnesties),
        "calls unanswered or unknown": sum(call.answer == "unknown" for call in facts.calls),
        "calls failed": sum(call.answer == "fail" for call in facts.calls),
        "kill of a worker process to claimable": spread(recoveries(facts, deeds, "kill_child")),
        "kill of worker and supervisor to claimable": spread(
            recoveries(facts, deeds, "kill_worker")
        ),
        "host vanished to claimable": spread(recoveries(facts, deeds, "vanish")),
        "PostgreSQL back to first completion": spread(resumptions(facts, deeds)),
        "drain after the last fault": round(facts.drain_ms / 1000, 1),
        "took": round(took_s, 1),
        "runs a second": round(len(facts.ended) / took_s, 1),
    }


def recoveries(facts: Facts, deeds: Deeds, kind: str) -> list[float]:
    """Seconds from each death of that kind until a run of the dead could be claimed again.

    While PostgreSQL is away nobody could claim anything: that time is told apart (`slowest`).
    """
    died = {death.worker_id: death for death in deeds.deaths if death.kind == kind}
    return [
        (each.ended_ms - died[each.worker_id].at_ms - away_ms(died[each.worker_id], each, deeds))
        / 1000
        for each in facts.tried
        if each.kind == "lost" and each.worker_id in died
    ]


def away_ms(death: Death, lost: Tried, deeds: Deeds) -> int:
    """How much of the time between the two PostgreSQL was crashed and not yet back."""
    return sum(
        max(0, min(back_ms, lost.ended_ms) - max(went_ms, death.at_ms))
        for went_ms, back_ms in deeds.outages
    )


def slowest(facts: Facts, deeds: Deeds, most: int = 20) -> list[dict[str, Any]]:
    """The deaths whose runs waited longest, to be looked up in the logs."""
    died = {death.worker_id: death for death in deeds.deaths}
    last: dict[str, Tried] = {}
    for each in facts.tried:
        if each.kind == "lost" and each.worker_id in died:
            known = last.setdefault(each.worker_id, each)
            last[each.worker_id] = max(known, each, key=lambda tried: tried.ended_ms)
    found = [
        {
            **asdict(died[worker]),
            "claimable_ms": tried.ended_ms - died[worker].at_ms,
            "postgres_away_ms": away_ms(died[worker], tried, deeds),
        }
        for worker, tried in last.items()
    ]
    found.sort(key=lambda each: each["postgres_away_ms"] - each["claimable_ms"])
    return found[:most]


def resumptions(facts: Facts, deeds: Deeds) -> list[float]:
    """Seconds from each return of PostgreSQL until the first success after it."""
    ends = sorted(end.finished_ms for end in facts.ended if end.state == "success")
    found = []
    for _, at_ms in deeds.outages:
        at = bisect_left(ends, at_ms)
        if at < len(ends):
            found.append((ends[at] - at_ms) / 1000)
    return found


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Count, median, 99th percentile and maximum."""
    if not seconds:
        return {"count": 0}
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [*seconds] * 99
    return {
        "count": len(seconds),
        "p50": round(cuts[49], 2),
        "p99": round(cuts[98], 2),
        "max": round(max(seconds), 2),
    }
