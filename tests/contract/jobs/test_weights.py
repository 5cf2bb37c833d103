"""Weights: runs are shared out between versions of their job, and say which one they got."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from rota.engine.jobs.definitions import define, jobs
from rota.engine.jobs.weights import choices, set_weights
from rota.errors import BadOption, UnknownJob, UnknownVersion
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.rules.jobs.weights import point_of
from rota.store.base import Store
from tests.contract.builders import HOME, Clock
from tests.contract.schedules.builders import MINUTE, every, fire_some, put, runs_of

OLD = JobSpec(name="noop", target=PythonTarget(ref="m:f"), queue="old")
NEW = msgspec.structs.replace(OLD, queue="new", priority=7)


def given_versions(store: Store) -> None:
    for spec in (OLD, NEW):
        store.write(lambda tx, spec=spec: define(tx, spec, namespace=HOME))  # type: ignore[misc]


def weigh(store: Store, **weights: int) -> None:
    given = {int(name[1:]): weight for name, weight in weights.items()}
    store.write(lambda tx: set_weights(tx, "noop", given, namespace=HOME))


def pick(store: Store, point: float) -> tuple[int, str]:
    choice = store.read(lambda tx: choices(tx, ["noop", "nope"], namespace=HOME))
    assert set(choice) == {"noop"}
    version, spec = choice["noop"].at(point)
    return version, spec.queue


def test_without_weights_the_current_version_gets_everything(store: Store) -> None:
    given_versions(store)

    assert {pick(store, point) for point in (0.0, 0.5, 0.999)} == {(2, "new")}


def test_a_point_falls_upon_a_version_by_its_share(store: Store) -> None:
    given_versions(store)
    weigh(store, v1=90, v2=10)

    found = Counter(pick(store, number / 100)[0] for number in range(100))

    assert found == {1: 90, 2: 10}


def test_a_key_stays_with_its_version_when_that_one_gets_more(store: Store) -> None:
    given_versions(store)
    points = [point_of(f"key {number}") for number in range(300)]
    weigh(store, v1=90, v2=10)
    before = {point for point in points if pick(store, point)[0] == 2}

    weigh(store, v1=70, v2=30)

    after = {point for point in points if pick(store, point)[0] == 2}
    assert 10 < len(before) < 60 < len(after) < 130
    assert before < after


def test_another_definition_ends_the_sharing_and_the_same_one_does_not(store: Store) -> None:
    given_versions(store)
    weigh(store, v1=1)

    store.write(lambda tx: define(tx, NEW, namespace=HOME))
    kept = pick(store, 0.5)
    store.write(lambda tx: define(tx, msgspec.structs.replace(NEW, queue="third"), namespace=HOME))

    assert kept == (1, "old")
    assert pick(store, 0.5) == (3, "third")
    assert store.read(lambda tx: jobs(tx, namespace=HOME))[0].weights == {}


def test_no_weights_at_all_give_everything_back(store: Store) -> None:
    given_versions(store)
    weigh(store, v1=1)

    weigh(store)

    assert pick(store, 0.0) == (2, "new")


def test_runs_of_a_schedule_are_shared_out_too(store: Store, clock: Clock) -> None:
    given_versions(store)
    put(store, every("1m"))
    weigh(store, v1=50, v2=50)
    for _ in range(40):
        clock.advance(MINUTE)
        fire_some(store)

    runs = runs_of(store)

    found = {(run.version, run.queue, run.priority) for run in runs}
    assert found == {(1, "old", 0), (2, "new", 7)}
    assert 5 < Counter(run.version for run in runs)[1] < 35


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ({1: -1}, BadOption),
        ({1: 0, 2: 0}, BadOption),
        ({3: 1}, UnknownVersion),
        (dict.fromkeys(range(1, 22), 1), BadOption),
    ],
)
def test_weights_that_make_no_sense_are_refused(
    store: Store, weights: dict[int, int], error: type[Exception]
) -> None:
    given_versions(store)

    with pytest.raises(error):
        store.write(lambda tx: set_weights(tx, "noop", weights, namespace=HOME))

    assert pick(store, 0.0) == (2, "new")


def test_a_job_that_is_not_there_has_no_weights(store: Store) -> None:
    with pytest.raises(UnknownJob):
        store.write(lambda tx: set_weights(tx, "noop", {}, namespace=HOME))
