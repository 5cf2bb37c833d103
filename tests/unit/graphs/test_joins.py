"""Join rules: the thirteen by id, what they decide at once, and that none of them hangs."""

from __future__ import annotations

from itertools import product

import pytest

from rota.errors import BadGraph, BadResult
from rota.model.graphs.graph import Graph, Join, Node
from rota.rules.graphs import plan_graph
from rota.rules.graphs.joins import JOINS, Counts, Ending, JoinDecision, judge
from rota.rules.graphs.outcome import (
    REACTIONS,
    branch_skips,
    outcome_of,
    run_outcome,
    short_circuit_skips,
)
from tests.support.graph_reference import by_join
from tests.support.graph_walk import Walk

RUN, WAIT, SKIP, FAILED = (
    JoinDecision.RUN,
    JoinDecision.WAIT,
    JoinDecision.SKIP,
    JoinDecision.UPSTREAM_FAILED,
)
LETTERS = {
    "S": "success",
    "F": "failed",
    "U": "upstream_failed",
    "K": "skipped",
    "R": "removed",
}
CASES: tuple[tuple[str, Join, str, JoinDecision], ...] = (
    ("TR-01", "all_success", "SSR", RUN),
    ("TR-01", "all_success", "SS.", WAIT),
    ("TR-01", "all_success", "F..", FAILED),
    ("TR-01", "all_success", "U..", FAILED),
    ("TR-01", "all_success", "K..", SKIP),
    ("TR-01", "all_success", "KF.", FAILED),
    ("TR-02", "all_failed", "FUR", RUN),
    ("TR-02", "all_failed", "FF.", WAIT),
    ("TR-02", "all_failed", "S..", SKIP),
    ("TR-02", "all_failed", "K..", SKIP),
    ("TR-03", "all_done", "SFUKR", RUN),
    ("TR-03", "all_done", "SFUK.", WAIT),
    ("TR-05", "all_done_min_one_success", "SFU", RUN),
    ("TR-05", "all_done_min_one_success", "SK.", SKIP),
    ("TR-05", "all_done_min_one_success", "FUR", FAILED),
    ("TR-05", "all_done_min_one_success", "S..", WAIT),
    ("TR-06", "all_skipped", "KK", RUN),
    ("TR-06", "all_skipped", "K.", WAIT),
    ("TR-06", "all_skipped", "KS.", SKIP),
    ("TR-06", "all_skipped", "U..", SKIP),
    ("TR-07", "one_failed", "F..", RUN),
    ("TR-07", "one_failed", "U..", RUN),
    ("TR-07", "one_failed", "SK.", WAIT),
    ("TR-07", "one_failed", "SKR", SKIP),
    ("TR-08", "one_success", "S..", RUN),
    ("TR-08", "one_success", "FK.", WAIT),
    ("TR-08", "one_success", "KK", SKIP),
    ("TR-08", "one_success", "KF", FAILED),
    ("TR-09", "one_done", "S..", RUN),
    ("TR-09", "one_done", "F..", RUN),
    ("TR-09", "one_done", "UK.", WAIT),
    ("TR-09", "one_done", "UK", SKIP),
    ("TR-10", "none_failed", "KKR", RUN),
    ("TR-10", "none_failed", "SK.", WAIT),
    ("TR-10", "none_failed", "U..", FAILED),
    ("TR-11", "none_failed_min_one_success", "SKR", RUN),
    ("TR-11", "none_failed_min_one_success", "SK.", WAIT),
    ("TR-11", "none_failed_min_one_success", "F..", FAILED),
    ("TR-11", "none_failed_min_one_success", "KK", SKIP),
    ("TR-11", "none_failed_min_one_success", "KR", FAILED),
    ("TR-12", "none_skipped", "SFUR", RUN),
    ("TR-12", "none_skipped", "SF.", WAIT),
    ("TR-12", "none_skipped", "K..", SKIP),
    ("TR-13", "always", "...", RUN),
)


def counts_of(letters: str) -> Counts:
    found = {word: letters.count(letter) for letter, word in LETTERS.items()}
    return Counts(total=len(letters), **found)


@pytest.mark.parametrize(("case", "join", "letters", "verdict"), CASES)
def test_a_join_decides_as_told(case: str, join: Join, letters: str, verdict: JoinDecision) -> None:
    assert judge(join, counts_of(letters)) is verdict


@pytest.mark.parametrize(
    ("letters", "setups", "verdict"),
    [
        ("SF.", "S", WAIT),
        ("SF", "S", RUN),
        ("FF", "FF", FAILED),
        ("KK", "KK", SKIP),
        ("KFS", "KF", FAILED),
        ("KSF", "KS", RUN),
        ("FK", "", RUN),
    ],
)
def test_tr_04_a_teardown_runs_when_a_setup_succeeded(
    letters: str, setups: str, verdict: JoinDecision
) -> None:
    counts = counts_of(letters)._replace(
        setups=len(setups),
        setup_success=setups.count("S"),
        setup_failed=setups.count("F"),
        setup_skipped=setups.count("K"),
    )

    assert judge("all_done_setup_success", counts, is_teardown=True) is verdict


