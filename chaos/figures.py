"""The figures of a run: the work, the recovery times and the throughput."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import quantiles
from typing import Any

from chaos.facts import Facts, Tried
from chaos.faults import KILLS, STOPS
from chaos.nemesis import Deeds


def figures(facts: Facts, deeds: Deeds, *, took_s: float) -> dict[str, Any]:
    """Return numbers by name; times are in seconds."""
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
        "failovers": deeds.counts["fail_over"],
        "silences of the standby": deeds.counts["silence_standby"],
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
        "PostgreSQL back to first completion": spread(
            resumptions(facts, deeds, "crash_postgres", "crash_pooler")
        ),
        **_failover_figures(facts, deeds),
        "most connections of a process": max(facts.sessions.values(), default=0),
        "drain after the last fault": round(facts.drain_ms / 1000, 1),
        "took": round(took_s, 1),
        "runs a second": round(len(facts.ended) / took_s, 1),
    }


def _failover_figures(facts: Facts, deeds: Deeds) -> dict[str, Any]:
    """Return the figures of failovers; None for a run without a standby."""
    if not deeds.counts["fail_over"]:
        return {}
    lasted = [
        (each.back_ms - each.went_ms) / 1000 for each in deeds.outages if each.kind == "fail_over"
    ]
    return {
        "kill of the primary to a new one": spread(lasted),
        "new primary to first completion": spread(resumptions(facts, deeds, "fail_over")),
        "end of a silence to first completion": spread(
            resumptions(facts, deeds, "silence_standby")
        ),
    }


def recoveries(facts: Facts, deeds: Deeds, kind: str) -> list[float]:
    """Return the seconds from each such death until a run of the dead worker could be claimed.

    While PostgreSQL is away nobody can claim, so that time is reported separately (`slowest`).
    """
    died = {death.worker_id: death for death in deeds.deaths if death.kind == kind}
    return [
        _seconds(died[each.worker_id].at_ms, each.ended_ms, deeds)
        for each in facts.tried
        if each.kind == "lost" and each.worker_id in died
    ]


def _seconds(from_ms: int, to_ms: int, deeds: Deeds) -> float:
    """Return the seconds without the time in which nothing could be committed."""
    return (to_ms - from_ms - away_ms(from_ms, to_ms, deeds)) / 1000


def away_ms(from_ms: int, to_ms: int, deeds: Deeds) -> int:
    """Return how much of the time between the two nothing could be committed."""
    return sum(
        max(0, min(each.back_ms, to_ms) - max(each.went_ms, from_ms)) for each in deeds.outages
    )


def slowest(facts: Facts, deeds: Deeds, most: int = 20) -> list[dict[str, Any]]:
    """Return the deaths whose runs waited longest, for a look into the logs."""
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
            "postgres_away_ms": away_ms(died[worker].at_ms, tried.ended_ms, deeds),
        }
        for worker, tried in last.items()
    ]
    found.sort(key=lambda each: each["postgres_away_ms"] - each["claimable_ms"])
    return found[:most]


def outages(facts: Facts, deeds: Deeds) -> list[dict[str, Any]]:
    """Return each outage with the first success after it, for a look into the logs."""
    ends = sorted(end.finished_ms for end in facts.ended if end.state == "success")
    return [
        {**each._asdict(), "resumed_ms": next(iter(ends[bisect_left(ends, each.back_ms) :]), None)}
        for each in deeds.outages
    ]


def resumptions(facts: Facts, deeds: Deeds, *kinds: str) -> list[float]:
    """Return the seconds from the end of each such outage until the first success after it.

    If the next outage comes before a success, its time is not counted.
    """
    return [
        _seconds(each["back_ms"], each["resumed_ms"], deeds)
        for each in outages(facts, deeds)
        if each["kind"] in kinds and each["resumed_ms"] is not None
    ]


def spread(seconds: Sequence[float]) -> dict[str, float]:
    """Return count, median, 99th percentile and maximum."""
    if not seconds:
        return {"count": 0}
    cuts = quantiles(seconds, n=100, method="inclusive") if len(seconds) > 1 else [*seconds] * 99
    return {
        "count": len(seconds),
        "p50": round(cuts[49], 2),
        "p99": round(cuts[98], 2),
        "max": round(max(seconds), 2),
    }
