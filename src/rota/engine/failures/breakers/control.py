"""Breakers by hand: list them, open or close one; and set the rules of jobs."""

from __future__ import annotations

import msgspec

from rota.engine.failures.breakers.state import BreakerKey, rule_of, tell, wake
from rota.engine.wakeup_keys import recall_key
from rota.errors import UnknownJob
from rota.model.admission.breaker import BreakerView, Circuit
from rota.model.jobs.spec import JobSpec
from rota.model.view import view_of
from rota.rules.failures.breaker_options import breaker_text
from rota.store.base import Row, Tx

LOOKED_AT = 20_000
"""The number of queued runs among which the held ones are counted."""


def set_rule(tx: Tx, spec: JobSpec, *, namespace: str) -> None:
    """Store the rule of this definition as the current one; an open breaker stays open."""
    if spec.breaker is None:
        tx.execute("drop_breaker_rule", namespace=namespace, job=spec.name)
        return
    text = msgspec.json.encode(spec.breaker, order="deterministic").decode()
    tx.execute("set_breaker_rule", namespace=namespace, job=spec.name, rule=text)


def open_breaker(tx: Tx, job: str, *, namespace: str, note: str | None = None) -> bool:
    """Hold back all runs of a job until a person closes its breaker; no rule is needed.

    Running runs go on. False if a person holds it already, with the same note. Raises UnknownJob
    when no such job is on record.
    """
    place = BreakerKey(namespace, job)
    _check_known(tx, place)
    rows = tx.all("open_breaker", namespace=namespace, job=job, note=note)
    for row in rows:
        _tell(tx, place, Circuit(state="open", turn=row["turn"], stays=True, note=note), row)
        tx.notify((recall_key(namespace),))
    return bool(rows)


def close_breaker(tx: Tx, job: str, *, namespace: str) -> bool:
    """Let the runs of a job go, in their old order; False when they were not held.

    Its tally starts afresh. Raises UnknownJob when no such job is on record.
    """
    place = BreakerKey(namespace, job)
    _check_known(tx, place)
    rows = tx.all("close_breaker", namespace=namespace, job=job)
    for row in rows:
        _tell(tx, place, Circuit(turn=row["turn"]), row)
        wake(tx, place)
    return bool(rows)


def breakers(tx: Tx, *, namespace: str) -> list[BreakerView]:
    """Return the breakers of all jobs that have a rule or are held back, by job."""
    return [
        view_of(BreakerView, row, rule=breaker_text(rule_of(row)) if row["rule"] else None)
        for row in tx.all("list_breakers", namespace=namespace, most=LOOKED_AT)
    ]


def held_jobs(tx: Tx, *, namespace: str) -> dict[str, str | None]:
    """Return the jobs whose queued runs are not claimed, each with the id of its probe."""
    rows = tx.all("held_jobs", namespace=namespace)
    return {row["job"]: str(row["probe_id"]) if row["probe_id"] else None for row in rows}


def _tell(tx: Tx, place: BreakerKey, circuit: Circuit, row: Row) -> None:
    """Raise an alert that it was done by hand."""
    tell(tx, place, circuit, {"by": "hand"}, at=row["changed_at"])


def _check_known(tx: Tx, place: BreakerKey) -> None:
    names = [row["name"] for row in tx.all("job_names", namespace=place.namespace)]
    if place.job not in names:
        raise UnknownJob(place.job, names)