@pytest.mark.parametrize("join", JOINS)
def test_no_join_waits_when_all_is_done_and_a_node_without_parents_runs(join: Join) -> None:
    for size in range(1, 5):
        for letters in product("SFUKR", repeat=size):
            assert judge(join, counts_of("".join(letters))) is not WAIT
    assert judge(join, Counts(total=0)) is RUN


@pytest.mark.parametrize("join", [join for join in JOINS if join != "always"])
def test_each_join_agrees_with_its_sentence_for_all_parents(join: Join) -> None:
    words = {RUN: "run", WAIT: "wait", SKIP: "skipped", FAILED: "upstream_failed"}
    for size in range(1, 5):
        for letters in product("SFUKR.", repeat=size):
            seen = [LETTERS.get(letter, "waits") for letter in letters]
            assert words[judge(join, counts_of("".join(letters)))] == by_join(join, seen)


def node(name: str, *after: str, **fields: object) -> Node:
    return Node(name=name, job="work", after=after, **fields)  # type: ignore[arg-type]  # by test


def walk_of(*nodes: Node) -> Walk:
    walk = Walk(plan_graph(Graph(name="g", nodes=nodes)))
    walk.begin()
    return walk


@pytest.mark.parametrize(
    ("ending", "expected"),
    [(Ending.FAILED, Ending.UPSTREAM_FAILED), (Ending.SKIPPED, Ending.SKIPPED)],
)
def test_tr_14_an_indirect_setup_holds_back_its_scope_at_once(
    ending: Ending, expected: Ending
) -> None:
    walk = walk_of(
        node("setup", kind="setup"),
        node("first", "setup", join="all_done"),
        node("second", "first", join="all_done"),
        node("close", "second", kind="teardown", setups=("setup",)),
        node("later", "close", join="all_done"),
    )

    step = walk.end({"setup": ending})

    assert step.run == ["first"]
    assert step.ended == {"second": expected}
    assert walk.plan.nodes["later"].setups == ()


def test_tr_04_a_teardown_waits_for_all_between_its_setup_and_itself() -> None:
    walk = walk_of(
        node("setup", kind="setup"),
        node("work", "setup"),
        node("more", "work"),
        node("close", "more", kind="teardown", setups=("setup",)),
    )

    assert set(walk.plan.nodes["close"].parents) == {"setup", "work", "more"}


def test_tr_15_a_run_is_judged_by_its_leaves_only() -> None:
    plan = plan_graph(Graph(name="g", nodes=(node("a"), node("b", "a", join="all_done"))))

    assert plan.leaves == ["b"]
    assert run_outcome(plan, {"a": Ending.FAILED, "b": Ending.SUCCESS}) == "success"
    assert run_outcome(plan, {"a": Ending.SUCCESS, "b": Ending.UPSTREAM_FAILED}) == "failed"
    assert outcome_of([Ending.SKIPPED, Ending.REMOVED]) == "success"


@pytest.mark.parametrize(
    "result",
    [
        {"$ref": "a"},
        {"$ref": "a.rows[0]"},
        [1, {"$ref": "a"}],
        {"a": {"$ref": "a"}, "b": {"$ref": "b"}},
        {"$expr": "size(nodes.a.result)"},
    ],
)
@pytest.mark.parametrize("ending", [Ending.FAILED, Ending.UPSTREAM_FAILED])
def test_a_run_fails_with_a_node_that_it_returns(result: object, ending: Ending) -> None:
    nodes = (node("a"), node("b", "a", join="all_done"))
    plan = plan_graph(Graph(name="g", nodes=nodes, result=result))

    assert plan.judged == ["a", "b"]
    assert run_outcome(plan, {"a": ending, "b": Ending.SUCCESS}) == "failed"
    assert run_outcome(plan, {"a": Ending.SKIPPED, "b": Ending.SUCCESS}) == "success"


@pytest.mark.parametrize(
    "result",
    [
        None,
        "a",
        {"$literal": {"$ref": "a"}},
        {"$ref": "b"},
        {"$error": "a"},
        {"$expr": "nodes.a.state"},
        {"$expr": "nodes.a.state == 'failed' ? nodes.b.result : nodes.a.result"},
        {"$expr": "nodes.a.error == null ? nodes.a.result : nodes.a.error.message"},
    ],
)
def test_a_result_that_asks_how_a_node_ended_bears_its_failure(result: object) -> None:
    nodes = (node("a"), node("b", "a", join="all_done"))
    plan = plan_graph(Graph(name="g", nodes=nodes, result=result))

    assert plan.judged == ["b"]
    assert run_outcome(plan, {"a": Ending.FAILED, "b": Ending.SUCCESS}) == "success"


def test_a_notify_counts_for_nothing_and_hides_nothing() -> None:
    tell = node("tell", "a", "b", kind="notify", join="one_failed")
    plan = plan_graph(Graph(name="g", nodes=(node("a"), node("b", "a"), tell)))

    assert plan.leaves == plan.judged == ["b"]
    endings = {"a": Ending.SUCCESS, "b": Ending.SUCCESS, "tell": Ending.FAILED}
    assert run_outcome(plan, endings) == "success"
    endings = {"a": Ending.FAILED, "b": Ending.UPSTREAM_FAILED, "tell": Ending.SUCCESS}
    assert run_outcome(plan, endings) == "failed"


