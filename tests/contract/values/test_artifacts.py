"""Large values: kept in a table of their own by the transaction that mentions them."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rota.engine.graphs.nodes.arguments import resolve_later
from rota.engine.prune import Retention, prune
from rota.engine.runs.rerun import rerun
from rota.engine.runs.submit import submit
from rota.engine.values.artifacts import DAY_MS, load_kept
from rota.errors import ArtifactLost
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node
from rota.model.runs.run import Lease
from rota.model.states import State
from rota.model.values.artifact import LARGE, is_pointer
from rota.runtime.chores.artifacts import Sweeper
from rota.runtime.values.artifacts import ArtifactStore
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    Clock,
    claim_one,
    finish_with,
    given_lease,
    given_run,
    given_worker,
    look,
    new_run,
    run_sql,
    submit_all,
)
from tests.contract.graphs.builders import Flow, forget_courses, graph, node

BIG = "x" * LARGE
"""As JSON it has two characters more than may stand in a row."""
BIG_JSON = json.dumps(BIG)
KEPT = Retention(success_ms=2 * DAY_MS, failure_ms=5 * DAY_MS)


@pytest.fixture
def worker(store: Store) -> str:
    return given_worker(store)


def kept(store: Store) -> list[str]:
    return [row[0] for row in run_sql(store.url, "select body from rota.artifact")]


def value_of(store: Store, text: str | None) -> str:
    assert text is not None
    assert is_pointer(text)
    return store.read(lambda tx: load_kept(tx, [text]))[text]


def sweep(store: Store) -> None:
    Sweeper(store, KEPT, None).batch()


def completed(store: Store, lease: Lease) -> Lease:
    """As the porter of a worker does it."""
    return store.read(lambda tx: resolve_later(tx, lease, namespace=HOME)).resolved()


def test_a_large_result_is_kept_apart(store: Store) -> None:
    lease = given_lease(store)

    finish_with(store, lease, result=BIG_JSON)

    assert value_of(store, look(store, lease.run_id).result) == BIG_JSON


def test_a_result_at_the_limit_stays_in_its_row(store: Store) -> None:
    lease = given_lease(store)
    text = json.dumps("x" * (LARGE - 2))

    finish_with(store, lease, result=text)

    assert look(store, lease.run_id).result == text
    assert kept(store) == []


def test_large_arguments_are_kept_apart_and_come_back(store: Store, worker: str) -> None:
    args = json.dumps({"text": BIG})
    given_run(store, args=args)

    lease = claim_one(store, worker)

    assert is_pointer(lease.args)
    assert completed(store, lease).args == args


def test_the_same_value_is_there_once(store: Store) -> None:
    args = json.dumps({"text": BIG})

    submit_all(store, [new_run(args=args), new_run(args=args), new_run()])
    given_run(store, args=args)

    assert kept(store) == [args]


def test_a_key_knows_large_arguments_again(store: Store) -> None:
    same, other = json.dumps({"text": BIG}), json.dumps({"text": BIG + "!"})

    (first,) = submit_all(store, [new_run(key="k", args=same)])
    (second,) = submit_all(store, [new_run(key="k", args=same)])
    (third,) = submit_all(store, [new_run(key="k", args=other)])

    assert second.id == first.id
    assert not second.refused
    assert third.refused


def test_a_lost_lease_mentions_nothing(store: Store, clock: Clock) -> None:
    lease = given_lease(store)
    finish_with(store, lease, "release")

    assert finish_with(store, lease, result=BIG_JSON) == [lease.run_id]
    clock.advance(3 * DAY_MS)
    sweep(store)

    assert kept(store) == []


def test_a_node_gets_a_large_result(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("load"), node("use", args={"rows": {"$ref": "load"}})]))
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "load", result={"rows": BIG})

    (lease,) = flow.claim()

    assert lease.is_open
    assert json.loads(completed(store, lease).args) == {"rows": {"rows": BIG}}


def test_a_condition_a_list_and_a_branch_may_need_large_results(store: Store, worker: str) -> None:
    nodes = [
        node("load"),
        node("each", map=Map(over={"$ref": "load.rows"}, into="row")),
        node("checked", when="nodes.load.result.rows.size() > 2"),
    ]
    flow = Flow(store, worker, graph(nodes))
    run_id = flow.start()
    (lease,) = flow.claim()
    assert lease.is_asked
    flow.end(run_id, "load", result={"rows": [1, 2, 3], "rest": BIG})

    assert sorted(lease.node or "" for lease in flow.claim()) == ["checked", "each", "each", "each"]


def test_a_branch_may_choose_among_very_many(store: Store, worker: str) -> None:
    names = [f"child_{number:04d}_with_a_name_that_is_long_enough" for number in range(2_000)]
    nodes = [node("pick", kind="branch"), *(node(name, "pick") for name in (*names, "other"))]
    flow = Flow(store, worker, graph(nodes))
    run_id = flow.start()
    flow.claim()

    flow.end(run_id, "pick", result=names)

    states = flow.states(run_id)
    assert states["other"] == "skipped"
    assert {states[name] for name in names} == {"active"}


def test_a_whole_result_is_handed_on_and_a_made_one_is_kept(store: Store, worker: str) -> None:
    whole = graph([node("load")], name="whole", result={"$ref": "load"})
    made = graph([node("load")], name="made", result={"two": [{"$ref": "load"}, {"$ref": "load"}]})
    for each, expected in ((whole, BIG), (made, {"two": [BIG, BIG]})):
        flow = Flow(store, worker, each)
        run_id = flow.start()
        flow.claim()
        flow.end(run_id, "load", result=BIG)

        assert json.loads(value_of(store, look(store, run_id).result)) == expected


def test_a_result_made_of_too_much_fails_the_run_with_words(
    store: Store, worker: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rota.engine.graphs.complete.MAX_MADE_BYTES", 2 * LARGE)
    flow = Flow(store, worker, graph([node("load")], result=[{"$ref": "load"}, {"$ref": "load"}]))
    run_id = flow.start()
    flow.claim()

    flow.end(run_id, "load", result=BIG)

    ended = look(store, run_id)
    assert ended.state is State.FAILED
    assert ended.reason == (
        "its result: it takes 131,079 bytes and the limit is 131,072; let a last node make less "
        "of it"
    )


def test_a_graph_within_a_graph_takes_and_gives_large_values(store: Store, worker: str) -> None:
    inner = graph(
        [node("work", args={"text": {"$param": "text"}})],
        name="inner",
        parameters={"text": {"type": "str"}},
        result={"$ref": "work"},
    )
    inner = json_round(inner)
    outer = graph(
        [
            node("load"),
            Node(name="sub", graph="inner", args={"text": {"$ref": "load"}}),
            node("last", when="nodes.sub.result.size() > 10", args={"text": {"$ref": "sub"}}),
        ],
        name="outer",
    )
    flow = Flow(store, worker, inner, outer)
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "load", result=BIG)

    (work,) = flow.claim()
    assert json.loads(completed(store, work).args) == {"text": BIG}
    forget_courses(store)
    flow.end(work.parent_id or "", "work", result=BIG + BIG)
    (last,) = flow.claim()

    assert json.loads(completed(store, last).args) == {"text": BIG + BIG}


def json_round(given: Any) -> Any:
    return msgspec.convert(msgspec.to_builtins(given), type(given))


def test_large_parameters_are_not_copied_into_every_instance(store: Store, worker: str) -> None:
    flow = Flow(
        store,
        worker,
        json_round(
            graph(
                [
                    node(
                        "each",
                        map=Map(over=[1, 2, 3], into="n"),
                        args={"text": {"$param": "text"}},
                    )
                ],
                parameters={"text": {}},
            )
        ),
    )
    flow.start(text=BIG)

    leases = flow.claim()

    sizes = run_sql(store.url, "select max(length(args)) from rota.run")
    assert sizes == [(len(str(kept_pointer(store))),)]
    assert [json.loads(completed(store, lease).args)["text"] for lease in leases] == [BIG] * 3


def kept_pointer(store: Store) -> str:
    (row,) = run_sql(store.url, "select digest from rota.artifact")
    return f"@d:{row[0]}"


def test_the_sweeper_keeps_what_is_mentioned_anywhere(
    store: Store, clock: Clock, worker: str
) -> None:
    waiting = given_run(store, args=json.dumps({"waits": BIG}), delay_ms=90 * DAY_MS)
    lease = given_lease(store, args=json.dumps({"ended": BIG}), worker_id=worker)
    finish_with(store, lease, result=BIG_JSON)
    clock.advance(2 * DAY_MS - 1)
    sweep(store)
    assert len(kept(store)) == 3

    clock.advance(2)
    store.rotate(keep_good_ms=KEPT.success_ms, keep_bad_ms=KEPT.failure_ms)
    store.write(lambda tx: prune(tx, KEPT, limit=100))
    sweep(store)

    assert kept(store) == [json.dumps({"waits": BIG})]
    assert look(store, waiting).state is State.SCHEDULED


def test_the_sweeper_keeps_what_a_node_mentions(store: Store, clock: Clock, worker: str) -> None:
    flow = Flow(store, worker, graph([node("load"), node("use", args={"x": {"$ref": "load"}})]))
    run_id = flow.start()
    flow.claim()
    flow.end(run_id, "load", result=BIG)
    clock.advance(3 * DAY_MS)
    store.rotate(keep_good_ms=KEPT.success_ms, keep_bad_ms=KEPT.failure_ms)
    store.write(lambda tx: prune(tx, KEPT, limit=100))  # the run of the node is gone by now
    sweep(store)

    assert kept(store) == [BIG_JSON]


def test_a_rerun_keeps_the_arguments_of_the_run_before(store: Store, clock: Clock) -> None:
    args = json.dumps({"text": BIG})
    lease = given_lease(store, args=args)
    finish_with(store, lease, "fail", kind="error")
    again = new_id()
    store.write(lambda tx: rerun(tx, lease.run_id, namespace=HOME, new_id=again, who="me"))
    clock.advance(6 * DAY_MS)
    store.rotate(keep_good_ms=KEPT.success_ms, keep_bad_ms=KEPT.failure_ms)
    store.write(lambda tx: prune(tx, KEPT, limit=100))
    sweep(store)

    assert value_of(store, look(store, again).args) == args


def test_a_value_written_again_is_new_again(store: Store, clock: Clock) -> None:
    lease = given_lease(store)
    finish_with(store, lease, result=BIG_JSON)
    clock.advance(3 * DAY_MS)
    run_sql(store.url, "delete from rota.run_history")

    store.write(lambda tx: submit(tx, [new_run(args=BIG_JSON)], namespace=HOME))
    run_sql(store.url, "delete from rota.run")
    sweep(store)

    assert kept(store) == [BIG_JSON]


def test_a_damaged_value_fails_its_node_and_says_so(store: Store, worker: str) -> None:
    nodes = [
        node("load"),
        node("each", map=Map(over={"$ref": "load"}, into="row")),
    ]
    flow = Flow(store, worker, graph(nodes))
    run_id = flow.start()
    flow.claim()
    run_sql(store.url, DAMAGE[store.dialect])

    flow.end(run_id, "load", result=[BIG])

    said = flow.reasons(run_id)["each"] or ""
    assert "the result of node 'load' (sha256 " in said
    assert "missing or damaged in the database" in said
    assert look(store, run_id).state is State.FAILED


DAMAGE = {
    "sqlite": "create trigger damage after insert on rota_artifact begin"
    " update rota_artifact set body = '[]' where digest = new.digest; end",
    "postgres": "create or replace function rota.damage() returns trigger language plpgsql as"
    " $$ begin new.body = '[]'; return new; end $$;"
    " create trigger damage before insert on rota.artifact"
    " for each row execute function rota.damage()",
}


@pytest.fixture(autouse=True)
def undamaged(store: Store) -> Any:
    yield
    if store.dialect == "postgres":
        run_sql(store.url, "drop trigger if exists damage on rota.artifact")


def test_a_damaged_argument_is_told_with_its_hash(store: Store, worker: str) -> None:
    given_run(store, args=json.dumps({"text": BIG}))
    lease = claim_one(store, worker)
    run_sql(store.url, "update rota.artifact set body = '{}'")

    unresolved = store.read(lambda tx: resolve_later(tx, lease, namespace=HOME))

    assert unresolved.apart() == {lease.args}
    artifact_store = ArtifactStore(lambda: store, None)
    with pytest.raises(ArtifactLost, match=lease.args.rpartition(":")[2]):
        artifact_store.values(unresolved.apart(), "an argument of the run")
