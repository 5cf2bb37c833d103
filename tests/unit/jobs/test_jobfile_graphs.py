"""Graphs in job files: what they become, and what is refused with its place."""

from __future__ import annotations

import pytest

from rota.errors import BadFile, BadGraph, BadInput
from rota.model.jobs.apply_plan import Stored, Wish
from rota.model.jobs.bundle import Bundle
from rota.model.jobs.spec import CommandTarget, GraphTarget, HttpTarget, JobSpec, PythonTarget
from rota.rules.jobs.files.known import GRAPH_FIELDS, INLINE_FIELDS
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.files.schema import job_file_schema
from rota.rules.jobs.plan import make_plan

FILE = """
defaults: {timezone: Europe/Paris, retries: 2, queue: night}
jobs:
  load: {command: "load {row}"}
graphs:
  nightly:
    parameters: {day: str, limit: {type: int, default: 5}}
    schedule: 0 2 * * *
    arguments: {day: monday}
    timeout: 1h
    nodes:
      dump: {command: "pg_dump {day}", args: {day: {$param: day}}, ok_codes: [0, 3], retries: 1}
      tell: {http: "https://example.org/told", after: dump, memory: 64MB}
      rows: {python: "shop.db:rows", after: dump}
      load: {map: {over: {$ref: rows}, into: row}}
"""


def read(text: str) -> Bundle:
    return read_bundle(text.encode(), "folder/flow.yaml")


def test_a_graph_becomes_a_job_and_so_do_its_nodes_that_say_what_they_do() -> None:
    jobs = read(FILE).jobs

    assert list(jobs) == ["load", "nightly.dump", "nightly.tell", "nightly.rows", "nightly"]
    dump = jobs["nightly.dump"].target
    assert isinstance(dump, CommandTarget)
    assert (dump.argv, dump.ok_codes) == (("pg_dump", "{day}"), (0, 3))
    assert isinstance(jobs["nightly.tell"].target, HttpTarget)
    assert isinstance(jobs["nightly.rows"].target, PythonTarget)
    target = jobs["nightly"].target
    assert isinstance(target, GraphTarget)
    assert [(node.name, node.job) for node in target.graph.nodes] == [
        ("dump", "nightly.dump"),
        ("tell", "nightly.tell"),
        ("rows", "nightly.rows"),
        ("load", "load"),
    ]


def test_policies_go_where_they_count() -> None:
    jobs = read(FILE).jobs
    target = jobs["nightly"].target

    assert isinstance(target, GraphTarget)
    assert (target.graph.timeout, target.graph.retries) == ("1h", 0)
    assert jobs["nightly"].queue == "night"
    assert target.graph.nodes[0].retries == 1
    assert jobs["nightly.dump"].retry.limit == 2
    assert jobs["nightly.tell"].memory_mb == 64


def test_a_graph_has_schedules_as_a_job_has() -> None:
    bundle = read(FILE)

    assert bundle.schedules["nightly"].job == "nightly"
    assert bundle.schedules["nightly"].schedule.zone == "Europe/Paris"
    assert bundle.schedules["nightly"].schedule.args == {"day": "monday"}


def test_a_file_may_be_one_graph() -> None:
    bundle = read("nodes: {a: {command: echo a}, b: {command: echo b, after: a}}")

    assert bundle.name == "flow.yaml"
    assert list(bundle.jobs) == ["flow.a", "flow.b", "flow"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("graphs: {g: {nodes: {a: {after: b}}}}", "node 'a': after: there is no node 'b'"),
        (
            "graphs:\n  g:\n    nodes:\n      a: {comand: x}",
            "flow.yaml:4:11: graphs.g.nodes.a.comand: there is no 'comand' here",
        ),
        ("graphs: {g: {nods: {}}}", "graphs.g.nods: there is no 'nods' here. Did you mean 'nodes'"),
        ("graphs: {g: {nodes: {a: {command: x, job: y}}}}", "leave job out"),
        ("graphs: {g: {nodes: {a: {command: x, http: 'http://y'}}}}", "give exactly one"),
        ("graphs: {g: {nodes: {a: {command: x, memory: 1MB}}}}", "graphs.g.nodes.a.memory"),
        (
            "jobs: {g: {command: x}}\ngraphs: {g: {nodes: {a: {command: y}}}}",
            "a job is named 'g' as well",
        ),
        (
            "graphs: {g: {parameters: {day: str}, schedule: '@daily', nodes: {a: {command: x}}}}",
            "missing a required argument: 'day'",
        ),
        ("graphs: {}", "it has no jobs"),
    ],
)
def test_a_bad_graph_is_refused_with_its_place(text: str, says: str) -> None:
    with pytest.raises(BadFile) as refused:
        read(text)

    assert says in str(refused.value)
    assert str(refused.value).startswith("folder/flow.yaml:")