def test_a_notify_does_not_rely_on_setups() -> None:
    walk = walk_of(
        node("setup", kind="setup"),
        node("work", "setup"),
        node("tell", "work", kind="notify", join="one_failed"),
    )

    step = walk.end({"setup": Ending.FAILED})

    assert step.run == ["tell"]


@pytest.mark.parametrize(
    ("nodes", "result", "says"),
    [
        (
            (node("a"), node("tell", "a", kind="notify"), node("b", "tell")),
            None,
            "node 'b': it comes after 'tell', a notify",
        ),
        (
            (node("a"), node("tell", "a", kind="notify")),
            {"$ref": "tell"},
            "result: 'tell' is a notify",
        ),
        (
            (node("a"), node("tell", "a", kind="notify", fails_run=True)),
            None,
            "fails_run is for teardowns",
        ),
    ],
)
def test_a_join_that_lets_a_notify_node_decide_is_refused(
    nodes: tuple[Node, ...], result: object, says: str
) -> None:
    with pytest.raises(BadGraph, match=says):
        plan_graph(Graph(name="g", nodes=nodes, result=result))


@pytest.mark.parametrize(("fails_run", "outcome"), [(False, "success"), (True, "failed")])
def test_tr_16_a_teardown_is_left_out_unless_told_otherwise(
    fails_run: bool,  # noqa: FBT001
    outcome: str,
) -> None:
    plan = plan_graph(
        Graph(
            name="g",
            nodes=(
                node("setup", kind="setup"),
                node("work", "setup"),
                node("close", "work", kind="teardown", setups=("setup",), fails_run=fails_run),
            ),
        )
    )
    endings = {"setup": Ending.SUCCESS, "work": Ending.SUCCESS, "close": Ending.FAILED}

    assert "work" in plan.leaves
    assert run_outcome(plan, endings) == outcome


def test_tr_18_removed_instances_leave_the_failure_counts() -> None:
    assert judge("all_success", counts_of("SRR")) is RUN
    assert judge("none_failed", counts_of("RRR")) is RUN
    assert judge("one_failed", counts_of("SRR")) is SKIP


def test_tr_19_a_child_that_also_follows_a_chosen_one_is_not_skipped() -> None:
    plan = plan_graph(
        Graph(
            name="g",
            nodes=(
                node("choose", kind="branch"),
                node("left", "choose"),
                node("right", "choose"),
                node("join", "choose", "left", join="none_failed_min_one_success"),
            ),
        )
    )

    assert branch_skips(plan, "choose", "left") == ["right"]
    assert branch_skips(plan, "choose", ["right"]) == ["left", "join"]
    assert branch_skips(plan, "choose", None) == ["left", "right", "join"]
    with pytest.raises(BadResult, match=r"chose 'lft'.*Did you mean 'left'"):
        branch_skips(plan, "choose", "lft")


def test_a_false_short_circuit_skips_all_after_it_but_teardowns() -> None:
    walk = walk_of(
        node("setup", kind="setup"),
        node("gate", "setup", kind="short_circuit"),
        node("a", "gate"),
        node("b", "a", join="always"),
        node("c", "a", join="none_failed"),
        node("close", "c", kind="teardown", setups=("setup",)),
    )
    assert short_circuit_skips(walk.plan, "gate", result=True) == []
    skips = short_circuit_skips(walk.plan, "gate", result=[])

    walk.end({"setup": Ending.SUCCESS})
    step = walk.end({"gate": Ending.SUCCESS}, skips=skips)

    assert skips == ["a", "b", "c"]
    assert step.run == ["close"]


def test_tr_21_fail_fast_needs_all_success_everywhere() -> None:
    nodes = (node("a"), node("b", "a", join="one_failed"))

    with pytest.raises(BadGraph, match="node 'b': join: 'one_failed' has no meaning"):
        plan_graph(Graph(name="g", nodes=nodes, mode="fail_fast"))


def test_modes_say_what_the_first_failure_does_to_others() -> None:
    assert {mode: tuple(reaction) for mode, reaction in REACTIONS.items()} == {
        "ignore": (True, False),
        "finish": (False, False),
        "fail_fast": (False, True),
    }


def test_in_one_wave_a_failure_wins_over_a_skip() -> None:
    walk = walk_of(node("a"), node("b"), node("c", "a", "b"))

    step = walk.end({"a": Ending.SKIPPED, "b": Ending.FAILED})

    assert step.ended == {"c": Ending.UPSTREAM_FAILED}


def test_skips_and_failures_cascade_in_one_step() -> None:
    walk = walk_of(node("a"), node("b", "a"), node("c", "b"), node("d", "c", join="one_failed"))

    step = walk.end({"a": Ending.FAILED})

    assert step.ended == {"b": Ending.UPSTREAM_FAILED, "c": Ending.UPSTREAM_FAILED}
    assert step.run == ["d"]
