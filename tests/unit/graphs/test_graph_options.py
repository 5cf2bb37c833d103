"""Graphs as people write them: short forms, refusals with the field, the published schema."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.errors import BadFile, BadGraph
from rota.model.graphs.graph import Cache, Graph, Map, Node, Parameter
from rota.rules.graphs import plan_graph
from rota.rules.graphs.options import graph_schema, read_graph
from rota.rules.jobs.files.graphs import read_graphs
from tests.support.source import ROOT

FLOW = """
graphs:
  nightly:
    description: Loads a day
    parameters:
      day: str
      limit: {type: int, default: 5}
    mode: finish
    timeout: 90
    nodes:
      extract:
        args: {day: {$param: day}}
      clean:
        after: extract
        when: size(nodes.extract.result) > 0
        cache: 1d
      load:
        job: load-rows
        map: {over: {$ref: clean.rows}, into: row, batch: 10, tolerate: 5%}
"""


def test_short_forms_are_spelled_out() -> None:
    assert read_graphs(FLOW.encode(), "flow.yaml") == {
        "nightly": Graph(
            name="nightly",
            description="Loads a day",
            parameters={"day": Parameter(type="str"), "limit": Parameter(type="int", default=5)},
            mode="finish",
            timeout="90s",
            nodes=(
                Node(name="extract", job="extract", args={"day": {"$param": "day"}}),
                Node(
                    name="clean",
                    job="clean",
                    after=("extract",),
                    when="size(nodes.extract.result) > 0",
                    cache=Cache(ttl="1d"),
                ),
                Node(
                    name="load",
                    job="load-rows",
                    map=Map(over={"$ref": "clean.rows"}, into="row", batch=10, tolerate="5%"),
                ),
            ),
        )
    }


def test_a_file_may_be_one_graph_and_json() -> None:
    text = json.dumps({"nodes": [{"name": "a", "job": "a"}, {"name": "b", "job": "b"}]})

    assert list(read_graphs(text.encode(), "dir/flow.json")) == ["flow"]
    assert read_graphs(b"jobs: {}", "jobs.yaml") == {}


@pytest.mark.parametrize(
    ("given", "says", "path"),
    [
        ([], "is not a mapping", ()),
        ({}, "nodes: a graph needs nodes", ("nodes",)),
        ({"mod": 1}, "there is no 'mod' here. Did you mean 'mode'", ("mod",)),
        ({"nodes": {"a": {"jb": 1}}}, "nodes.a: there is no 'jb'", ("nodes", "a", "jb")),
        ({"nodes": {"a": {"join": "al_done"}}}, "Did you mean 'all_done'", ("nodes", "a", "join")),
        (
            {"nodes": {"a": {"retries": "x"}}},
            "a.retries: Expected",
            ("nodes", "a", "retries"),
        ),
        ({"nodes": {"a": {"map": {"ovr": 1}}}}, "no 'ovr' here", ("nodes", "a", "map", "ovr")),
        ({"nodes": [{"job": "a"}]}, r"nodes\[1\]: a node in a list needs a name", ("nodes", 0)),
        ({"nodes": {"a": {"name": "b"}}}, "another name", ("nodes", "a", "name")),
        ({"nodes": {"a": {}}, "mode": "x"}, "mode: 'x' is not one of", ("mode",)),
        ({"nodes": {"a": {}}, "parameters": 3}, "write them by name", ("parameters",)),
        ({"nodes": {"a": {}}, "name": "other"}, "name: 'other' is called 'g'", ("name",)),
    ],
)
def test_a_refusal_tells_the_field(given: Any, says: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(BadGraph, match=says) as caught:
        read_graph("g", given)
    assert caught.value.path == path


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            FLOW.replace("after: extract", "after: extrct"),
            "flow.yaml:13:7: .*nodes.clean.*extrct",
        ),
        (FLOW.replace("mode: finish", "mode: finsh"), "flow.yaml:8:5: .*Did you mean 'finish'"),
        (FLOW.replace("cache: 1d", "cache: soon"), "flow.yaml:13:7: .*'soon' is not a duration"),
    ],
)
def test_a_file_tells_line_and_column(text: str, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read_graphs(text.encode(), "flow.yaml")


def test_the_published_schema_is_that_of_the_code() -> None:
    published = (ROOT / "docs" / "graph.schema.json").read_text()

    assert published == json.dumps(graph_schema(), indent=2) + "\n"


def test_the_schema_knows_every_field_and_every_reference_leads_somewhere() -> None:
    schema = graph_schema()
    text = json.dumps(schema)

    assert set(schema["$defs"]["Graph"]["properties"]) == set(Graph.__struct_fields__)
    assert set(schema["$defs"]["Node"]["properties"]) == set(Node.__struct_fields__)
    for name in text.split('"#/$defs/')[1:]:
        assert name.partition('"')[0] in schema["$defs"]


FIELDS = [*Graph.__struct_fields__, *Node.__struct_fields__, "$ref", "$expr", "x"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["a", "1s", "all_done", ""]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(FIELDS), inner, max_size=4)
    ),
    max_leaves=12,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(FIELDS), VALUES, max_size=5))
def test_whatever_is_given_becomes_a_plan_or_is_refused_in_words(given: dict[str, Any]) -> None:
    with suppress(BadGraph):
        assert plan_graph(read_graph("g", given)).nodes
