"""Graphs checked when they are submitted: what is refused, and the order of what is not."""

from __future__ import annotations

from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.errors import BadGraph
from rota.model.graphs.graph import Cache, Graph, Map, Node, Parameter
from rota.rules.graphs import JobFacts, critical_path, expand, plan_graph, remaining
from rota.rules.graphs.maps import Tolerance, batch_of, instances, parse_tolerance
from rota.rules.graphs.order import order, urgencies
from rota.rules.graphs.types import element_of, fits

JOBS = {
    "extract": JobFacts({"day": "str"}, result="list[int]", required=frozenset({"day"})),
    "total": JobFacts({"numbers": "list[int]", "note": "str"}, result="int"),
    "show": JobFacts({"text": "str"}, result="None"),
    "double": JobFacts({"number": "int"}, result="int"),
    "any": JobFacts({}, takes_more=True),
}


def node(name: str, *after: str, job: str | None = "any", **fields: Any) -> Node:
    return Node(name=name, job=job, after=after, **fields)


def graph(*nodes: Node, **fields: Any) -> Graph:
    return Graph(name="g", nodes=nodes, **fields)


DAY = {"day": Parameter(type="str")}
REFUSED: tuple[tuple[Graph, str], ...] = (
    (graph(), "it has no nodes"),
    (graph(node("a"), node("a")), "node 'a' is defined twice"),
    (graph(node("a", "b"), node("b", "c"), node("c", "a")), "in a circle: a -> c -> b -> a"),
    (graph(node("a", "a")), "in a circle: a -> a"),
    (graph(node("a", "bb"), node("b")), "node 'a': after: there is no node 'bb'. Did you mean 'b'"),
    (graph(node("a", args={"x": {"$ref": "zed"}})), "node 'a': args.x: there is no node 'zed'"),
    (graph(node("a", args={"x": {"$param": "day"}})), "there is no parameter 'day'"),
    (graph(node("a", args={"x": [{"$expr": "nodes.b.result"}]})), "args.x.0.: there is no node"),
    (graph(node("a", when="nodes.b.state == 'x'")), "node 'a': when: there is no node 'b'"),
    (graph(node("a", when="1 > 2")), "node 'a': when: 1 > 2 is never true"),
    (graph(node("a-b")), "node 'a-b': a name has up to 64 letters"),
    (graph(node("a", join="all_sucess")), "Did you mean 'all_success'"),
    (graph(node("a", kind="brnch")), "Did you mean 'branch'"),
    (graph(node("a", job=None)), "give it either a job or a graph"),
    (graph(node("a", graph="g2")), "give it either a job or a graph"),
    (graph(node("a", job="extrct")), "node 'a': no job is named 'extrct'. Did you mean 'extract'"),
    (graph(node("a", job="extract")), "node 'a': job 'extract' needs 'day'"),
    (graph(node("a", job="show", args={"txt": 1})), "takes no 'txt'. Did you mean 'text'"),
    (graph(node("a", kind="branch")), "nothing does"),
    (graph(node("a", kind="teardown")), "a teardown names its setups"),
    (graph(node("a"), node("b", setups=("a",))), "setups are for a teardown"),
    (graph(node("a"), node("b", kind="teardown", setups=("a",))), "'a' is not of the kind setup"),
    (graph(node("a", fails_run=True)), "fails_run is for teardowns"),
    (graph(node("a", retries=-1)), "node 'a': retries: retries=-1"),
    (graph(node("a", timeout="soon")), "node 'a': timeout: 'soon' is not a duration"),
    (graph(node("a", timeout="0s")), "is zero"),
    (graph(node("a", queue="!")), "node 'a': queue"),
    (graph(node("a", priority=1_000)), "node 'a': priority"),
    (graph(node("a", isolation="boat")), "node 'a': isolation"),
    (graph(node("a", group="a//b")), "node 'a': group"),
    (graph(node("a", cache=Cache(ttl="x"))), "node 'a': cache"),
    (graph(node("a", map=Map(over="abc"))), "node 'a': map: 'abc' is not a list"),
    (graph(node("a", map=Map(over=[1] * 100_001))), "more than 100,000"),
    (graph(node("a", map=Map(over=[1], batch=0))), "node 'a': map: batch=0"),
    (graph(node("a", map=Map(over=[1], concurrency=0))), "node 'a': map: concurrency=0"),
    (graph(node("a", map=Map(over=[1], tolerate="half"))), "node 'a': map: tolerate='half'"),
    (graph(node("a", args={"x": 1}, map=Map(over=[1], into="x"))), "'x' is also among the args"),
    (graph(node("a", args={"x": {"$item": ""}})), "only a mapped node has an item"),
    (graph(node("a"), mode="calm"), "mode='calm' is not one of"),
    (graph(node("a"), max_nodes=0), "max_nodes=0"),
    (graph(node("a"), result={"$ref": "b"}), "result: there is no node 'b'"),
    (graph(node("a"), parameters={"a-b": Parameter()}), "parameter 'a-b'"),
    (
        graph(
            node("e", job="extract", args={"day": {"$param": "day"}}),
            node("s", job="show", args={"text": {"$ref": "e"}}),
            parameters=DAY,
        ),
        "node 's': text: the result of 'e' is list.int., but text is str",
    ),
    (
        graph(node("a", job="total", args={"numbers": {"$param": "day"}}), parameters=DAY),
        "numbers: parameter 'day' is str, but numbers is list.int.",
    ),
    (
        graph(node("d", job="double", map=Map(over={"$param": "day"})), parameters=DAY),
        "node 'd': map: parameter 'day' is str, not a list",
    ),
    (
        graph(
            node("e", job="extract", args={"day": "x"}),
            node("s", job="show", map=Map(over={"$ref": "e"}, into="text")),
        ),
        "text: an item of the result of 'e' is int, but text is str",
    ),
)