def plan(text: str, **known: JobSpec) -> list[str]:
    stored = Stored(now=0, others=known)
    found = make_plan([read(text)], stored, Wish(), seed=lambda name: name)
    return [f"{each.verb} {each.kind} {each.name}" for each in found.changes]


def test_nodes_may_be_jobs_on_record() -> None:
    there = JobSpec(name="x", target=PythonTarget(ref="shop:x"), parameters={"a": "int"})

    assert plan("graphs: {g: {nodes: {x: {args: {a: 1}}}}}", x=there) == ["add graph g"]


@pytest.mark.parametrize(
    ("nodes", "says"),
    [
        ("{lod: }", "no job is named 'lod' in the files or on record. Did you mean 'load'?"),
        ("{a: {graph: other}}", "no graph is named 'other'"),
        ("{a: {job: load, args: {rwo: 1}}}", "job 'load' takes no 'rwo'. Did you mean 'row'?"),
        ("{a: {job: load}}", "job 'load' needs 'row'"),
        ("{a: {job: load, args: {row: null}}}", "row: Expected `bool | int | float | str`"),
        ("{a: {graph: g}}", "a graph contains itself: g -> g"),
    ],
)
def test_nodes_are_checked_against_what_is_known(nodes: str, says: str) -> None:
    text = f'jobs: {{load: {{command: "load {{row}}"}}}}\ngraphs: {{g: {{nodes: {nodes}}}}}'

    with pytest.raises(BadGraph) as refused:
        plan(text)

    assert says in str(refused.value)


def test_the_schema_knows_what_a_graph_and_its_nodes_may_say() -> None:
    parts = job_file_schema()["$defs"]

    assert set(parts["Graph"]["properties"]) == GRAPH_FIELDS
    assert set(parts["Node"]["properties"]) >= INLINE_FIELDS


@pytest.mark.parametrize(
    ("args", "says"),
    [
        ("{start: abc, stop: 3}", "start: Expected `int`, got `str`; start is int"),
        ("{start: 1, stop: 2, foo: 3}", "job 'ints' takes no 'foo'"),
        ("{start: 1}", "job 'ints' needs 'stop'"),
        ("{start: 1, stop: null}", "stop: Expected `int`, got `null`; stop is int"),
    ],
)
def test_arguments_of_a_node_are_checked_by_a_plan_with_line_and_column(
    args: str, says: str
) -> None:
    text = (
        "jobs:\n"
        '  ints: {python: "helpers:ints", parameters: {start: int, stop: int}}\n'
        "graphs:\n"
        "  g:\n"
        "    nodes:\n"
        f"      a: {{job: ints, args: {args}}}\n"
    )

    with pytest.raises(BadGraph) as refused:
        make_plan([read(text)], Stored(now=0), Wish(), seed=str)

    assert str(refused.value).startswith("folder/flow.yaml:6:7: graph 'g': node 'a': ")
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "declared",
    ["{start: int, stop: {type: int, default: 5}}", "{start: int, stop: {default: null}}"],
)
def test_a_parameter_with_a_default_can_be_left_out(declared: str) -> None:
    text = (
        f'jobs: {{ints: {{python: "helpers:ints", parameters: {declared}}}}}\n'
        "graphs: {g: {nodes: {a: {job: ints, args: {start: 1}}}}}\n"
    )

    assert plan(text) == ["add job ints", "add graph g"]


@pytest.mark.parametrize(
    ("declared", "args"),
    [("int | None", "null"), ("Optional[int]", "null"), ("{type: int, default: null}", "null")],
)
def test_null_is_taken_where_it_is_declared(declared: str, args: str) -> None:
    given = declared if declared.startswith("{") else f"'{declared}'"
    text = (
        f'jobs: {{ints: {{python: "helpers:ints", parameters: {{stop: {given}}}}}}}\n'
        f"graphs: {{g: {{nodes: {{a: {{job: ints, args: {{stop: {args}}}}}}}}}}}\n"
    )

    assert plan(text) == ["add job ints", "add graph g"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("{start: 1}", "missing a required argument: 'stop'"),
        ("{start: 1, stop: null}", "stop: Expected `int`, got `null`"),
    ],
)
def test_arguments_of_a_schedule_are_complete_and_of_their_types(arguments: str, says: str) -> None:
    declared = 'python: "m:f", parameters: {start: int, stop: int}'
    text = f"jobs: {{a: {{{declared}, schedule: '@daily', arguments: {arguments}}}}}"

    with pytest.raises(BadFile) as refused:
        read(text)

    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("parameter", "says"),
    [
        ("{type: int, default: abc}", "n: default: Expected `int`, got `str`; n is int"),
        ("integer", "n: there is no type 'integer'; write int"),
        ("{type: int, defalt: 5}", "n.defalt: there is no 'defalt' here. Did you mean 'default'?"),
    ],
)
def test_a_parameter_that_cannot_be_is_refused_with_its_place(parameter: str, says: str) -> None:
    text = f"jobs:\n  a:\n    python: m:f\n    parameters:\n      n: {parameter}\n"

    with pytest.raises(BadFile) as refused:
        read(text)

    assert str(refused.value).startswith("folder/flow.yaml:5:")
    assert f"jobs.a.parameters.{says}" in str(refused.value)


