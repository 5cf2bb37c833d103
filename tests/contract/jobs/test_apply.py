"""Apply: bundles become rows in one transaction, again is nothing, and what left is removed."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rota.engine.admission.windows import blackouts
from rota.engine.identity.audit_log import acts
from rota.engine.jobs.apply import compare
from rota.engine.jobs.definitions import define, jobs, stored_jobs
from rota.engine.schedules import definitions as verbs
from rota.engine.schedules.calendars import calendars
from rota.engine.schedules.views import schedules
from rota.errors import BadOption
from rota.handles.store_backend import StoreBackend
from rota.model.jobs.apply_plan import Plan, Wish
from rota.operations.jobs.files import FileBody, FilesBody, apply_files
from rota.operations.tools import Tools
from rota.rules.jobs.files.read import read_bundle
from rota.store.base import Store
from tests.contract.builders import HOME, run_sql

FILE = """
calendars: {office: {country: FR}}
blackouts: {release: {kind: skip, start: 2030-12-01T00:00Z, end: 2030-12-02T00:00Z}}
jobs:
  backup: {command: pg_dump shop, schedule: 0 3 * * *, calendar: office}
  ping: {http: "https://example.org", schedules: ["@hourly", "@daily"]}
"""


def bring(store: Store, text: str = FILE, *, name: str = "f.yaml", **wish: Any) -> Plan:
    body = FilesBody(files=[FileBody(name=name, text=text)], **wish)
    tools = Tools()
    return StoreBackend(lambda: store, HOME, tools, who="ann@host").call(apply_files, body)


def job_origins(store: Store) -> dict[str, str]:
    return {each.name: each.origin for each in store.read(lambda tx: jobs(tx, namespace=HOME))}


def schedule_jobs(store: Store) -> dict[str, str]:
    found = store.read(lambda tx: schedules(tx, namespace=HOME))
    return {each.name: f"{each.job} {each.origin} {each.state}" for each in found}


def test_a_file_becomes_jobs_schedules_calendars_and_windows(store: Store) -> None:
    plan = bring(store)

    assert len(plan.changes) == 7
    assert job_origins(store) == {"backup": "file:f.yaml", "ping": "file:f.yaml"}
    assert schedule_jobs(store) == {
        "backup": "backup file active",
        "ping": "ping file active",
        "ping.2": "ping file active",
    }
    assert list(store.read(lambda tx: calendars(tx, namespace=HOME))) == ["office"]
    assert list(store.read(lambda tx: blackouts(tx, namespace=HOME))) == ["release"]


def test_applied_again_nothing_is_written(store: Store) -> None:
    bring(store)
    before = store.read(lambda tx: schedules(tx, namespace=HOME))

    plan = bring(store)

    assert (plan.changes, plan.unchanged) == ((), 7)
    assert store.read(lambda tx: schedules(tx, namespace=HOME)) == before
    assert len(store.read(lambda tx: acts(tx, namespace=HOME, limit=10))) == 1


def test_a_plan_says_what_an_apply_does_and_changes_nothing(store: Store) -> None:
    bundle = read_bundle(FILE.encode(), "f.yaml")

    plan = store.read(lambda tx: compare(tx, [bundle], Wish(), namespace=HOME))
    untouched = job_origins(store)
    done = bring(store)

    assert untouched == {}
    assert replace(plan, applied=True) == done
    assert {each.schedule for each in plan.runs} == {"backup", "ping", "ping.2"}


def test_a_change_is_a_new_version_and_moves_the_schedule(store: Store) -> None:
    bring(store)

    plan = bring(store, FILE.replace("0 3", "0 4").replace("pg_dump", "pg_dumpall"))

    found = {each.name: each for each in store.read(lambda tx: jobs(tx, namespace=HOME))}
    assert [f"{each.verb} {each.kind} {each.name}" for each in plan.changes] == [
        "change job backup",
        "change schedule backup",
    ]
    assert (found["backup"].version, found["ping"].version) == (2, 1)
    assert {each.verb for each in plan.runs} == {"move"}


def test_only_prune_removes_what_left_the_file(store: Store) -> None:
    bring(store)
    smaller = "jobs: {ping: {http: 'https://example.org', schedule: '@hourly'}}"

    kept = bring(store, smaller)
    names = job_origins(store)
    bring(store, smaller, prune=True)

    assert len(kept.leftovers) == 3
    assert set(names) == {"backup", "ping"}
    assert set(job_origins(store)) == {"ping"}
    assert set(schedule_jobs(store)) == {"ping"}


def test_runs_of_a_removed_job_are_still_known_to_workers(store: Store) -> None:
    bring(store)
    bring(store, "jobs: {}", prune=True)

    assert job_origins(store) == {}
    assert set(store.read(lambda tx: stored_jobs(tx, namespace=HOME))) == {"backup", "ping"}


def test_a_removed_job_comes_back(store: Store) -> None:
    bring(store)
    bring(store, "jobs: {}", prune=True)

    plan = bring(store)

    assert {each.name for each in plan.changes if each.kind == "job"} == {"backup", "ping"}
    assert set(job_origins(store)) == {"backup", "ping"}


def test_a_job_of_code_is_not_touched_and_nothing_else_is_done(store: Store) -> None:
    spec = read_bundle(FILE.encode(), "f.yaml").jobs["ping"]
    store.write(lambda tx: define(tx, spec, namespace=HOME))

    with pytest.raises(BadOption, match="'ping' belongs to Python code"):
        bring(store)

    assert job_origins(store) == {"ping": "code"}
    assert schedule_jobs(store) == {}
    bring(store, take_over=True)
    assert job_origins(store)["ping"] == "file:f.yaml"


def test_a_schedule_that_was_made_otherwise_is_taken_over_once(store: Store) -> None:
    bring(store)
    run_sql(store.url, "update rota.schedule set origin = 'api' where name = 'backup'")

    with pytest.raises(BadOption, match="comes from the API"):
        bring(store)
    taken = bring(store, take_over=True)

    assert [each.name for each in taken.changes] == ["backup"]
    assert bring(store).changes == ()


def test_an_apply_that_fails_midway_changes_nothing(store: Store) -> None:
    bring(store, "jobs: {z: {command: x, schedule: {cron: '@daily', name: ping}}}", name="z.yaml")

    with pytest.raises(BadOption, match="'ping' is there already"):
        bring(store)

    assert job_origins(store) == {"z": "file:z.yaml"}


def test_the_same_in_another_namespace_is_apart(store: Store) -> None:
    bring(store)

    assert store.read(lambda tx: stored_jobs(tx, namespace="other")) == {}


def test_a_pause_by_a_person_outlives_an_apply(store: Store) -> None:
    bring(store)
    store.write(lambda tx: verbs.pause(tx, "backup", namespace=HOME, who="bob"))

    bring(store, FILE.replace("0 3", "0 4"))

    assert schedule_jobs(store)["backup"] == "backup file paused"


def test_an_apply_records_who_applied_it(store: Store) -> None:
    bring(store, "jobs: {a: {command: x}}")

    (act,) = store.read(lambda tx: acts(tx, namespace=HOME, limit=10))
    assert (act.who, act.verb, act.subject) == ("ann@host", "apply", "f.yaml")
    assert act.detail["changes"] == ["add job a"]