@pytest.mark.parametrize(("bad", "says"), REFUSED, ids=[says for _, says in REFUSED])
def test_a_graph_that_makes_no_sense_is_refused_by_node(bad: Graph, says: str) -> None:
    with pytest.raises(BadGraph, match=f"^graph 'g': .*{says}"):
        plan_graph(bad, jobs=JOBS)


def test_results_that_fit_are_taken() -> None:
    plan = plan_graph(
        graph(
            node("e", job="extract", args={"day": {"$param": "day"}}),
            node("d", job="double", map=Map(over={"$ref": "e"}, into="number")),
            node("first", job="double", args={"number": {"$ref": "e[0]"}}),
            node("t", job="total", args={"numbers": {"$ref": "d"}, "note": {"$expr": "'x'"}}),
            parameters=DAY,
        ),
        jobs=JOBS,
    )

    assert {name: each.parents for name, each in plan.nodes.items()} == {
        "e": (),
        "d": ("e",),
        "first": ("e",),
        "t": ("d",),
    }


@pytest.mark.parametrize(
    ("result", "parameter", "fit"),
    [
        ("int", "float", True),
        ("float", "int", False),
        ("bool", "int", False),
        ("None", "str", False),
        ("int | None", "str | None", True),
        ("Optional[int]", "str", False),
        ("list[int]", "Sequence[str]", False),
        ("tuple[int, ...]", "list[float]", True),
        ("dict[str, list[int]]", "dict[str, list[str]]", False),
        ("dict[str, int]", "list[str]", False),
        ("Order", "str", True),
        ("datetime", "str", True),
        ("list[Order]", "list[int]", True),
        ("Any", "int", True),
        ("][", "int", True),
    ],
)
def test_only_what_cannot_be_right_does_not_fit(result: str, parameter: str, *, fit: bool) -> None:
    assert fits(result, parameter) is fit


def test_items_of_annotations() -> None:
    assert element_of("list[dict[str, int]]") == "dict[str, int]"
    assert element_of("list") == "Any"
    assert element_of("Iterable[int]") == "int"
    assert element_of("list[int] | None") == "int"
    assert element_of("str") is None
    assert element_of("Page") == "Any"


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 40), st.integers(0, 100), st.integers(0, 2**32))
def test_the_order_is_that_of_the_definition_as_far_as_parents_allow(
    count: int, edges: int, seed: int
) -> None:
    chance = Random(seed)
    ranks = list(range(count))
    chance.shuffle(ranks)
    pairs = {tuple(sorted(chance.choices(range(count), k=2))) for _ in range(edges)}
    names = [f"n{at}" for at in range(count)]
    parents: dict[str, list[str]] = {name: [] for name in names}
    for one, two in pairs:
        if one != two:
            parents[names[ranks[two]]].append(names[ranks[one]])
    plan = plan_graph(graph(*(node(name, *above) for name, above in parents.items())))

    left = list(names)
    done: list[str] = []
    while left:  # the plainest way: the first defined whose parents are all done
        chosen = next(name for name in left if set(parents[name]) <= set(done))
        left.remove(chosen)
        done.append(chosen)
    assert list(plan.nodes) == done
    for name, each in plan.nodes.items():
        above = [plan.nodes[parent].level for parent in each.parents]
        assert each.level == (1 + max(above) if above else 0), name


def test_a_long_chain_and_a_long_cycle_are_no_trouble() -> None:
    chain = [node(f"n{at}", *([f"n{at - 1}"] if at else [])) for at in range(20_000)]

    assert plan_graph(graph(*chain)).nodes["n19999"].level == 19_999
    with pytest.raises(BadGraph, match=r"circle: .* \.\.\. 19,989 more \.\.\. "):
        plan_graph(graph(node("n0", "n19999"), *chain[1:]))


def test_the_critical_path_is_the_longest_way() -> None:
    plan = plan_graph(graph(node("a"), node("b", "a"), node("c", "a"), node("d", "b", "c")))
    durations = {"a": 1.0, "b": 5.0, "c": 2.0, "d": 1.0}
    ordered = list(plan.nodes)

    assert critical_path(ordered, plan.children, durations) == (["a", "b", "d"], 7.0)
    left = remaining(ordered, plan.children, durations)
    assert left == {"a": 7.0, "b": 6.0, "c": 3.0, "d": 1.0}
    assert urgencies(left, highest=10) == {"a": 10, "b": 9, "c": 4, "d": 1}
    assert critical_path([], {}, {}) == ([], 0.0)


