"""Kinds of targets and the executors that carry them out: each is described once."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from rota.model.graphs.graph import Graph, Node
from rota.model.jobs.isolation import Isolation
from rota.model.jobs.spec import (
    CommandTarget,
    GraphTarget,
    HttpTarget,
    JobSpec,
    PythonTarget,
    Target,
)
from rota.model.workers.sandbox import Egress, Programs
from rota.rules.jobs.target_kinds import KINDS, parameter_names, target_kind
from rota.runtime.attempts.context import ProgressBoard
from rota.runtime.executors.parts import ExecutorParts
from rota.runtime.executors.registry import EXECUTORS, executor_name

PROGRAM = CommandTarget(argv=("echo", "{word}", "{other}"), env={"TOKEN": "{word}"})
REQUEST = HttpTarget(url="https://example.com/{id}", headers={"X": "{key}"}, body="{id}{rest}")
FUNCTION = PythonTarget(ref="shop:sell")
GRAPH = GraphTarget(graph=Graph(name="g", nodes=(Node(name="a", job="a"),)))


def test_each_kind_of_target_is_described() -> None:
    assert set(KINDS) == set(get_args(Target))


def test_each_isolation_and_each_template_has_an_executor() -> None:
    named = {kind.executor for kind in KINDS.values()} - {None}

    assert {*named, *get_args(Isolation)} <= set(EXECUTORS)


@pytest.mark.parametrize("name", EXECUTORS)
def test_an_executor_that_is_looked_up_can_be_made(name: str) -> None:
    def nothing(*_: Any) -> None:
        pass

    parts = ExecutorParts(
        slots=1,
        started=nothing,
        done=nothing,
        done_at_rest=nothing,
        progress=ProgressBoard(),
        grace_s=1.0,
        is_leaving=lambda: False,
        programs=Programs(),
        egress=Egress(),
    )
    executor = EXECUTORS[name](parts)

    assert executor.withdraw() == []
    executor.close()


@pytest.mark.parametrize(
    ("target", "isolation", "crashes", "name"),
    [
        (FUNCTION, "thread", 0, "thread"),
        (FUNCTION, "process", 0, "process"),
        (FUNCTION, "thread", 1, "process"),
        (PythonTarget(ref="shop:<locals>.sell"), "thread", 1, "thread"),
        (PythonTarget(ref="shop:sell", is_async=True), "thread", 0, "loop"),
        (PROGRAM, "thread", 1, "command"),
        (REQUEST, "thread", 1, "http"),
    ],
)
def test_a_run_has_the_executor_of_its_target_and_isolation(
    target: Target, isolation: Isolation, crashes: int, name: str
) -> None:
    spec = JobSpec(name="job", target=target, isolation=isolation)

    assert executor_name(spec, crashes=crashes) == name


def test_a_graph_has_no_executor() -> None:
    with pytest.raises(AssertionError, match="graphs begin at the claim"):
        executor_name(JobSpec(name="g", target=GRAPH), crashes=0)


def test_the_parameters_of_a_template_are_the_names_in_its_texts() -> None:
    assert parameter_names(PROGRAM) == ("word", "other")
    assert parameter_names(REQUEST) == ("id", "key", "rest")
    assert parameter_names(FUNCTION) == ()


def test_only_a_request_to_public_addresses_and_a_graph_need_no_right_to_run_code() -> None:
    private = HttpTarget(url="http://10.0.0.1", allow_private=True)
    targets: list[Target] = [PROGRAM, FUNCTION, private, REQUEST, GRAPH]

    powers = [target_kind(each).power(each) for each in targets]

    assert [power is not None for power in powers] == [True, True, True, False, False]
