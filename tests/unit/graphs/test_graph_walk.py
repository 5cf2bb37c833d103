"""Random graphs with random joins, outcomes and orders, beside an independent interpreter."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rota.model.graphs.graph import Graph, Join, Node
from rota.rules.graphs import plan_graph
from rota.rules.graphs.joins import JOINS, Ending
from rota.rules.graphs.outcome import branch_skips, run_outcome
from tests.support.graph_reference import Reference, Spec
from tests.support.graph_walk import Walk

KINDS = ("work", "work", "work", "branch", "setup", "setup", "teardown", "teardown")
OUTCOMES = ("success", "success", "failed", "failed", "skipped", "removed")
SEEDS = 1_500


def random_spec(chance: Random) -> dict[str, dict[str, Any]]:
    joins = [*sorted(JOINS), "all_success", "all_success"]
    found: dict[str, dict[str, Any]] = {}
    for at in range(chance.randint(1, 9)):
        earlier = list(found)
        setups = [name for name in earlier if found[name]["kind"] == "setup"]
        kind = chance.choice(KINDS)
        own = chance.sample(setups, chance.randint(1, min(2, len(setups)))) if setups else []
        if kind == "teardown" and not own:
            kind = "work"
        is_teardown = kind == "teardown"
        near = earlier[-4:]
        parents = chance.sample(near, chance.randint(0, min(3, len(near))))
        found[f"n{at}"] = {
            "parents": sorted({*parents, *(own if is_teardown else ())}),
            "join": "all_success" if is_teardown else chance.choice(joins),
            "kind": kind,
            "setups": own if is_teardown else [],
            "fails_run": is_teardown and chance.random() < 0.5,
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


def compare(chance: Random) -> None:
    """Walk through one random graph by counts, and beside it by looking at everything."""
    spec = random_spec(chance)
    plan = plan_graph(graph_of(spec))
    walk, reference = Walk(plan), Reference(spec)
    running = walk.begin().run
    while running:
        assert sorted(running) == sorted(reference.running())
        batch = chance.sample(running, chance.randint(1, min(3, len(running))))
        endings = {name: chance.choice(OUTCOMES) for name in batch}
        skips = _skips(chance, walk, reference, endings)
        step = walk.end({name: Ending(word) for name, word in endings.items()}, skips=skips)
        reference.end(endings, skips)
        running = [name for name in running if name not in batch] + step.run
        final = {name: state for name, state in reference.states.items() if state != "runs"}
        assert walk.endings == {name: state for name, state in final.items() if state != "waits"}
    assert walk.is_over
    assert run_outcome(plan, walk.endings) == reference.outcome()


def _skips(chance: Random, walk: Walk, reference: Reference, endings: dict[str, str]) -> list[str]:
    skips: list[str] = []
    for name, word in endings.items():
        if walk.plan.nodes[name].node.kind == "branch" and word == "success":
            children = walk.plan.children[name]
            chosen = chance.sample(children, chance.randint(0, len(children)))
            ours = branch_skips(walk.plan, name, chosen)
            assert sorted(ours) == sorted(reference.unchosen(name, chosen))
            skips += ours
    return skips


@settings(max_examples=150, deadline=None, report_multiple_bugs=False)
@given(st.randoms(use_true_random=False))
def test_counts_lead_to_the_same_states_as_looking_at_everything(chance: Random) -> None:
    compare(chance)


def test_the_same_holds_for_many_graphs_that_are_the_same_each_time() -> None:
    for seed in range(SEEDS):
        compare(Random(seed))
