"""Poisons: definitions, values and rows that make whoever evaluates them raise."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from hypothesis import strategies as st

from rota.engine.jobs.definitions import define
from rota.engine.runs.submit import submit
from rota.ids import new_id
from rota.model.graphs.graph import Cache, Graph, Map, Node, Parameter
from rota.model.jobs.spec import GraphTarget, JobSpec, PythonTarget
from rota.model.runs.run import NewRun
from rota.store.base import Store
from tests.contract.builders import HOME, run_sql

BAD = "bad_work"
DEEP = "[" * 1_500 + "]" * 1_500


def _deep(depth: int) -> Any:
    value: Any = 1
    for at in range(depth):
        value = [value] if at % 2 else {"a": value}
    return value


VALUES: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.sampled_from([0, -1, 7, 2**63, 2**70, -(2**64), 0.5, 1e308]),
    st.sampled_from(["", "text", "a\0b", "\ud800", "@", "@d:none", "$ref", "x" * 70_000]),
    st.sampled_from([[], {}, {"name": None}, {"name": "n"}, {"": 1}, [[]], {"$ref": "a"}]),
    st.lists(st.sampled_from([None, 1, "a", {}, 2**70]), max_size=3),
    st.builds(_deep, st.sampled_from([1, 40, 300])),
)
"""What an argument, an item or a result may be."""

TEXTS = st.sampled_from(
    ["", "{", "null", "[]", "5", '"text"', "{}", '{"a":}', "NaN", '"\\ud800"', "@", "@d:none", DEEP]
)
"""What may stand in a row that somebody has edited by hand."""

EXPRESSIONS = st.sampled_from(
    [
        "params.x + 1",
        "'a' + params.x",
        "params.x.name",
        "params.x[0]",
        "1 / params.x",
        "size(params.x)",
        "params.x ? 1 : 2",
        "params.x.map(each, each + 1)",
        "int(params.x)",
    ]
)


def _argument(form: str, text: str) -> dict[str, Any]:
    return {"value": {"$expr": text} if form == "$expr" else {"$param": "x.name[0]"}}


def _first(form: str, text: str) -> list[Node]:
    return [Node(name="a", job=BAD, args=_argument(form, text))]


def _second(form: str, text: str) -> list[Node]:
    return [
        Node(name="a", job=BAD),
        Node(name="b", job=BAD, after=("a",), args=_argument(form, text)),
    ]


def _mapped(form: str, text: str) -> list[Node]:
    over = {"$expr": text} if form == "$expr" else {"$param": "x"}
    item = {"value": {"$expr": "item + index"}}
    return [Node(name="a", job=BAD, map=Map(over=over, concurrency=1), args=item)]


def _conditional(form: str, text: str) -> list[Node]:
    return [Node(name="a", job=BAD, when=text)]


def _cached(form: str, text: str) -> list[Node]:
    return [Node(name="a", job=BAD, cache=Cache(key=_argument(form, text)["value"]))]


def _branch(form: str, text: str) -> list[Node]:
    branch = Node(name="a", job=BAD, kind="branch")
    return [branch, Node(name="b", job=BAD, after=("a",)), Node(name="c", job=BAD, after=("a",))]


def _given(form: str, text: str) -> list[Node]:
    return [Node(name="a", job=BAD), Node(name="b", job=BAD, args={"value": {"$ref": "a.rows[0]"}})]


def _inner(form: str, text: str) -> list[Node]:
    return [Node(name="a", graph="bad_inner", args={"x": _argument(form, text)["value"]})]


SHAPES: Sequence[Callable[[str, str], list[Node]]] = (
    _first, _second, _mapped, _conditional, _cached, _branch, _given, _inner,
)  # fmt: skip
EDITS = (
    "update rota.run set args = {text} where id = {id}",
    "update rota.run set policy = {text} where id = {id}",
    "update rota.job_version set spec = {text} where name = {job}",
    "delete from rota.job_version where name = {job}",
    "update rota.node set counts = {text} where graph_id = {id}",
    "update rota.node set result = {text} where graph_id = {id}",
    "update rota.node set state = 'nonsense' where graph_id = {id} and name <> ''",
    "delete from rota.node where graph_id = {id}",
    "update rota.node set name = 'else' where graph_id = {id} and name = 'a'",
)


def graph_of(name: str, nodes: Sequence[Node], *, retries: int = 0, mode: Any = "ignore") -> Graph:
    return Graph(
        name=name,
        nodes=tuple(nodes),
        parameters={"x": Parameter(default=None)},
        retries=retries,
        mode=mode,
        result={"$ref": nodes[-1].name},
    )


def define_all(store: Store, *specs: JobSpec) -> list[int]:
    return [store.write(lambda tx, spec=spec: define(tx, spec, namespace=HOME)) for spec in specs]  # type: ignore[misc]


def job(name: str, **fields: Any) -> JobSpec:
    return JobSpec(name=name, target=PythonTarget(ref="m:f"), **fields)


def graph_job(graph: Graph) -> JobSpec:
    return JobSpec(name=graph.name, target=GraphTarget(graph=graph))


def submit_one(store: Store, name: str, version: int, args: str = "{}", **fields: Any) -> str:
    run = NewRun(id=new_id(), job=name, version=version, args=args, **fields)
    store.write(lambda tx: submit(tx, [run], namespace=HOME))
    return run.id


def encoded(value: Any) -> str:
    """As JSON; halves of characters escaped, as others may send them."""
    try:
        return msgspec.json.encode(value).decode()
    except (UnicodeEncodeError, OverflowError, RecursionError):
        return json.dumps(value)


def edit(store: Store, statement: str, *, run_id: str, job: str, text: str) -> None:
    quoted = text.replace("'", "''")
    run_sql(store.url, statement.format(id=f"'{run_id}'", job=f"'{job}'", text=f"'{quoted}'"))
