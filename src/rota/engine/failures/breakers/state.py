"""The state of breakers in the store: read, judged by tallies, changed under guard, reported."""

from __future__ import annotations

import msgspec

from rota.engine.admission.release import release
from rota.engine.alerts.outbox import raise_alert
from rota.engine.failures.batch_isolation import set_aside
from rota.engine.values.stored_text import read
from rota.engine.wakeup_keys import recall_key
from rota.errors import BadInput
from rota.model.admission.breaker import Circuit, Tally
from rota.model.jobs.spec import Breaker
from rota.rules.failures.breaker import count, times_of
from rota.store.base import Row, Tx

_rule = msgspec.json.Decoder(Breaker)


class BreakerKey(msgspec.Struct, frozen=True):
    """The key of a breaker: its namespace and its job."""

    namespace: str
    job: str


def rule_of(row: Row) -> Breaker:
    return read(_rule, row["rule"], f"the rule of the breaker of job {row['job']}")


def has_readable_rule(row: Row) -> bool:
    """Whether the rule can be read; otherwise the breaker judges nothing and stops no ending."""
    try:
        times_of(rule_of(row))
    except BadInput as error:
        set_aside(f"the breaker of job {row['job']}", error)
        return False
    return True


def circuit_of(row: Row) -> Circuit:
    return Circuit(
        state=row["state"],
        turn=row["turn"],
        opened_at=row["opened_at"],
        probe_at=row["probe_at"],
        cools=row["cools"],
        stays=bool(row["stays"]),
        probe_id=str(row["probe_id"]) if row["probe_id"] else None,
        note=row["note"],
    )


def tallies_of(tx: Tx, place: BreakerKey, *, turn: int) -> list[Tally]:
    rows = tx.all("read_tallies", namespace=place.namespace, job=place.job, turn=turn)
    return [Tally(row["bucket_at"], row["good"], row["bad"]) for row in rows]


def change(tx: Tx, place: BreakerKey, *, was: Circuit, now: Circuit) -> bool:
    """Make the change unless another process was faster; wakes the workers that can claim again."""
    facts = msgspec.structs.asdict(now) | {"turn": was.turn}
    if not tx.execute("change_breaker", namespace=place.namespace, job=place.job, **facts):
        return False
    if now.state == "open":
        tx.notify((recall_key(place.namespace),))
    else:
        wake(tx, place)
    return True


def wake(tx: Tx, place: BreakerKey) -> None:
    """Wake the workers of this job's queues: a probe, or all of its runs, can be claimed."""
    rows = tx.all("queues_of_job", namespace=place.namespace, job=place.job)
    release(tx, queues=[(place.namespace, row["queue"]) for row in rows])


class CircuitChange(msgspec.Struct, frozen=True, kw_only=True):
    """A decision of rules.failures.breaker about one circuit, made at a time of the database."""

    was: Circuit
    now: Circuit
    at: int
    seen: dict[str, object] = {}
    """The facts that the decision was based on, for the alert."""


def share_seen(tallies: list[Tally], rule: Breaker, *, at: int) -> dict[str, object]:
    """Return the bad share of attempts within the window, as facts for people."""
    seen = count(tallies, rule=rule, now_ms=at)
    share = round(seen.bad / max(1, seen.total), 4)
    return {"share": share, "bad": seen.bad, "total": seen.total, "window": rule.window}


def follow(tx: Tx, place: BreakerKey, propagation: CircuitChange) -> bool:
    """Carry out a decision; raises an alert when the breaker opens or closes.

    Returns False when there was nothing to do, or the breaker was changed in the meantime.
    """
    if propagation.now is propagation.was or not change(
        tx, place, was=propagation.was, now=propagation.now
    ):
        return False
    if propagation.was.state == "closed":
        tell(tx, place, propagation.now, {"by": "itself", **propagation.seen}, at=propagation.at)
    elif propagation.now.state == "closed":
        tell(tx, place, propagation.now, {"by": "itself"}, at=propagation.at)
    return True


def tell(tx: Tx, place: BreakerKey, circuit: Circuit, facts: dict[str, object], *, at: int) -> None:
    """Raise the alert of a breaker that was opened or closed."""
    kind = "breaker.closed" if circuit.state == "closed" else "breaker.opened"
    extra = {"stays": circuit.stays or None, "note": circuit.note}
    told = {"job": place.job, **facts, **{name: it for name, it in extra.items() if it}}
    # The time is a part of the mark: a job that was forgotten and defined anew starts at turn 0.
    mark = (circuit.turn, f"{place.job}\n{at}")
    raise_alert(tx, kind, told, namespace=place.namespace, change=mark)
