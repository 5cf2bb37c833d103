"""Drawings: the same graph, the same picture; boxes that do not overlap; states in words."""

from __future__ import annotations

from itertools import combinations
from random import Random
from xml.etree import ElementTree as ET

import pytest

from rota.errors import BadGraph
from rota.model.graphs.graph import Graph, Map, Node, Parameter
from rota.rules.graphs import GraphPlan, plan_graph
from rota.rules.graphs.drawing import (
    FORMATS,
    NodeState,
    draw_dot,
    draw_mermaid,
    draw_svg,
    draw_text,
    picture,
)
from rota.rules.graphs.drawing.layout import Gaps, Size, lay_out
from rota.rules.graphs.drawing.picture import title_of


def node(name: str, *after: str, **fields: object) -> Node:
    return Node(name=name, job=name, after=after, **fields)  # type: ignore[arg-type]  # by test


def nightly() -> GraphPlan:
    return plan_graph(
        Graph(
            name="nightly",
            parameters={"day": Parameter(type="str"), "n": Parameter(type="int", default=5)},
            nodes=(
                node("extract"),
                node("choose", "extract", kind="branch"),
                node("left", "choose", group="sides"),
                node("right", "choose", group="sides", when='nodes.extract.result == "<&>"'),
                node("load", map=Map(over={"$ref": "extract"}, batch=10, concurrency=2)),
                node("report", "left", "right", "load", join="none_failed_min_one_success"),
            ),
        )
    )


TREE = """\
nightly(day: str, n: int = 5)
  1  └─ extract
  2     ├─ choose     branch
  3     │  ├─ left    in sides
  3     │  └─ right   when nodes.extract.result == "<&>"; in sides; also after extract
  2     └─ load       each of extract by 10, 2 at once
  4        └─ report  none failed min one success; also after left, right
"""


def test_a_tree_for_the_terminal() -> None:
    assert draw_text(picture(nightly())) == TREE


def test_a_default_that_is_cut_says_so() -> None:
    loop = Parameter(type="list[dict]", default=[{"i": 1, "j": "a"}, {"i": 2, "j": "b"}])
    graph = Graph(name="each", parameters={"loop": loop}, nodes=(node("a"),))

    assert title_of(graph) == "each(loop: list[dict] = [{'i': 1, 'j': 'a'}…)"


def test_a_run_tells_states_by_icon_and_word() -> None:
    states = {
        "extract": NodeState("success", took_ms=1_200),
        "choose": NodeState("failed", took_ms=90_000),
        "left": NodeState("upstream_failed"),
        "load": NodeState("running", done=7, total=20),
    }

    drawn = draw_text(picture(nightly(), states))

    assert "✔ success 1s 200 ms" in drawn
    assert "✘ failed 1m 30s" in drawn
    assert "⊘ upstream failed" in drawn
    assert "▶ running 7/20" in drawn
    assert "· pending" in drawn
    for form in ("mermaid", "dot", "svg"):
        assert "✘ failed 1m 30s" in FORMATS[form](picture(nightly(), states))


def test_closed_groups_are_one_box_with_the_worst_state() -> None:
    states = {"left": NodeState("success"), "right": NodeState("failed")}

    shown = picture(nightly(), states, close=True)

    assert list(shown.boxes) == ["extract", "choose", "sides/", "load", "report"]
    assert shown.boxes["sides/"].status == "✘ failed 1/2"
    assert shown.boxes["report"].parents == ("sides/", "load")


def test_groups_that_wait_for_each_other_stay_open() -> None:
    plan = plan_graph(
        Graph(
            name="g",
            nodes=(
                node("a", group="one"),
                node("b", "a", group="two"),
                node("c", "b", group="one"),
            ),
        )
    )

    assert list(picture(plan, close=True).boxes) == ["a", "b", "c"]


def test_many_nodes_close_their_groups() -> None:
    nodes = [node(f"n{at}", group=f"g{at % 3}") for at in range(51)]

    assert list(picture(plan_graph(Graph(name="g", nodes=tuple(nodes)))).boxes) == [
        "g0/",
        "g1/",
        "g2/",
    ]


def test_mermaid_and_dot_escape_what_people_write() -> None:
    mermaid, dot = draw_mermaid(picture(nightly())), draw_dot(picture(nightly()))

    assert "when nodes.extract.result == #quot;#lt;#amp;#gt;#quot;" in mermaid
    assert 'subgraph g1["sides"]' in mermaid
    assert "n0 --> n1" in mermaid
    assert r"when nodes.extract.result == \"<&>\"" in dot
    assert 'subgraph "cluster_sides" {' in dot
    assert '"choose" -> "left";' in dot


def test_svg_is_well_formed_and_tells_all() -> None:
    root = ET.fromstring(draw_svg(picture(nightly())))

    texts = [each.text for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert root.get("aria-label") == "nightly(day: str, n: int = 5)"
    assert "sides: right" in texts
    assert 'when nodes.extract.result == "<&>"' in texts
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 1 + 8


def test_svg_has_a_limit() -> None:
    plan = plan_graph(Graph(name="g", nodes=tuple(node(f"n{at}") for at in range(2_001))))

    with pytest.raises(BadGraph, match="put nodes into groups"):
        draw_svg(picture(plan))


@pytest.mark.parametrize("seed", range(8))
def test_boxes_do_not_overlap_and_lines_pass_between_them(seed: int) -> None:
    chance = Random(seed)
    count = 30
    nodes = []
    for at in range(count):
        parents = {f"n{chance.randrange(at)}" for _ in range(chance.randrange(3))} if at else ()
        nodes.append(node(f"n{at}", *sorted(parents)))
    plan = plan_graph(Graph(name="g", nodes=tuple(nodes)))
    sizes = {name: Size(chance.randrange(40, 200), chance.randrange(20, 60)) for name in plan.nodes}
    edges = [(up, name) for name, each in plan.nodes.items() for up in each.parents]

    layout = lay_out(sizes, {name: each.level for name, each in plan.nodes.items()}, edges, Gaps())

    for one, two in combinations(layout.boxes.values(), 2):
        beside = one.x + one.size.width <= two.x or two.x + two.size.width <= one.x
        above = one.y + one.size.height <= two.y or two.y + two.size.height <= one.y
        assert beside or above
    for up, down, points in layout.lines:
        others = [box for name, box in layout.boxes.items() if name not in (up, down)]
        for x, y in points[1:-1]:
            assert not any(
                box.x < x < box.x + box.size.width and box.y < y < box.y + box.size.height
                for box in others
            )
        assert [x for x, _ in points] == sorted(x for x, _ in points)


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_graph_gives_the_same_picture(form: str) -> None:
    assert FORMATS[form](picture(nightly())) == FORMATS[form](picture(nightly()))
