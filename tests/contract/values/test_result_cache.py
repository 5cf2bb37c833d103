"""Results that may be used again: found by what they depend on, while they are fresh."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rota.engine.graphs.control import rerun_graph
from rota.engine.graphs.nodes.arguments import resolve
from rota.engine.graphs.views.nodes import nodes
from rota.engine.jobs.definitions import define
from rota.engine.prune import Retention, prune
from rota.engine.runs.finish import finish
from rota.engine.runs.rerun import rerun
from rota.engine.values.artifacts import DAY_MS
from rota.ids import new_id
from rota.model.graphs.graph import Cache, Graph, Map, Node
from rota.model.jobs.spec import JobSpec, PolicyChange, PythonTarget
from rota.model.runs.run import Lease, Verdict
from rota.model.states import State
from rota.model.values.artifact import LARGE
from rota.runtime.chores.artifacts import Sweeper
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    Clock,
    claim_some,
    finish_all,
    given_run,
    given_worker,
    look,
    run_sql,
    verdict,
)
from tests.contract.graphs.builders import Flow, forget_courses, graph, node, verdict_of

HOUR_MS = 3_600_000
KEPT = Retention(success_ms=2 * DAY_MS, failure_ms=2 * DAY_MS)
FRESH = msgspec.json.encode(PolicyChange(fresh=True)).decode()


@pytest.fixture
def worker(store: Store) -> str:
    return given_worker(store)


def cached(**fields: Any) -> Graph:
    work = node("work", args={"n": {"$param": "n"}}, cache=Cache(ttl="1h"), **fields)
    made = graph([work, node("last", "work")], parameters={"n": {}}, result={"$ref": "work"})
    return msgspec.convert(msgspec.to_builtins(made), Graph)


def end_memo(flow: Flow, run_id: str, name: str, result: Any) -> None:
    """As a worker ends a node: its verdict says what the result is found by."""
    lease = flow.leases.pop((run_id, name, None))
    told = msgspec.structs.replace(
        verdict_of(lease, "succeed", result), memo_key=lease.memo_key, memo_ms=lease.memo_ms
    )
    flow.store.write(lambda tx: finish(tx, [told], namespace=HOME))


def test_a_node_with_a_known_result_ends_with_it(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cached())
    first = flow.start(n=1)
    (lease,) = flow.claim()
    end_memo(flow, first, "work", {"rows": 3})

    second = flow.start(n=1)
    flow.claim()

    assert flow.running(second) == {"last"}
    views = {view.name: view for view in store.read(lambda tx: nodes(tx, second, namespace=HOME))}
    assert views["work"].state == "success"
    assert views["work"].cached_from == lease.run_id
    assert look(store, views["work"].run_id or "").reason == f"cached from {lease.run_id}"
    flow.end(second, "last")
    assert json.loads(look(store, second).result or "") == {"rows": 3}


@pytest.mark.parametrize("change", ["arguments", "expiry", "fresh", "version"])
def test_a_cache_miss_carries_the_run_out(
    store: Store, clock: Clock, worker: str, change: str
) -> None:
    flow = Flow(store, worker, cached())
    first = flow.start(n=1)
    flow.claim()
    end_memo(flow, first, "work", 1)
    if change == "expiry":
        clock.advance(HOUR_MS)
    if change == "version":
        other = JobSpec(name="work", target=PythonTarget(ref="m:other"))
        store.write(lambda tx: define(tx, other, namespace=HOME))

    second = flow.start(n=2 if change == "arguments" else 1)
    if change == "fresh":
        run_sql(store.url, f"update rota.run set policy = '{FRESH}'")

    again = [lease for lease in flow.claim() if lease.parent_id == second]
    assert [lease.node for lease in again] == ["work"]
    assert again[0].memo_key is not None


def test_an_hour_less_a_moment_is_within_an_hour(store: Store, clock: Clock, worker: str) -> None:
    flow = Flow(store, worker, cached())
    first = flow.start(n=1)
    flow.claim()
    end_memo(flow, first, "work", 1)
    clock.advance(HOUR_MS - 1)

    second = flow.start(n=1)

    flow.claim()
    assert flow.states(second)["work"] == "success"


def test_a_rerun_does_again_what_is_known_and_remembers_it(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cached())
    first = flow.start(n=1)
    flow.claim()
    end_memo(flow, first, "work", "old")
    flow.claim()
    flow.end(first, "last")
    again = new_id()
    store.write(
        lambda tx: rerun_graph(tx, first, namespace=HOME, new_id=again, who="me", part="all")
    )
    assert flow.running(again) == {"work"}
    end_memo(flow, again, "work", "new")

    third = flow.start(n=1)
    flow.claim()
    assert flow.running(third) == {"last"}
    flow.end(third, "last")

    assert json.loads(look(store, third).result or "") == "new"


def test_a_failure_is_not_remembered(store: Store, worker: str) -> None:
    flow = Flow(store, worker, cached())
    first = flow.start(n=1)
    flow.claim()
    lease = flow.leases.pop((first, "work", None))
    told = msgspec.structs.replace(verdict_of(lease, "fail"), memo_key=None)
    flow.store.write(lambda tx: finish(tx, [told], namespace=HOME))

    assert run_sql(store.url, "select count(*) from rota.memo") == [(0,)]


def test_a_key_of_its_own_may_hold_results_and_items(store: Store, worker: str) -> None:
    keyed = Cache(key={"rows": {"$ref": "load.id"}, "at": {"$expr": "item.id"}}, ttl="1h")
    flow = Flow(
        store,
        worker,
        graph(
            [
                node("load"),
                node("each", "load", map=Map(over=[{"id": 1}, {"id": 2}], into="row"), cache=keyed),
            ]
        ),
    )
    first = flow.start()
    flow.claim()
    flow.end(first, "load", result={"id": "a", "noise": 1})
    leases = flow.claim()
    assert [json.loads(lease.args) for lease in leases] == [{"row": {"id": 1}}, {"row": {"id": 2}}]
    told = [
        msgspec.structs.replace(
            verdict_of(lease, "succeed", lease.item),
            memo_key=lease.memo_key,
            memo_ms=lease.memo_ms,
        )
        for lease in leases[:1]
    ]
    store.write(lambda tx: finish(tx, told, namespace=HOME))

    second = flow.start()
    flow.claim()
    flow.end(second, "load", result={"id": "a", "noise": 2})
    again = [lease for lease in flow.claim() if lease.parent_id == second]

    assert [lease.item for lease in again] == [1]


def test_a_key_that_cannot_be_made_fails_its_node(store: Store, worker: str) -> None:
    keyed = Cache(key={"$ref": "load.nope"})
    flow = Flow(store, worker, graph([node("load"), node("work", cache=keyed)]))
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "load", result={"id": "a"})

    flow.claim()

    assert "node 'work': cache.key: load.nope is not there" in (flow.reasons(run_id)["work"] or "")


def test_a_graph_within_a_graph_may_be_known(store: Store, worker: str) -> None:
    inner = graph([node("deep")], name="inner", result={"$ref": "deep"})
    outer = graph(
        [Node(name="sub", graph="inner", cache=Cache(ttl="1h")), node("last", "sub")],
        name="outer",
        result={"$ref": "sub"},
    )
    flow = Flow(store, worker, inner, outer)
    first = flow.start()
    (deep,) = flow.claim()
    forget_courses(store)  # another process may be the one that ends it
    flow.end(deep.parent_id or "", "deep", result=[1, 2])

    second = flow.start()

    assert flow.running(second) == {"last"}
    view = store.read(lambda tx: nodes(tx, second, namespace=HOME))[0]
    assert view.cached_from == deep.parent_id
    flow.end(second, "last")
    assert json.loads(look(store, second).result or "") == [1, 2]
    assert look(store, first).state is State.SUSPENDED


def test_a_graph_that_is_known_when_its_turn_has_come_wakes_the_next(
    store: Store, worker: str
) -> None:
    inner = graph([node("deep")], name="inner", max_runs=1)
    outer = graph([Node(name="sub", graph="inner", cache=Cache(ttl="1h"))], name="outer")
    flow = Flow(store, worker, inner, outer)
    runs = [flow.start() for _ in range(4)]
    (deep,) = flow.claim()

    flow.end(deep.parent_id or "", "deep")
    for _ in runs:
        flow.begin()

    assert [look(store, run).state for run in runs] == [State.SUCCESS] * 4


def plain_job(store: Store, cache: Cache | None) -> int:
    spec = JobSpec(name="noop", target=PythonTarget(ref="m:f"), cache=cache)
    return store.write(lambda tx: define(tx, spec, namespace=HOME))


def taken(store: Store, worker: str) -> tuple[list[Lease], list[Verdict]]:
    leases = claim_some(store, worker)
    return store.write(lambda tx: resolve(tx, leases, namespace=HOME))


def test_a_job_by_itself_may_be_known(store: Store, worker: str) -> None:
    version = plain_job(store, Cache(ttl="1h", key={"$param": "day"}))
    given_run(store, version=version, args='{"day":"mon","n":1}')
    (lease,), _ = taken(store, worker)
    told = verdict(lease, result="7", memo_key=lease.memo_key, memo_ms=lease.memo_ms)
    finish_all(store, [told])

    same = given_run(store, version=version, args='{"day":"mon","n":2}')
    other = given_run(store, version=version, args='{"day":"tue","n":2}')
    ready, ended = taken(store, worker)

    assert [lease.run_id for lease in ready] == [other]
    assert [(each.run_id, each.verb, each.result) for each in ended] == [(same, "succeed", "7")]
    assert ended[0].reason == f"cached from {lease.run_id}"


def test_a_rerun_of_a_job_does_it_again(store: Store, worker: str) -> None:
    version = plain_job(store, Cache(ttl="1h"))
    run_id = given_run(store, version=version)
    (lease,), _ = taken(store, worker)
    finish_all(store, [verdict(lease, result="7", memo_key=lease.memo_key, memo_ms=lease.memo_ms)])
    again = new_id()
    store.write(lambda tx: rerun(tx, run_id, namespace=HOME, new_id=again, who="me"))

    ready, ended = taken(store, worker)

    assert [lease.run_id for lease in ready] == [again]
    assert ended == []


def test_two_at_the_same_moment_both_run_and_the_last_is_remembered(
    store: Store, worker: str
) -> None:
    version = plain_job(store, Cache(ttl="1h"))
    for _ in range(2):
        given_run(store, version=version)
    ready, ended = taken(store, worker)
    assert len(ready) == 2
    assert ended == []

    finish_all(
        store,
        [
            verdict(each, result=str(n), memo_key=each.memo_key, memo_ms=each.memo_ms)
            for n, each in enumerate(ready)
        ],
    )

    assert run_sql(store.url, "select result from rota.memo") == [("1",)]


def test_a_lost_lease_remembers_nothing(store: Store, worker: str) -> None:
    version = plain_job(store, Cache(ttl="1h"))
    given_run(store, version=version)
    (lease,), _ = taken(store, worker)
    finish_all(store, [verdict(lease, "release")])

    finish_all(store, [verdict(lease, result="7", memo_key=lease.memo_key, memo_ms=1)])

    assert run_sql(store.url, "select count(*) from rota.memo") == [(0,)]


def test_an_expired_cache_entry_is_pruned_with_its_large_value(
    store: Store, clock: Clock, worker: str
) -> None:
    version = plain_job(store, Cache(ttl="5d"))
    given_run(store, version=version)
    (lease,), _ = taken(store, worker)
    big = json.dumps("x" * LARGE)
    finish_all(store, [verdict(lease, result=big, memo_key=lease.memo_key, memo_ms=5 * DAY_MS)])

    def tidy() -> tuple[int, int]:
        store.rotate(keep_good_ms=KEPT.success_ms, keep_bad_ms=KEPT.failure_ms)
        store.write(lambda tx: prune(tx, KEPT, limit=100))
        Sweeper(store, KEPT, None).batch()
        memos = run_sql(store.url, "select count(*) from rota.memo")[0][0]
        return memos, run_sql(store.url, "select count(*) from rota.artifact")[0][0]

    clock.advance(4 * DAY_MS)
    assert tidy() == (1, 1)
    clock.advance(DAY_MS + 2 * HOUR_MS)
    assert tidy() == (0, 0)


def test_a_result_in_the_artifact_store_does_not_serve_a_condition(
    store: Store, worker: str
) -> None:
    made = graph(
        [
            node("work", cache=Cache(ttl="1h")),
            node("last", when="nodes.work.result.size() > 1"),
        ]
    )
    flow = Flow(store, worker, made)
    first = flow.start()
    (lease,) = flow.claim()
    pointer = f"@a:2026-11-16:{'0' * 64}"
    flow.leases.clear()
    told = msgspec.structs.replace(
        verdict_of(lease), result=pointer, memo_key=lease.memo_key, memo_ms=HOUR_MS
    )
    store.write(lambda tx: finish(tx, [told], namespace=HOME))
    assert "artifact store" in (flow.reasons(first)["last"] or "")

    second = flow.start()

    assert flow.running(second) == {"work"}
