"""What raises in a batch fails alone: at the claim, at the finish, in each chore; nobody spins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from rota.engine.alerts.outbox import raise_alert
from rota.engine.events import send
from rota.engine.failures.batch_isolation import carefully, each_apart, split, write_apart
from rota.engine.insight.doctor import examine
from rota.engine.insight.why import why
from rota.engine.runs.cancel import cancel
from rota.engine.runs.finish import finish
from rota.engine.values.artifacts import keep
from rota.engine.workers.registry import workers
from rota.errors import LeaseLost, NotPermitted, StoreUnavailable
from rota.ids import new_id
from rota.model.events.event import Event
from rota.model.graphs.graph import Map, Node, Parameter
from rota.model.runs.run import Lease, Verdict
from rota.model.schedules.definitions import OnEvent, Schedule
from rota.model.states import State
from rota.notices import subscribe, unsubscribe
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.runtime.dispatch.claims import Claims
from rota.store.base import PartFailed, Store, Tx
from tests.contract.builders import HOME, Clock, claim_some, given_run, look, run_sql, verdict
from tests.contract.failures.poisons import define_all, graph_job, graph_of, job, submit_one
from tests.contract.graphs.builders import JOB, Flow, forget_courses, graph, node, verdict_of
from tests.contract.schedules.builders import TABLES, every, given_job, put
from tests.contract.workers.crew import Crew

PARAMS = {"n": Parameter(default=None)}
ORDER = {"text": {"$expr": "'order ' + params.n"}}
WRONG = "node 'say': args: 'order ' + params.n: No matching overloads found : _+_(string, int64)"


@pytest.fixture
def told() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    notices: list[tuple[str, dict[str, Any]]] = []

    def listen(name: str, facts: dict[str, Any]) -> None:
        notices.append((name, facts))

    subscribe(listen)
    yield notices
    unsubscribe(listen)


def test_a_first_node_that_gets_no_arguments_fails_and_the_claim_goes_on(
    store: Store, worker: str
) -> None:
    flow = Flow(store, worker, graph([node("say", args=ORDER)], parameters=PARAMS))
    bad, good = flow.submit(n=7), flow.submit(n="7")

    flow.begin()

    assert flow.states(bad) == {"say": "failed"}
    assert look(store, bad).reason == f"node say failed: {WRONG}"
    assert flow.running(good) == {"say"}


def test_a_node_that_succeeded_stays_so_when_the_next_gets_no_arguments(
    store: Store, worker: str
) -> None:
    nodes = [node("pay"), node("say", "pay", args=ORDER), node("other", "pay")]
    flow = Flow(store, worker, graph(nodes, parameters=PARAMS, mode="ignore"))
    run = flow.start(n=7)
    flow.claim()

    assert flow.end(run, "pay", result=1) == []

    assert flow.states(run) == {"pay": "success", "say": "failed", "other": "active"}
    assert flow.reasons(run)["say"] == WRONG


def test_a_mapped_node_with_one_bad_item_leaves_no_instances_behind(
    store: Store, worker: str
) -> None:
    half = {"value": {"$expr": "1 / item"}}
    each = node("each", map=Map(over={"$param": "n"}), args=half)
    flow = Flow(store, worker, graph([each], parameters=PARAMS))

    run = flow.start(n=[1, 0])

    assert flow.claim() == []
    assert flow.states(run) == {"each": "failed"}
    assert look(store, run).state is State.FAILED
    made = run_sql(store.url, f"select id from rota.run_history where parent_id = '{run}'")
    assert made == [], "not even one that was cancelled"


def test_a_mapped_node_fails_when_a_later_item_is_bad_and_stops_what_runs(
    store: Store, worker: str
) -> None:
    half = {"value": {"$expr": "1 / item"}}
    each = node("each", map=Map(over={"$param": "n"}, concurrency=1), args=half)
    flow = Flow(store, worker, graph([each], parameters=PARAMS))
    run = flow.start(n=[1, 0])
    flow.claim()

    assert flow.end(run, "each", item=0) == []

    assert flow.states(run) == {"each": "failed"}
    assert "divide by zero" in (flow.reasons(run)["each"] or "")


def test_only_the_run_that_raises_fails_in_a_batch_of_claims(
    store: Store, worker: str, clock: Clock
) -> None:
    flow = graph_of("flow", [Node(name="a", job="noop")])
    define_all(store, job("noop"), graph_job(flow))
    crew = Crew(store, worker, jobs=("noop",), graphs=("flow",))
    bad, *good = [submit_one(store, "flow", 1) for _ in range(3)]
    plain = submit_one(store, "noop", 1)
    run_sql(store.url, f"update rota.run set args = '@' where id = '{bad}'")

    crew.turn(clock, rounds=1)

    assert [look(store, each).state for each in (*good, plain)] == [State.SUCCESS] * 3
    ended = look(store, bad)
    assert ended.state is State.FAILED
    assert ended.error is not None
    assert ended.error.type == "ValueError"


def refuse_changes_of(store: Store, run_id: str, state: str) -> None:
    """The database itself refuses that this run comes to the state."""
    if store.dialect == "sqlite":
        text = (
            f"create trigger refusing before update on rota_run when new.id = '{run_id}' and "
            f"new.state = '{state}' begin select raise(abort, 'not this one'); end"
        )
        run_sql(store.url, text)
        return
    run_sql(
        store.url,
        "create or replace function rota.refusing() returns trigger language plpgsql as $$ begin "
        "raise exception 'not this one'; end $$; "
        "create trigger refusing before update on rota.run for each row "
        f"when (new.id = '{run_id}' and new.state = '{state}') "
        "execute function rota.refusing()",
    )


@pytest.fixture
def refusing(store: Store) -> Iterator[Store]:
    yield store
    on = "" if store.dialect == "sqlite" else " on rota.run"
    run_sql(store.url, f"drop trigger if exists refusing{on}")
    if store.dialect == "postgres":
        run_sql(store.url, "drop function if exists rota.refusing()")


@pytest.mark.parametrize(
    ("delay_ms", "state", "ends"),
    [(0, "running", State.FAILED), (1_000, "queued", State.CANCELLED)],
)
def test_a_run_whose_row_cannot_be_written_ends_and_the_others_start(
    refusing: Store, worker: str, clock: Clock, delay_ms: int, state: str, ends: State
) -> None:
    define_all(refusing, job("noop"))
    crew = Crew(refusing, worker, jobs=("noop",))
    bad, *good = [submit_one(refusing, "noop", 1, delay_ms=delay_ms) for _ in range(3)]
    refuse_changes_of(refusing, bad, state)

    crew.turn(clock, rounds=2)

    assert [look(refusing, each).state for each in good] == [State.SUCCESS] * 2
    ended = look(refusing, bad)
    assert ended.state is ends
    assert (ended.reason or "").startswith("it could not be started:")
    assert "not this one" in (ended.reason or "")


def ends_of(store: Store, endings: Sequence[Verdict]) -> list[str]:
    """As a worker tells them; which it cannot do if that raises."""
    try:
        return write_apart(store.write, lambda tx: finish(tx, endings, namespace=HOME), who="test")
    except Exception as error:
        raise AssertionError(f"no ending was taken: {error!r}") from error


def given_broken_graph(store: Store, flow: Flow) -> str:
    """A run that has begun, of a definition that nobody can read any more."""
    run = flow.start()
    flow.claim()
    run_sql(store.url, "update rota.job_version set spec = '{' where name = 'flow'")
    forget_courses(store)
    return run


def test_only_the_graph_that_cannot_go_on_fails_in_a_batch_of_endings(
    store: Store, worker: str
) -> None:
    define_all(store, job(JOB), graph_job(graph([node("a")], name="well")))
    well = Flow(store, worker, graph([node("a")], name="well"))
    good = well.start()
    well.claim()
    flow = Flow(store, worker, graph([node("a"), node("b", "a")]))
    bad = given_broken_graph(store, flow)
    endings = [flow.verdict(bad, "a", result=5), well.verdict(good, "a")]

    assert ends_of(store, endings) == []

    assert look(store, good).state is State.SUCCESS
    assert look(store, endings[0].run_id).state is State.SUCCESS, "it had returned"
    ended = look(store, bad)
    assert ended.state is State.FAILED
    assert "could not go on after node a had ended: the definition of job 'flow'" in (
        ended.reason or ""
    )
    assert flow.states(bad) == {"a": "success", "b": "skipped"}


def test_a_graph_that_cannot_be_read_can_be_cancelled(store: Store, worker: str) -> None:
    run = given_broken_graph(store, Flow(store, worker, graph([node("a"), node("b", "a")])))

    assert store.write(lambda tx: cancel(tx, run, namespace=HOME)) is State.CANCELLED


def given_leases(store: Store, worker: str, count: int) -> list[Lease]:
    for _ in range(count):
        given_run(store)
    return claim_some(store, worker)


def test_an_ending_that_the_store_does_not_take_becomes_a_failure_with_the_reason(
    store: Store, worker: str
) -> None:
    leases = given_leases(store, worker, 3)
    bad = verdict(leases[1], result="1", reason="\ud800")
    endings = [verdict(leases[0], result="1"), bad, verdict(leases[2], result="1")]

    lost = ends_of(store, endings)

    states = [look(store, lease.run_id).state for lease in leases]
    assert (lost, states) == ([], [State.SUCCESS, State.FAILED, State.SUCCESS])
    reason = look(store, leases[1].run_id).reason or ""
    assert reason.startswith("its outcome could not be recorded: UnicodeEncodeError")


def test_a_part_that_raises_is_taken_back_and_the_rest_is_kept(store: Store) -> None:
    def work(tx: Tx) -> None:
        keep(tx, ["a" * 70_000])
        with pytest.raises(PartFailed):
            tx.part(lambda: fail(tx))
        tx.part(lambda: keep(tx, ["c" * 70_000]))

    def fail(tx: Tx) -> None:
        keep(tx, ["b" * 70_000])
        tx.notify(("somebody",))
        tx.part(lambda: keep(tx, ["d" * 70_000]))
        raise KeyError("b")

    store.write(work)

    kept = run_sql(store.url, "select substr(body, 1, 1) from rota.artifact order by 1")
    assert kept == [("a",), ("c",)]


@pytest.mark.parametrize("error", [StoreUnavailable, LeaseLost, NotPermitted])
def test_an_outage_or_lost_lease_is_not_blamed_on_one_run(
    store: Store, error: type[Exception]
) -> None:
    def work(tx: Tx) -> None:
        tx.part(away)

    def away() -> None:
        raise error("not the fault of a value")

    with pytest.raises(error):
        store.write(work)


def test_only_what_was_tried_in_vain_is_done_one_by_one(store: Store) -> None:
    asked: list[bool] = []

    def work(tx: Tx) -> list[int]:
        asked.append(tx.is_careful)
        if not tx.is_careful:
            return [10 // each for each in (1, 0, 5)]
        return each_apart(tx, (1, 0, 5), lambda each: 10 // each, instead=lambda *_: -1)

    assert write_apart(store.write, work, who="test") == [10, -1, 2]
    assert asked == [False, True]
    assert store.write(lambda tx: split(tx, work)) == [10, -1, 2]
    assert store.write(lambda tx: tx.is_careful) is False
    assert store.write(carefully(lambda tx: tx.is_careful)) is True


def test_a_schedule_that_raises_while_it_is_fired_is_in_error_and_the_others_fire(
    store: Store, worker: str, clock: Clock
) -> None:
    given_job(store)
    given_job(store, name="bad")
    for name in ("noop", "bad"):
        put(store, every("1s"), name=name, job=name)
    run_sql(store.url, "update rota.job set weights = '{' where name = 'bad'")

    Crew(store, worker, jobs=("noop",)).turn(clock, rounds=2)

    rows = run_sql(
        store.url, "select name, state, fired > 0, note from rota.schedule order by name"
    )
    assert [tuple(map(bool, row[2:3])) for row in rows] == [(False,), (True,)]
    assert rows[0][1] == "error"
    assert rows[0][3]


def test_an_event_starts_what_listens_though_one_schedule_raises(store: Store, worker: str) -> None:
    given_job(store)
    given_job(store, name="bad")
    for name in ("noop", "bad"):
        put(store, Schedule(trigger=OnEvent(event="paid")), name=name, job=name)
    run_sql(store.url, "update rota.job set weights = '{' where name = 'bad'")
    event = Event(id=new_id(), name="paid", payload="{}")

    sent = store.write(
        lambda tx: send(tx, event, namespace=HOME, sent_by="test", compiled=TABLES, new_id=new_id)
    )

    assert worker
    assert [each.schedule for each in sent.heard] == ["noop"]
    rows = run_sql(store.url, "select name, state from rota.schedule order by name")
    assert rows == [("bad", "error"), ("noop", "active")]


def test_a_run_whose_dependencies_cannot_be_read_fails_and_the_others_are_let_go(
    store: Store, worker: str, clock: Clock
) -> None:
    define_all(store, job("a"), job("b", dependencies=("a",)))
    crew = Crew(store, worker, jobs=("a", "b"), facts={"b": ClaimFacts(is_dependent=True)})
    bad, good = submit_one(store, "b", 1), submit_one(store, "b", 1)
    crew.tick(crew.courier)
    change = "update rota.awaited set parents = '{'"
    run_sql(store.url, f"{change} where run_id = '{bad}'")

    crew.turn(clock)

    assert look(store, good).state is State.SUCCESS
    ended = look(store, bad)
    assert (ended.state, ended.reason) == (State.FAILED, "what it waits for cannot be understood")
    letters = run_sql(store.url, "select count(*) from rota.dead_letter")
    assert letters == [(1,)]


def test_an_alert_that_cannot_be_read_holds_up_none_behind_it(
    store: Store, worker: str, clock: Clock, told: list[tuple[str, dict[str, Any]]]
) -> None:
    def raise_two(tx: Tx) -> None:
        for at, name in enumerate(("bad", "good")):
            raise_alert(tx, name, {"job": name}, namespace=HOME, change=(at, name))

    store.write(raise_two)
    run_sql(store.url, "update rota.alert set payload = '{' where kind = 'bad'")

    Crew(store, worker, jobs=("noop",)).turn(clock, rounds=1)

    assert [name for name, _ in told if name in {"bad", "good"}] == ["bad", "good"]


@pytest.fixture
def failing_claims(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Claims that fail whatever is tried: nothing in a batch is to blame."""
    was = Claims.take

    def switch(fails: bool) -> None:  # noqa: FBT001  # on or off
        def take(*given: Any, **more: Any) -> Any:
            if fails:
                raise TypeError("no such luck")
            return was(*given, **more)

        monkeypatch.setattr(Claims, "take", take)

    return switch


