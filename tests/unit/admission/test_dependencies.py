"""Dependencies between jobs: what lets a run start, what makes it wait, what gives it up."""

from __future__ import annotations

from typing import Any

import pytest

from rota import App
from rota.errors import BadOption
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.states import FINAL, State
from rota.rules.admission.dependencies import (
    DependencyParent,
    check_circles,
    check_there,
    judge,
    judge_all,
)


def spec(name: str, *dependencies: str) -> JobSpec:
    return JobSpec(name=name, target=PythonTarget(ref="m:f"), dependencies=dependencies)


@pytest.mark.parametrize("state", list(State))
def test_only_a_success_lets_it_start(state: State) -> None:
    word = judge(DependencyParent(job="a", run_id="r", state=state)).word

    assert (word == "met") == (state is State.SUCCESS)
    assert (word == "refused") == (state in FINAL - {State.SUCCESS})


@pytest.mark.parametrize(
    ("facts", "word"),
    [
        ({}, "met"),
        ({"is_due": True}, "waits"),
        ({"is_missed": True}, "refused"),
        ({"decision": "skipped"}, "refused"),
        ({"run_id": "r"}, "refused"),
    ],
)
def test_without_a_run_it_depends_on_why(facts: dict[str, Any], word: str) -> None:
    assert judge(DependencyParent(job="a", **facts)).word == word


def test_one_refusal_decides_and_says_which() -> None:
    waits = DependencyParent(job="a", run_id="r1", state=State.RUNNING)
    failed = DependencyParent(job="b", run_id="r2", state=State.FAILED)

    assert judge_all([waits, failed]) == ("refused", ["run r2 of job b ended as failed"])
    assert judge_all([waits]) == ("waits", ["run r1 of job a, which is running"])
    assert judge_all([]) == ("met", [])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (["b", "b"], "'b' is listed twice"),
        (["a"], "cannot wait for itself"),
        ([3], "3 is neither a job nor the name of one"),
        (7, "is not a list of jobs"),
    ],
)
def test_a_dependency_that_cannot_be_waited_for_is_refused(given: object, says: str) -> None:
    app = App()

    with pytest.raises(BadOption, match=says):
        app.command("a", ["true"], dependencies=given)


def test_jobs_may_be_named_or_given_themselves() -> None:
    app = App()

    @app.job
    def extract() -> None: ...

    @app.job(dependencies=[extract, "other"])
    def report() -> None: ...

    assert report.spec.dependencies == ("extract", "other")


def test_circles_are_shown_as_a_way() -> None:
    specs = {"a": spec("a", "b"), "b": spec("b", "c"), "c": spec("c", "a")}

    with pytest.raises(BadOption, match=r"in a circle: .*a.* -> "):
        check_circles(specs)
    check_circles({"a": spec("a", "b"), "b": spec("b", "elsewhere")})


def test_files_name_jobs_that_are_there() -> None:
    with pytest.raises(BadOption, match=r"no job is named 'extarct'.*Did you mean 'extract'"):
        check_there({"r": spec("r", "extarct")}, {"extract": spec("extract")})