def test_arguments_of_a_schedule_are_checked_by_the_types_that_a_file_declares() -> None:
    text = (
        'jobs: {a: {python: "m:f", parameters: {start: int}, schedule: "@daily",'
        " arguments: {start: abc}}}"
    )

    with pytest.raises(BadFile, match="start: Expected `int"):
        read(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "name: f\nparameters:\n  n: {type: int, default: abc}\nnodes: {a: {command: 'true'}}\n",
            "folder/flow.yaml:3:3: parameters.n: default: Expected `int`, got `str`; n is int",
        ),
        (
            "name: f\nparameters:\n  n: integer\nnodes: {a: {command: 'true'}}\n",
            "folder/flow.yaml:3:3: parameters.n: there is no type 'integer'; write int",
        ),
        (
            (
                "graphs:\n"
                "  sub: {parameters: {start: int}, nodes: {a: {command: 'true'}}}\n"
                "  f:\n    nodes:\n      a: {graph: sub, map: {over: [1, x], into: start}}\n"
            ),
            "folder/flow.yaml:5:7: graph 'f': node 'a': start: Expected `int`, got `str`",
        ),
        (
            (
                "graphs:\n"
                "  sub: {parameters: {start: int}, nodes: {a: {command: 'true'}}}\n"
                "  f:\n    nodes:\n      a: {graph: sub, args: {start: null}}\n"
            ),
            "folder/flow.yaml:5:7: graph 'f': node 'a': start: Expected `int`, got `null`",
        ),
        (
            (
                "graphs:\n"
                "  sub: {nodes: {a: {command: 'true'}}}\n"
                "  f:\n    nodes:\n      a: {graph: sub, isolation: process}\n"
            ),
            "folder/flow.yaml:5:7: graphs.f.nodes.a: graph 'f': node 'a': isolation: it is",
        ),
        (
            (
                "graphs:\n"
                "  sub: {nodes: {a: {command: 'true'}}}\n"
                "  f:\n    nodes:\n      a: {job: sub}\n"
            ),
            "folder/flow.yaml:5:7: graph 'f': node 'a': 'sub' is a graph; write `graph: sub`",
        ),
        (
            "jobs:\n  b: {command: 'true'}\n  a: {command: 'true', dependencies: [nope]}\n",
            "folder/flow.yaml:3:3: job 'a': dependencies: no job is named 'nope' in the files",
        ),
        (
            "jobs:\n  b: {command: 'true'}\n  a: {command: 'true', on_failure: nope}\n",
            "folder/flow.yaml:3:3: job 'a': on_failure: no job is named 'nope' in the files",
        ),
        (
            (
                "jobs:\n"
                "  a: {command: 'true', dependencies: [b]}\n"
                "  b: {command: 'true', dependencies: [a]}\n"
            ),
            "dependencies: jobs wait for each other in a circle: ",
        ),
    ],
)
def test_a_graph_that_cannot_work_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(BadInput) as refused:
        make_plan([read(text)], Stored(now=0), Wish(), seed=str)

    assert said in str(refused.value)
    assert str(refused.value).startswith("folder/flow.yaml:")


def test_deadlines_are_of_a_job_of_a_graph_or_of_a_schedule() -> None:
    found = read("""
defaults: {deadline: 3h}
jobs:
  report:
    command: "true"
    schedule: {cron: 0 2 * * *, deadline: 07:00}
graphs:
  nightly:
    deadline: 07:00 Europe/Paris
    nodes: {a: {command: "true"}, b: {command: "true", deadline: 1h}}
  weekly: {nodes: {report: {}}}
""")

    assert {name: spec.deadline or None for name, spec in found.jobs.items()} == {
        "report": "3h",
        "nightly.a": None,
        "nightly.b": "1h",
        "nightly": "07:00 Europe/Paris",
        "weekly": "3h",
    }
    assert found.schedules["report"].schedule.deadline == "07:00"


def test_a_deadline_that_cannot_be_read_is_refused_with_its_place() -> None:
    with pytest.raises(BadFile, match=r"flow.yaml:2:24: .*deadline='soon' is not a deadline"):
        read("jobs:\n  a: {command: 'true', deadline: soon}\n")
