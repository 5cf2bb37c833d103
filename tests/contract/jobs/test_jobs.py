"""Jobs: the same definition is the same version, whoever brings it and when."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import msgspec

from rota.engine.jobs.definitions import define, jobs, spec_of
from rota.model.jobs.spec import JobSpec, PythonTarget, RetryPolicy
from rota.store.base import Store
from rota.store.open import open_store
from tests.contract.builders import HOME

SPEC = JobSpec(name="mail", target=PythonTarget(ref="app:mail"), parameters={"b": "int", "a": "s"})


def bring(store: Store, spec: JobSpec, *, namespace: str = HOME) -> int:
    return store.write(lambda tx: define(tx, spec, namespace=namespace))


def load(store: Store, version: int) -> JobSpec | None:
    return store.read(lambda tx: spec_of(tx, "mail", version, namespace=HOME))


def test_the_same_definition_is_the_same_version(store: Store) -> None:
    reordered = msgspec.structs.replace(SPEC, parameters={"a": "s", "b": "int"})

    assert [bring(store, SPEC), bring(store, SPEC), bring(store, reordered)] == [1, 1, 1]


def test_a_change_is_a_new_version_and_the_way_back_is_the_old_one(store: Store) -> None:
    changed = msgspec.structs.replace(SPEC, retry=RetryPolicy(limit=9))

    versions = [bring(store, spec) for spec in (SPEC, changed, SPEC, changed, SPEC)]

    (current,) = store.read(lambda tx: jobs(tx, namespace=HOME))
    assert versions == [1, 2, 1, 2, 1]
    assert (current.name, current.version, current.spec) == ("mail", 1, SPEC)


def test_old_versions_stay_readable(store: Store) -> None:
    changed = msgspec.structs.replace(SPEC, priority=10)
    bring(store, SPEC)
    bring(store, changed)

    specs = [load(store, n) for n in (1, 2, 3)]

    assert specs == [SPEC, changed, None]


def test_each_job_and_each_namespace_counts_its_own_versions(store: Store) -> None:
    other = msgspec.structs.replace(SPEC, name="other")

    versions = bring(store, SPEC), bring(store, other), bring(store, SPEC, namespace="b")

    assert versions == (1, 1, 1)
    assert [view.name for view in store.read(lambda tx: jobs(tx, namespace=HOME))] == [
        "mail",
        "other",
    ]


def test_eight_processes_that_bring_four_definitions_agree_on_four_versions(
    store: Store,
) -> None:
    specs = [msgspec.structs.replace(SPEC, priority=level) for level in range(4)] * 2
    barrier = Barrier(len(specs))

    def start(spec: JobSpec) -> tuple[JobSpec, int]:
        own = open_store(store.url)
        try:
            barrier.wait(10)
            return spec, bring(own, spec)
        finally:
            own.close()

    with ThreadPoolExecutor(len(specs)) as pool:
        answers = list(pool.map(start, specs))

    assert {version for _, version in answers} == {1, 2, 3, 4}
    assert len({(spec.priority, version) for spec, version in answers}) == 4
    for spec, version in answers:
        assert load(store, version) == spec
