"""Each operation with a credential for some queues: what others hold is not there for it."""

from __future__ import annotations

from tests.api.examples import EXAMPLES
from tests.api.serving import HOME, Served
from tests.api.test_matrix import ids_of_acts
from tests.api.things import Things, call

V1 = "/api/v1"
OF_A_QUEUE = ("{run_id}", "{job_id}", "{job}", "{graph}", "{backfill_id}", "{worker_id}")
SCHEDULES = f"{V1}/schedules/{{name}}"
IN_BULK = {("POST", f"{V1}/runs/bulk/{verb}") for verb in ("cancel", "rerun")}
"""They tell how many runs were meant and changed."""
FOR_ALL_QUEUES = {
    ("GET", f"{V1}/statistics/forecast"),
    ("PUT", f"{V1}/blackouts/{{name}}"),
    ("DELETE", f"{V1}/blackouts/{{name}}"),
    ("POST", f"{V1}/workers/{{worker_id}}/drain"),
    ("POST", f"{V1}/workers/{{worker_id}}/resume"),
    ("POST", f"{V1}/tokens"),
    ("GET", f"{V1}/audit"),
    ("GET", f"{V1}/audit/verify"),
    ("POST", f"{V1}/audit/verify"),
    ("POST", f"{V1}/namespaces"),
    ("PUT", f"{V1}/namespaces/{{namespace}}"),
    ("DELETE", f"{V1}/namespaces/{{namespace}}"),
}
"""They concern runs of every queue: windows of no queue, whole workers, tokens without a limit."""
OF_NO_QUEUE = tuple(f"{V1}/{each}" for each in ("alert-", "monitors", "ping-key"))
"""Rules of alerts and monitors belong to no queue: only who sees all queues sees them."""
OF_MORE_QUEUES = {
    ("DELETE", f"{V1}/tokens/{{token_id}}"),
    ("POST", f"{V1}/tokens/{{token_id}}/rotate"),
}
"""The token there has no limit, so that it is none of theirs."""


def test_a_thing_of_another_queue_is_not_found(served: Served) -> None:
    store = served.app.store
    client = served.client("admin", "exec", queues=["elsewhere"])
    checked = []
    wrong = []
    for at, example in EXAMPLES.items():
        asked = f"{at[1]} {example.body}"
        if not (any(each in asked for each in OF_A_QUEUE) or at[1].startswith(SCHEDULES)):
            continue
        things = Things(store, HOME, dead=example.dead)
        before = ids_of_acts(store)
        answer = call(client, at, things)
        checked.append(at)
        if at in IN_BULK:
            assert answer.json()["done"] == 0, answer.text
        elif answer.status_code not in (403, 404) or ids_of_acts(store) != before:
            wrong.append((at, answer.status_code, answer.text[:200]))
    assert wrong == []
    assert len(checked) > 40


def test_a_credential_that_reaches_the_queue_is_allowed(served: Served) -> None:
    store = served.app.store
    client = served.client("admin", "exec", queues=["default", "mail"])
    wrong = []
    for at, example in EXAMPLES.items():
        if at[1].startswith(f"{V1}/worker/"):
            continue  # for worker tokens alone: test_matrix
        is_of_all = at in FOR_ALL_QUEUES or at[1].startswith(OF_NO_QUEUE)
        wanted = 403 if is_of_all else 404 if at in OF_MORE_QUEUES else example.good
        answer = call(client, at, Things(store, HOME, dead=example.dead))
        if answer.status_code != wanted:
            wrong.append((at, wanted, answer.status_code, answer.text[:200]))
    assert wrong == []
