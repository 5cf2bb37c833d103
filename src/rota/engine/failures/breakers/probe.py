"""Probes: give due breakers their probe, and notice endings of probes that no transaction saw.

Any process may tend: each change is guarded by the breaker's turn.
"""

from __future__ import annotations

import msgspec

from rota.engine.failures.breakers.state import (
    BreakerKey,
    CircuitChange,
    circuit_of,
    follow,
    has_readable_rule,
    rule_of,
    share_seen,
    tallies_of,
)
from rota.model.admission.breaker import Circuit, ProbeFate
from rota.model.jobs.spec import Breaker
from rota.model.states import State
from rota.rules.failures.breaker import decide
from rota.store.base import Row, Tx


class DueProbes(msgspec.Struct, frozen=True, kw_only=True):
    """The breakers that have to change now, and how long until the next one may."""

    places: tuple[BreakerKey, ...] = ()
    next_in_ms: int | None = None


def due_breakers(tx: Tx) -> DueProbes:
    """Return the due breakers; reads only, so that every process may look often."""
    rows = tx.all("unsettled_breakers")
    waits = [row["probe_at"] - row["now"] for row in rows if row["probe_at"] is not None]
    return DueProbes(
        places=tuple(
            BreakerKey(row["namespace"], row["job"])
            for row in rows
            if has_readable_rule(row) and _is_due(tx, row)
        ),
        next_in_ms=min((wait for wait in waits if wait > 0), default=None),
    )


def send_probes(tx: Tx, place: BreakerKey) -> bool:
    """Change one breaker if it is still due; False if another process did, or it was not due."""
    row = tx.one("find_breaker", namespace=place.namespace, job=place.job)
    if row is None or row["rule"] is None:
        return False
    was, rule, at = circuit_of(row), rule_of(row), row["now"]
    tallies = tallies_of(tx, place, turn=was.turn) if was.state == "closed" else []
    now = decide(
        was,
        tallies,
        rule=rule,
        now_ms=at,
        fate=_fate(tx, was),
        candidate=_candidate(tx, place) if _is_cool(was, at) else None,
    )
    seen = share_seen(tallies, rule, at=at)
    return follow(tx, place, CircuitChange(was=was, now=now, at=at, seen=seen))


def _is_due(tx: Tx, row: Row) -> bool:
    was, at = circuit_of(row), row["now"]
    if was.state == "open":
        return _is_cool(was, at)
    if was.state == "half_open":
        return _fate(tx, was) != "waits"
    return _would_open(tx, row, was, rule_of(row))


def _would_open(tx: Tx, row: Row, was: Circuit, rule: Breaker) -> bool:
    tallies = tallies_of(tx, BreakerKey(row["namespace"], row["job"]), turn=was.turn)
    return decide(was, tallies, rule=rule, now_ms=row["now"]) is not was


def _is_cool(circuit: Circuit, at: int) -> bool:
    is_open = circuit.state == "open" and not circuit.stays
    return is_open and circuit.probe_at is not None and circuit.probe_at <= at


def _candidate(tx: Tx, place: BreakerKey) -> str | None:
    row = tx.one("pick_probe", namespace=place.namespace, job=place.job)
    return str(row["id"]) if row else None


def _fate(tx: Tx, circuit: Circuit) -> ProbeFate:
    """Return the fate of a probe; the transaction that ended it mostly knows it already.

    It does not when the probe was cancelled or expired in its queue, or was ended by a worker whose
    program does not know of the breaker yet.
    """
    if circuit.probe_id is None:
        return "waits"
    row = tx.one("find_probe", id=circuit.probe_id)
    match row["state"] if row else None:
        case State.QUEUED | State.RUNNING:
            return "waits"
        case State.SUCCESS:
            return "good"
        case State.SCHEDULED:
            return "bad"
        case State.FAILED if row and row["attempt"]:
            return "bad"
    return "gone"
