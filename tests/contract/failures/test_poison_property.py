"""Whatever a definition, a value or a row does: it fails by itself, and all others go on."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rota.engine.graphs.views.nodes import nodes
from rota.engine.runs.find import find
from rota.model.graphs.graph import Node
from rota.model.runs.run import Lease
from rota.model.states import FINAL, State
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, given_worker, run_sql
from tests.contract.failures.chore_poisons import POISONS, Poison
from tests.contract.failures.poisons import (
    BAD,
    EDITS,
    EXPRESSIONS,
    SHAPES,
    TEXTS,
    VALUES,
    define_all,
    edit,
    encoded,
    graph_job,
    graph_of,
    job,
    submit_one,
)
from tests.contract.graphs.builders import forget_courses
from tests.contract.schedules.builders import every, put
from tests.contract.workers.crew import Crew

CALM = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
FEW = settings(CALM, max_examples=4, report_multiple_bugs=False)
JOBS = ("well", BAD)
GRAPHS = ("well_flow", "bad_inner", "bad_flow")


class Ward:
    """Healthy runs, and beside them one that is not."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self.store, self.clock = store, clock
        self.worker = given_worker(store, lease_ms=10**12)
        inner = graph_of("bad_inner", [Node(name="z", job=BAD, args={"value": {"$param": "x"}})])
        well = graph_of(
            "well_flow", [Node(name="a", job="well"), Node(name="b", job="well", after=("a",))]
        )
        define_all(store, job("well"), job(BAD), graph_job(inner), graph_job(well))
        self.results: dict[str, str] = {}
        self.crew = Crew(
            store,
            self.worker,
            jobs=JOBS,
            graphs=GRAPHS,
            gives=self.gives,
        )

    def gives(self, lease: Lease) -> str:
        return self.results.get(lease.job, "1")

    def begin(self) -> list[str]:
        """Healthy ones, of which each batch that has the poison has some."""
        plain = [submit_one(self.store, "well", 1) for _ in range(3)]
        return [*plain, *(submit_one(self.store, "well_flow", 1) for _ in range(2))]

    def check(self, healthy: list[str], poison: str) -> None:
        for run_id in healthy:
            assert self.look(run_id).state is State.SUCCESS
        ended = self.look(poison)
        assert ended.state in FINAL, f"it stays {ended.state}"
        if ended.state is State.FAILED:
            assert ended.reason or ended.error
        live = run_sql(self.store.url, "select id, state from rota.run")
        assert live == [], "something of it lives on"

    def look(self, run_id: str) -> Any:
        return self.store.read(lambda tx: find(tx, run_id, namespace=HOME))


@pytest.fixture
def ward(store: Store, clock: Clock) -> Ward:
    return Ward(store, clock)


@given(
    shape=st.sampled_from(SHAPES),
    form=st.sampled_from(["$expr", "$param"]),
    text=EXPRESSIONS,
    value=VALUES,
    result=VALUES,
    mode=st.sampled_from(["ignore", "finish", "fail_fast"]),
    retries=st.sampled_from([0, 2]),
)
@CALM
def test_whatever_a_graph_evaluates_it_fails_by_itself_and_all_others_go_on(
    ward: Ward,
    *,
    shape: Any,
    form: str,
    text: str,
    value: Any,
    result: Any,
    mode: Any,
    retries: int,
) -> None:
    flow = graph_of("bad_flow", shape(form, text), retries=retries, mode=mode)
    (version,) = define_all(ward.store, graph_job(flow))
    ward.results[BAD] = encoded(result)
    healthy = ward.begin()
    poison = submit_one(ward.store, "bad_flow", version, encoded({"x": value}))
    healthy += ward.begin()

    ward.crew.turn(ward.clock)

    ward.check(healthy, poison)
    if shape.__name__ == "_second":
        ends = {
            each.name: each.state
            for each in ward.store.read(lambda tx: nodes(tx, poison, namespace=HOME))
        }
        assert ends.get("a", "success") == "success", "what succeeded stays so"


@given(
    statement=st.sampled_from(EDITS),
    shape=st.sampled_from(SHAPES),
    text=TEXTS,
    result=TEXTS,
    begun=st.booleans(),
    forgets=st.booleans(),
)
@CALM
def test_whatever_somebody_writes_into_rows_the_others_go_on(
    ward: Ward, *, statement: str, shape: Any, text: str, result: str, begun: bool, forgets: bool
) -> None:
    name = f"bad_{uuid4().hex}"
    flow = graph_of(name, shape("$expr", "params.x + 1"))
    (version,) = define_all(ward.store, graph_job(flow))
    ward.crew.serve(JOBS, (*GRAPHS, name))
    ward.results[BAD] = result
    poison = submit_one(ward.store, name, version, '{"x":1}')
    if begun:
        ward.crew.calls.waits = True
        ward.crew.turn(ward.clock, rounds=1)
    edit(ward.store, statement, run_id=poison, job=name, text=text)
    if forgets:
        forget_courses(ward.store)
    ward.crew.calls.end_all()
    healthy = ward.begin()

    ward.crew.turn(ward.clock)

    ward.check(healthy, poison)


@pytest.mark.parametrize("poison", POISONS, ids=lambda each: each.__name__)
@given(text=TEXTS)
@FEW
def test_whatever_stands_in_the_rows_of_chores_the_others_go_on(
    ward: Ward, *, poison: Poison, text: str
) -> None:
    heals = f"well_{uuid4().hex}"
    put(ward.store, every("1s"), name=heals, job="well")
    bad = poison(ward, f"bad_{uuid4().hex}", text)
    healthy = ward.begin()

    ward.crew.turn(ward.clock)

    for run_id in healthy:
        assert ward.look(run_id).state is State.SUCCESS
    if bad is not None:
        assert ward.look(bad).state in FINAL
    (row,) = run_sql(ward.store.url, f"select fired from rota.schedule where name = '{heals}'")
    assert row[0] >= 2
    run_sql(ward.store.url, "delete from rota.schedule")
