"""A bad minute: thousands of runs fail, people get few messages, and no incident is lost."""

from __future__ import annotations

import json

from rota.engine.runs.claim import claim
from rota.engine.runs.finish import finish
from rota.ids import new_id
from rota.model.runs.run import NewRun, Verdict
from rota.rules.alerts.plan import DIGEST_MS
from rota.store.base import Store
from tests.contract.alerts.builders import given_rule, messages, open_incidents, watch
from tests.contract.builders import ERROR, HOME, Clock, given_worker, submit_all

RUNS, JOBS, LOOKS = 5_000, 150, 25
AT_MOST = 10
SECOND_MS = 1_000


def fail_some(store: Store, worker: str, numbers: range) -> None:
    """Submit these runs, spread over the jobs, and let each fail for good."""
    names = [f"job-{number}" for number in range(JOBS)]
    runs = [NewRun(id=new_id(), job=names[number % JOBS], version=1) for number in numbers]
    submit_all(store, runs)
    leases = store.write(
        lambda tx: claim(
            tx,
            namespace=HOME,
            queues=("default",),
            jobs=json.dumps(names),
            worker_id=worker,
            limit=len(runs),
        )
    )
    assert len(leases) == len(runs)
    verdicts = [
        Verdict(run_id=each.run_id, fence=each.fence, verb="fail", kind="error", error=ERROR)
        for each in leases
    ]
    store.write(lambda tx: finish(tx, verdicts, namespace=HOME))


def test_five_thousand_failures_in_a_minute_are_a_few_messages_about_all_of_them(
    store: Store, clock: Clock
) -> None:
    given_rule(store, at_most=AT_MOST, repeat=None)
    worker = given_worker(store, lease_ms=3_600_000)
    share = RUNS // LOOKS
    for look in range(LOOKS):
        fail_some(store, worker, range(look * share, (look + 1) * share))
        watch(store)
        clock.advance(2 * SECOND_MS)
    clock.advance(DIGEST_MS)
    watch(store)

    incidents = open_incidents(store)
    assert {each["job"] for each in incidents} == {f"job-{number}" for number in range(JOBS)}
    assert all(each["messages"] == 1 for each in incidents), "each is told, once"
    assert len(messages(store)) <= AT_MOST + 2
