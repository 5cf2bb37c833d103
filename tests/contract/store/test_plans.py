"""Plans of the hot statements: with a deep backlog they walk their index and sort nothing deep."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import apsw
import psycopg
import pytest

from rota.store.access.row_security import SETTING
from rota.store.postgres import dialect as postgres_dialect
from rota.store.sqlite import dialect as sqlite_dialect
from rota.store.statements import load
from tests.contract.builders import HOME
from tests.support.deep import DEPTH, deep_postgres_store, postgres_plan, sqlite_plan
from tests.support.postgres import PostgresServer

HOT: dict[str, str | None] = {
    "claim_runs": "run_ready",
    "claim_picked": None,
    "count_begun": "run_begun",
    "count_begun_of": "run_begun",
    "jobs_in_front": "run_ready",
    "lanes_in_use": "run_ready",
    "pick_probes": None,
    "pick_runs": "run_ready",
    "promote_runs": "run_due",
    "next_due": "run_due",
    "close_runs": None,
    "record_attempts": None,
    "retry_runs": None,
    "observe_attempts": None,
    "requeue_runs": None,
    "never_begun": None,
    "note_begun": None,
    "note_progress": None,
    "held_changes": None,
    "orphaned_runs": "run_held",
    "runs_of_worker": "run_held",
    "find_expired": "run_expiring",
    "find_endings": None,
    "find_ended_run": None,
    "take_back_ended": None,
    "not_closed": None,
    "find_run": None,
    "find_fired": None,
    "fired_runs": "run_fired",
    "waiting_runs": "run_fired",
    "unblock_runs": None,
    "pick_to_stop": None,
    "request_cancels": None,
}
"""Statement and the index of its own; None stands for the primary key."""

PRIMARY = {"sqlite_autoindex_run_1", "run_held"}
"""By id, or through the few that are running."""


@pytest.mark.parametrize("name", sorted(HOT))
def test_on_sqlite_no_hot_statement_scans_the_live_runs(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name)

    scans = [line for line in lines if re.match(r"SCAN (run|h)\b", line)]
    used = {match[1] for line in lines if (match := re.search(r"INDEX (\w+)", line))}
    wanted = {HOT[name]} if HOT[name] else PRIMARY | {"sqlite_autoindex_run_history_1"}
    assert [line for line in scans if "INDEX" not in line] == [], lines
    assert used & wanted, lines


@pytest.mark.parametrize("name", ["claim_runs", "promote_runs", "find_expired"])
def test_on_sqlite_a_pick_from_the_backlog_comes_sorted_from_its_index(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name)

    assert [line for line in lines if "TEMP B-TREE FOR" in line] == [], lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(HOT))
def test_on_postgres_no_hot_statement_scans_or_sorts_the_backlog(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    nodes = postgres_plan(deep_postgres, name, mode)

    of_run = [
        node
        for node in nodes
        if node.get("Relation Name") == "run" and node["Node Type"] != "ModifyTable"
    ]
    indexes = {node["Index Name"] for node in nodes if "Index Name" in node}
    scans = [node for node in nodes if node["Node Type"] == "Seq Scan"]
    sorts = [node for node in nodes if "Sort" in node["Node Type"]]
    wanted = {HOT[name]} if HOT[name] else {"run_pkey", "run_held"}
    shown = json.dumps(nodes[0], indent=1)
    assert not of_run or indexes & wanted, shown
    assert [node for node in of_run if node in scans] == [], shown
    assert [node for node in scans if node["Plan Rows"] > DEPTH / 10] == [], shown
    assert [node for node in sorts if node["Plan Rows"] > DEPTH / 10] == [], shown


OF_A_JOB = {"let_next": "run_deferred", "move_to_lane": "run_ready"}


@pytest.mark.parametrize("name", sorted(OF_A_JOB))
def test_on_sqlite_the_runs_of_a_job_are_found_by_its_index(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name, job="noop")

    assert any(f"INDEX {OF_A_JOB[name]}" in line for line in lines), lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(OF_A_JOB))
def test_on_postgres_the_runs_of_a_job_are_found_by_its_index(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    nodes = postgres_plan(deep_postgres, name, mode, job="noop")

    assert OF_A_JOB[name] in {node.get("Index Name") for node in nodes}, nodes[0]


IN_ROOMS = (
    "claim_runs", "close_runs", "find_ended_run", "find_endings", "find_run",
    "insert_runs", "list_bad_endings", "list_ended_runs", "list_running", "list_runs",
    "lock_run", "request_cancel", "take_back_ended", "take_schedule",
    "declared_schedules", "fired_runs", "waiting_runs",
)  # fmt: skip


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", IN_ROOMS)
def test_a_room_changes_no_plan(deep_postgres: psycopg.Connection, name: str, mode: str) -> None:
    """What a policy adds is a filter behind the index that the statement has chosen."""
    row = deep_postgres.execute(load(postgres_dialect.DIALECT)["room_role"].text).fetchone()
    assert row is not None
    room = f"set role {row[0]}; set {SETTING} = '{HOME}'"

    deep_postgres.execute("set enable_seqscan = off")  # as in our sessions
    try:
        plans = [postgres_plan(deep_postgres, name, mode, room=each) for each in ("", room)]
    finally:
        deep_postgres.execute("set enable_seqscan = on")

    outside, inside = (
        [
            (node["Node Type"], node.get("Relation Name"), node.get("Index Name"))
            for node in plan
            if node["Node Type"] not in ("Result", "SubPlan")
        ]
        for plan in plans
    )
    assert inside == outside, json.dumps(plans[1][0], indent=1)


BY_ID = sorted(name for name, each in load(sqlite_dialect.DIALECT).items() if "ids" in each.params)


@pytest.mark.parametrize("name", [*BY_ID, "find_keys", "take_keys"])
def test_on_sqlite_what_is_asked_for_by_id_is_not_looked_for_in_its_whole_namespace(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name)

    assert [line for line in lines if line.endswith("(namespace=?)")] == [], lines


@pytest.fixture(scope="module")
def fresh_postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    with deep_postgres_store(postgres_server, is_analyzed=False) as connection:
        yield connection


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", ["record_attempts", "observe_attempts"])
def test_on_postgres_attempts_are_looked_up_by_id_before_the_first_analyze(
    fresh_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    """Through the index of running runs each of them is compared with each verdict."""
    nodes = postgres_plan(fresh_postgres, name, mode)

    used = {node.get("Index Name") for node in nodes if node.get("Relation Name") == "run"}
    assert used == {"run_pkey"}, json.dumps(nodes[0], indent=1)