def sub(name: str, graph_name: str, *after: str, **fields: Any) -> Node:
    return Node(name=name, graph=graph_name, after=after, **fields)


def test_sub_graphs_are_laid_open_with_paths_of_their_own() -> None:
    inner = Graph(name="inner", nodes=(node("x"), node("y", "x")))
    outer = Graph(name="outer", nodes=(node("a"), sub("etl", "inner", "a"), node("b", "etl")))

    found = expand(outer, {"inner": inner, "outer": outer})

    assert {path: each.parents for path, each in found.items()} == {
        "a": (),
        "etl": ("a",),
        "etl/x": ("etl",),
        "etl/y": ("etl/x",),
        "b": ("etl/y",),
    }
    assert [path for path, each in found.items() if each.is_graph] == ["etl"]
    assert order({path: each.parents for path, each in found.items()}, _below(found))


def _below(found: Any) -> dict[str, list[str]]:
    below: dict[str, list[str]] = {path: [] for path in found}
    for path, each in found.items():
        for parent in each.parents:
            below[parent].append(path)
    return below


def test_a_graph_that_contains_itself_or_is_not_there_is_refused() -> None:
    one = Graph(name="one", nodes=(sub("x", "two"),))
    two = Graph(name="two", nodes=(sub("y", "one"),))

    with pytest.raises(BadGraph, match="contains itself: one -> two -> one"):
        expand(one, {"one": one, "two": two})
    with pytest.raises(BadGraph, match="node 'x': no graph is named 'two'"):
        expand(one, {"one": one})


def test_arguments_of_a_sub_graph_are_checked() -> None:
    inner = Graph(name="inner", nodes=(node("x"),), parameters=DAY)

    with pytest.raises(BadGraph, match="node 'etl': graph 'inner' needs 'day'"):
        plan_graph(graph(sub("etl", "inner")), graphs={"inner": inner})
    with pytest.raises(BadGraph, match=r"graph 'inner' takes no 'dy'. Did you mean 'day'"):
        plan_graph(graph(sub("etl", "inner", args={"dy": 1})), graphs={"inner": inner})


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ({"s": 5}, "node 'in': s: Expected `str`, got `int`; s is str"),
        ({"s": "x", "n": "hello"}, "node 'in': n: Expected `int`, got `str`; n is int"),
        (
            {"s": "x", "rows": [1, "y"]},
            r"node 'in': rows\[1\]: Expected `int`, got `str`; rows is list\[int\]",
        ),
    ],
)
def test_a_value_of_another_type_that_stands_in_a_graph_is_refused(
    args: dict[str, Any], says: str
) -> None:
    types = {"s": "str", "n": "int", "rows": "list[int]"}
    defaults: dict[str, Any] = {"n": 1, "rows": []}
    parameters = {
        name: Parameter(type=kind, default=defaults.get(name, msgspec.UNSET))
        for name, kind in types.items()
    }
    inner = Graph(name="inner", nodes=(node("x"),), parameters=parameters)
    jobs = {"j": JobFacts(types, required=frozenset({"s"}))}

    for wrong in (sub("in", "inner", args=args), Node(name="in", job="j", args=args)):
        with pytest.raises(BadGraph, match=says) as refused:
            plan_graph(graph(wrong), graphs={"inner": inner}, jobs=jobs | {"noop": JobFacts({})})
        assert refused.value.path == ("nodes", "in")
    literal = sub("in", "inner", args={"s": {"$literal": "x"}, "n": {"$expr": "1 + 1"}})
    assert "in" in plan_graph(graph(literal), graphs={"inner": inner}).nodes


def test_a_bomb_of_sub_graphs_is_refused() -> None:
    graphs = {
        f"g{at}": Graph(name=f"g{at}", nodes=tuple(sub(f"s{i}", f"g{at + 1}") for i in range(20)))
        for at in range(6)
    }
    graphs["g6"] = Graph(name="g6", nodes=(node("x"),))

    with pytest.raises(BadGraph, match="more than 100,000 nodes"):
        expand(graphs["g0"], graphs)


def test_tolerated_failures_are_a_number_or_a_share() -> None:
    assert parse_tolerance(3) == Tolerance(number=3)
    assert parse_tolerance("5%").bears(failed=5, total=100)
    assert not parse_tolerance("5%").bears(failed=6, total=100)
    assert not parse_tolerance("5%").bears(failed=1, total=19)
    assert not parse_tolerance(0).bears(failed=1, total=100)
    assert parse_tolerance("100%").bears(failed=7, total=7)


def test_items_in_batches() -> None:
    assert instances(10, batch=3) == 4
    assert instances(0, batch=3) == 0
    assert [list(batch_of(at, items=10, batch=3)) for at in range(4)] == [
        [0, 1, 2],
        [3, 4, 5],
        [6, 7, 8],
        [9],
    ]