def test_a_worker_whose_claims_fail_rests_says_so_on_record_and_takes_it_back(
    store: Store,
    worker: str,
    clock: Clock,
    failing_claims: Callable[[bool], None],
    told: list[tuple[str, dict[str, Any]]],
) -> None:
    define_all(store, job("noop"))
    crew = Crew(store, worker, jobs=("noop",))
    run_id = submit_one(store, "noop", 1)
    failing_claims(True)  # noqa: FBT003

    ticks = [crew.courier._try_tick() for _ in range(5)]

    assert ticks == [False] * 5, "it rests after each"
    assert len([name for name, _ in told if name in {"batch.split", "service.failed"}]) <= 2
    (stalled,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert stalled.stalled_why == "TypeError: no such luck"
    (reason,) = store.read(lambda tx: why(tx, run_id, namespace=HOME))
    assert reason.kind == "stalled"
    assert "each claim of worker w fails: TypeError: no such luck" in reason.says
    findings = store.read(lambda tx: examine(tx, host_ms=clock.ms, facts={}))
    (found,) = [each for each in findings if each.check == "stalled workers"]
    assert (found.status, "no such luck" in found.found) == ("problem", True)

    failing_claims(False)  # noqa: FBT003
    crew.courier._try_tick()
    crew.turn(clock, rounds=1)

    (well,) = store.read(lambda tx: workers(tx, namespace=HOME))
    assert (well.stalled_at, well.stalled_why) == (None, None)
    assert look(store, run_id).state is State.SUCCESS


def test_a_sub_graph_without_arguments_fails_its_node_and_no_more(
    store: Store, worker: str, clock: Clock
) -> None:
    inner = graph_of("inner", [Node(name="z", job="noop", args={"a": {"$param": "x.name"}})])
    outer = graph_of("outer", [Node(name="in", graph="inner", args={"x": {"$param": "x"}})])
    define_all(store, job("noop"), graph_job(inner), graph_job(outer))
    crew = Crew(store, worker, jobs=("noop",), graphs=("inner", "outer"))
    bad = submit_one(store, "outer", 1, json.dumps({"x": 5}))
    good = submit_one(store, "outer", 1, json.dumps({"x": {"name": 1}}))

    crew.turn(clock, rounds=1)

    assert look(store, good).state is State.SUCCESS
    ended = look(store, bad)
    assert ended.state is State.FAILED
    assert "x.name is not there; it is 5, a number" in (ended.reason or "")


def test_a_run_that_was_cancelled_twice_over_is_told_once(store: Store, worker: str) -> None:
    flow = Flow(store, worker, graph([node("a")]))
    run = flow.start()
    (lease,) = flow.claim()
    both = [verdict_of(lease), verdict_of(lease, "fail")]

    assert store.write(carefully(lambda tx: finish(tx, both, namespace=HOME))) == []
    assert look(store, run).state is State.SUCCESS
