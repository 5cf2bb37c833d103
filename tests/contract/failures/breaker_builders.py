"""Builders for the contract of breakers: a job with a rule, attempts that end well or badly."""

from __future__ import annotations

import json
from typing import Any

from rota.engine.alerts.outbox import Alert, waiting_alerts
from rota.engine.failures.breakers import control as breakers
from rota.engine.failures.breakers.probe import due_breakers, send_probes
from rota.engine.jobs.definitions import define
from rota.model.admission.breaker import BreakerView
from rota.model.jobs.spec import Breaker, JobSpec, PythonTarget
from rota.model.runs.run import FinishVerb, Lease
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    Clock,
    claim_some,
    finish_all,
    new_run,
    submit_all,
    verdict,
)

RULE = Breaker(share=0.5, least=4, window="1m", cool="30s", cool_cap="2m")
COOL_MS = 30_000


def given_job(
    store: Store, rule: Breaker | None = RULE, *, name: str = "noop", namespace: str = HOME
) -> None:
    spec = JobSpec(name=name, target=PythonTarget(ref="m:f"), breaker=rule)
    store.write(lambda tx: define(tx, spec, namespace=namespace))


def end(store: Store, leases: list[Lease], *, bad: int = 0, namespace: str = HOME) -> list[str]:
    """Finish the leases as a worker would: the first `bad` of them badly, the others well."""
    verdicts = [verdict(lease, watched=True) for lease in leases[bad:]]
    verdicts += [
        verdict(lease, "fail", kind="error", error=ERROR, watched=True) for lease in leases[:bad]
    ]
    return finish_all(store, verdicts, namespace=namespace)


def end_one(store: Store, lease: Lease, verb: FinishVerb, **fields: Any) -> list[str]:
    return finish_all(store, [verdict(lease, verb, watched=True, **fields)])


def attempts(store: Store, worker: str, *, good: int = 0, bad: int = 0) -> None:
    """So many attempts of `noop` that end now."""
    submit_all(store, [new_run() for _ in range(good + bad)])
    leases = claim_some(store, worker, limit=good + bad)
    assert len(leases) == good + bad
    assert end(store, leases, bad=bad) == []


def given_open(store: Store, worker: str, rule: Breaker = RULE) -> None:
    """The breaker of `noop` has just opened by itself."""
    given_job(store, rule)
    attempts(store, worker, bad=4)
    assert view(store).state == "open"


def tend_all(store: Store) -> int:
    """How many breakers a look changed."""
    due = store.read(due_breakers)
    return sum(store.write(lambda tx, at=place: send_probes(tx, at)) for place in due.places)  # type: ignore[misc]


def given_probe(store: Store, clock: Clock, worker: str, *, waiting: int = 3) -> Lease:
    """A half-open breaker, its probe claimed, `waiting` runs queued behind it."""
    given_open(store, worker)
    submit_all(store, [new_run() for _ in range(waiting + 1)])
    clock.advance(COOL_MS)
    assert tend_all(store) == 1
    (probe,) = claim_some(store, worker)
    return probe


def views(store: Store, *, namespace: str = HOME) -> list[BreakerView]:
    return store.read(lambda tx: breakers.breakers(tx, namespace=namespace))


def view(store: Store) -> BreakerView:
    (only,) = views(store)
    return only


def alerts(store: Store) -> list[Alert]:
    return store.read(lambda tx: waiting_alerts(tx, sends=True, limit=100))


def told(store: Store) -> list[tuple[str, dict[str, Any]]]:
    return [(alert.kind, json.loads(alert.payload)) for alert in alerts(store)]
