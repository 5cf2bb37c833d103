"""Random graphs with random joins, outcomes and orders, beside an independent interpreter."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rota.model.graph import Graph, Join, Node
from rota.rules.graph_outcome import branch_skips, run_outcome
from rota.rules.graph_walk import Walk
from rota.rules.graphs import plan_graph
from rota.rules.joins import JOINS, Ending
from tests.support.graph_reference import Reference, Spec

KINDS = ("work", "work", "work", "branch", "setup", "teardown")
OUTCOMES = ("success", "success", "success", "failed", "failed", "skipped", "removed")


@st.composite
def specs(draw: st.DrawFn) -> dict[str, dict[str, Any]]:
    count = draw(st.integers(1, 11))
    found: dict[str, dict[str, Any]] = {}
    for at in range(count):
        earlier = list(found)
        parents = draw(st.lists(st.sampled_from(earlier), unique=True, max_size=4)) if at else []
        kind = draw(st.sampled_from(KINDS))
        setups = [name for name in earlier if found[name]["kind"] == "setup"]
        if kind == "teardown" and not setups:
            kind = "work"
        own = (
            draw(st.lists(st.sampled_from(setups), min_size=1, unique=True, max_size=2))
            if (kind == "teardown")
            else []
        )
        found[f"n{at}"] = {
            "parents": sorted({*parents, *own}),
            "join": "all_success" if own else draw(st.sampled_from(sorted(JOINS))),
            "kind": kind,
            "setups": own,
            "fails_run": bool(own) and draw(st.booleans()),
        }
    for name, spec in found.items():
        if spec["kind"] == "branch" and not any(name in each["parents"] for each in found.values()):
            spec["kind"] = "work"
    return found


def graph_of(spec: Spec) -> Graph:
    return Graph(
        name="random",
        nodes=tuple(
            Node(
                name=name,
                job="work",
                after=tuple(each["parents"]),
                join=_join(each["join"]),
                kind=each["kind"],
                setups=tuple(each["setups"]),
                fails_run=each["fails_run"],
            )
            for name, each in spec.items()
        ),
    )


def _join(word: str) -> Join:
    return next(join for join in JOINS if join == word)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(spec=specs(), data=st.data())
def test_counts_lead_to_the_same_states_as_looking_at_everything(
    spec: dict[str, dict[str, Any]], data: st.DataObject
) -> None:
    plan = plan_graph(graph_of(spec))
    walk, reference = Walk(plan), Reference(spec)
    running = walk.begin().run

    while running:
        assert sorted(running) == sorted(reference.running())
        batch = data.draw(st.lists(st.sampled_from(running), min_size=1, unique=True, max_size=3))
        endings = {name: data.draw(st.sampled_from(OUTCOMES)) for name in batch}
        skips = _skips(data, walk, reference, endings)
        step = walk.end({name: Ending(word) for name, word in endings.items()}, skips=skips)
        reference.end(endings, skips)
        running = [name for name in running if name not in batch] + step.run
        final = {name: state for name, state in reference.states.items() if state != "runs"}
        assert walk.endings == {name: state for name, state in final.items() if state != "waits"}

    assert walk.is_over
    assert run_outcome(plan, walk.endings) == reference.outcome()


def _skips(
    data: st.DataObject, walk: Walk, reference: Reference, endings: dict[str, str]
) -> list[str]:
    skips: list[str] = []
    for name, word in endings.items():
        if walk.plan.nodes[name].node.kind == "branch" and word == "success":
            children = walk.plan.children[name]
            chosen = data.draw(st.lists(st.sampled_from(children), unique=True))
            ours = branch_skips(walk.plan, name, chosen)
            assert sorted(ours) == sorted(reference.unchosen(name, chosen))
            skips += ours
    return skips
