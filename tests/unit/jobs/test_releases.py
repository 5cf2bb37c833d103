"""Which code is older, and which versions came together: the rules alone."""

from __future__ import annotations

from typing import Any

import pytest

from rota.model.jobs.bundle import BundledSchedule
from rota.model.jobs.release import Declaration
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.schedules.definitions import Every, Schedule
from rota.rules.jobs.pins import Reign, bound_of, version_before
from rota.rules.jobs.releases import ReleaseContent, digest_of, successor


def said(number: int, /, schedules: dict[str, Any] | None = None, **jobs: int) -> ReleaseContent:
    return ReleaseContent(number, jobs, schedules or {})


def daily(job: str) -> dict[str, Any]:
    return {"job": job, "schedule": {"every": "1d"}}


def job(name: str) -> JobSpec:
    return JobSpec(name=name, target=PythonTarget(ref=f"m:{name}"))


def test_the_order_in_which_code_declares_does_not_matter() -> None:
    jobs = {name: job(name) for name in "ab"}
    turned = {name: jobs[name] for name in "ba"}

    assert digest_of(Declaration(jobs=jobs)) == digest_of(Declaration(jobs=turned))


def test_every_part_of_a_declaration_makes_another_release() -> None:
    schedule = BundledSchedule(job="a", schedule=Schedule(trigger=Every(every="1d")))
    each = [
        Declaration(jobs={"a": job("a")}),
        Declaration(jobs={"a": job("a")}, app="shop"),
        Declaration(jobs={"a": job("a")}, label="1"),
        Declaration(jobs={"a": job("a")}, schedules={"a": schedule}),
        Declaration(jobs={"a": job("a"), "b": job("b")}),
    ]

    assert len({digest_of(one) for one in each}) == len(each)


@pytest.mark.parametrize(
    ("later", "number"),
    [
        ([], None),
        ([said(2, a=1, b=1)], 2),
        ([said(2, {"a": daily("a")}, a=1)], 2),
        ([said(2, a=1)], None),
        ([said(3, a=1), said(2, a=2)], None),
        ([said(3, a=2), said(2, a=1)], 3),
    ],
    ids=["none", "more jobs", "a schedule", "the same", "gone back to it", "another at last"],
)
def test_the_newest_release_of_a_named_app_counts(
    later: list[ReleaseContent], number: int | None
) -> None:
    assert successor(said(1, a=1), later, is_named=True) == number


@pytest.mark.parametrize(
    ("later", "number"),
    [
        ([said(2, c=1)], None),
        ([said(2, a=1, c=1)], None),
        ([said(2, a=2)], 2),
        ([said(2, {"a": daily("a")}, a=1)], 2),
        ([said(2, {"c": daily("c")}, a=1, c=1)], None),
        ([said(3, a=1), said(2, a=2)], None),
        ([said(3, a=1), said(2, b=2)], 2),
    ],
    ids=["others", "a part", "a job", "a schedule", "of others", "gone back", "one of two"],
)
def test_apps_without_a_name_are_compared_in_the_jobs_they_share(
    later: list[ReleaseContent], number: int | None
) -> None:
    assert successor(said(1, a=1, b=1), later, is_named=False) == number


GRAPH = [Reign(1, 100), Reign(2, 200), Reign(1, 300), Reign(3, 400)]


@pytest.mark.parametrize(
    ("version", "as_of", "bound"),
    [
        (1, 150, 151),  # current then
        (1, 200, 200),  # replaced in this very moment
        (1, 250, 200),  # a submit of old code
        (2, 250, 251),
        (1, 350, 351),  # gone back to
        (2, 350, 300),
        (1, 500, 400),  # the last time counts
        (3, 350, 351),  # before it was on record
        (9, 500, 501),  # was never the current one
    ],
)
def test_a_run_is_bound_by_when_its_version_was_replaced(
    version: int, as_of: int, bound: int
) -> None:
    assert bound_of(GRAPH, version, as_of=as_of) == bound


def test_the_version_just_before_counts_and_of_a_late_job_its_first() -> None:
    reigns = [Reign(1, 100), Reign(2, 200)]

    assert [version_before(reigns, bound) for bound in (50, 200, 201)] == [1, 1, 2]
