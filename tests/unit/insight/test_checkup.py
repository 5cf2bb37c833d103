"""The checks of `rota doctor`, each with facts that are good, bad and missing."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rota.rules.insight import checkup
from rota.rules.insight.checkup import Finding
from rota.rules.insight.checkup_fleet import (
    Serving,
    Stuck,
    Waiting,
    anchors,
    chores,
    silent_workers,
    stuck,
    unserved,
)
from rota.store.sqlite.file import file_system

HOUR_MS = 3_600_000
TODAY = date(2026, 3, 1)


@pytest.mark.parametrize(
    ("check", "vitals", "status"),
    [
        (checkup.oldest_transaction, {"oldest_transaction_ms": None}, "ok"),
        (checkup.oldest_transaction, {"oldest_transaction_ms": HOUR_MS // 6}, "warning"),
        (checkup.oldest_transaction, {"oldest_transaction_ms": HOUR_MS}, "problem"),
        (checkup.oldest_transaction, {"idle_in_transaction_ms": 60_000}, "warning"),
        (checkup.transaction_age, {"transaction_age": 200_000_000}, "ok"),
        (checkup.transaction_age, {"transaction_age": 1_900_000_000}, "problem"),
        (checkup.connections, {"connections": 79, "max_connections": 100}, "ok"),
        (checkup.connections, {"connections": 80, "max_connections": 100}, "warning"),
        (checkup.connections, {"connections": 95, "max_connections": 100}, "problem"),
        (checkup.bloat, {"dead run": 50_000, "live run": 100_000}, "ok"),
        (checkup.bloat, {"dead run": 50_000, "live run": 10}, "warning"),
        (checkup.standby, {"replicas": 2, "synchronous_replicas": 1}, "ok"),
        (checkup.standby, {"replicas": 1, "synchronous_replicas": 0}, "warning"),
        (checkup.keys, {"key_rows": 0}, "ok"),
        (checkup.keys, {"key_rows": 20_000_000}, "warning"),
        (checkup.rest_rows, {"rest_rows": 0}, "ok"),
        (checkup.rest_rows, {"rest_rows": 3}, "warning"),
        (checkup.logins, {"granted_sessions": 3, "logins": 2}, "ok"),
        (checkup.logins, {"owner_sessions": 3, "granted_sessions": 3, "logins": 2}, "warning"),
        (checkup.logins, {"superuser_sessions": 3, "logins": 0}, "warning"),
        (checkup.file, {"wal_bytes": 10}, "ok"),
        (checkup.file, {"wal_bytes": 2**33}, "problem"),
        (checkup.file, {"free_bytes": 2**29}, "warning"),
        (checkup.file, {"free_bytes": 2**20}, "problem"),
        (checkup.file, {"file_system": "ext4"}, "ok"),
        (checkup.file, {"file_system": "nfs4"}, "problem"),
    ],
)
def test_a_fact_is_judged(check: Any, vitals: dict[str, Any], status: str) -> None:
    (found,) = check(vitals)

    assert found.status == status
    assert bool(found.advice) is (status != "ok")


@pytest.mark.parametrize(
    "check",
    [
        checkup.oldest_transaction,
        checkup.transaction_age,
        checkup.connections,
        checkup.bloat,
        checkup.standby,
        checkup.keys,
        checkup.rest_rows,
        checkup.file,
    ],
)
def test_a_check_is_left_out_where_the_database_lacks_the_feature(check: Any) -> None:
    assert list(check({})) == []


def test_a_schema_that_lacks_a_step_is_a_problem() -> None:
    assert checkup.schema([]).status == "ok"
    assert checkup.schema(["0002_more"]) == Finding(
        "schema", "problem", "lacks 0002_more", "run `rota db migrate`"
    )


def test_a_setting_that_may_lose_runs_is_a_problem_and_checksums_are_advised() -> None:
    assert checkup.setting("fsync", "off", is_good=False).status == "problem"
    assert checkup.setting("data_checksums", "off", is_good=True).status == "warning"


@pytest.mark.parametrize(("skew_ms", "status"), [(1_999, "ok"), (-2_000, "warning")])
def test_clocks_that_differ_by_seconds_are_told(skew_ms: int, status: str) -> None:
    assert checkup.clock_skew(1_000_000 + skew_ms, 1_000_000).status == status


def test_partitions_of_every_family_are_needed_for_the_coming_days() -> None:
    ready = {f"{family}_2026030{day}" for family in ("attempt", "run_log") for day in (1, 2, 3)}

    (good,) = checkup.partitions(ready, TODAY)
    (bad,) = checkup.partitions(ready - {"run_log_20260303"}, TODAY)

    assert good.status == "ok"
    assert (bad.status, bad.found) == ("warning", "missing: run_log_20260303")
    assert list(checkup.partitions(set(), TODAY)) == []


def serving(*queues: str, jobs: set[str] | None = None, is_alive: bool = True) -> Serving:
    known = None if jobs is None else frozenset(jobs)
    return Serving("default", "w", frozenset(queues), known, 61_000, is_alive)


def test_stuck_runs_are_a_problem_with_an_example() -> None:
    (found,) = stuck([Stuck("running", "nobody takes it back", 3, "some-id")])

    assert found.status == "problem"
    assert "some-id" in found.found
    assert [each.status for each in stuck([])] == ["ok"]


def test_workers_whose_lease_ended_are_named() -> None:
    found = silent_workers([serving(), serving(is_alive=False)])

    assert (found.status, found.found) == ("warning", "1 of 2: w (1m 1s)")
    assert silent_workers([serving()]).status == "ok"


@pytest.mark.parametrize(
    ("worker", "paused", "status"),
    [
        (serving("mail"), set(), "ok"),
        (serving("mail", is_alive=False), set(), "problem"),
        (serving("other"), set(), "problem"),
        (serving("other"), {("default", "mail")}, "ok"),
        (serving("mail")._replace(namespace="other"), set(), "problem"),
        (serving("mail", jobs={"send", "sort"}), set(), "ok"),
        (serving("mail", jobs={"sort"}), set(), "problem"),
    ],
)
def test_queued_runs_need_a_living_worker_of_their_queue_that_knows_their_job(
    worker: Serving, paused: set[tuple[str, str]], status: str
) -> None:
    waiting = [Waiting("default", "mail", "send", 7, 61_000)]

    (found,) = unserved(waiting, [worker], paused)

    assert found.status == status


@pytest.mark.parametrize(
    ("age_ms", "has_live_runs", "status"),
    [
        (500, True, "ok"),
        (61_000, False, "warning"),
        (61_000, True, "problem"),
        (None, True, "problem"),
    ],
)
def test_somebody_must_do_the_chores(
    age_ms: int | None, status: str, *, has_live_runs: bool
) -> None:
    ages = {} if age_ms is None else {"reap": age_ms}

    assert chores(ages, has_live_runs=has_live_runs).status == status


def test_the_file_system_is_that_of_the_nearest_mount(tmp_path: Path) -> None:
    inner = tmp_path / "a b"
    inner.mkdir()
    escaped = str(inner).replace(" ", "\\040")
    mounts = f"disk / ext4 rw 0 0\nserver:/x {escaped} nfs4 rw 0 0\ntmp {tmp_path} tmpfs rw 0 0\n"

    assert file_system(inner / "rota.db", mounts) == "nfs4"
    assert file_system(tmp_path / "rota.db", mounts) == "tmpfs"
    assert file_system(Path("/rota.db"), mounts) == "ext4"


@pytest.mark.parametrize(
    ("ages", "status"),
    [({}, []), ({"anchor": HOUR_MS}, ["ok"]), ({"anchor": 25 * HOUR_MS}, ["warning"])],
)
def test_who_noted_the_end_of_the_audit_must_go_on(ages: dict[str, int], status: list[str]) -> None:
    assert [each.status for each in anchors(ages)] == status


def test_one_login_for_all_is_no_fault_and_yet_told_what_to_do() -> None:
    (found,) = checkup.logins({"owner_sessions": 3, "logins": 0})

    assert found.status == "ok"
    assert "rota db grant" in found.advice
