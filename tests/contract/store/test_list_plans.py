"""Plans of lists: each is found through the index that spares it to read all runs."""

from __future__ import annotations

import json
import re
from typing import Any

import apsw
import psycopg
import pytest

from tests.contract.builders import START_MS
from tests.support.deep import postgres_plan, sqlite_plan

LISTS = {
    "list_runs": "run_pkey",
    "floor_of_runs": "run_pkey",
    "list_running": "run_held",
    "list_parked": "run_parked",
    "floor_of_parked": "run_parked",
    "list_troubled": "run_troubled",
    "floor_of_troubled": "run_troubled",
    "list_fired": "run_fired",
    "list_children": "run_child",
    "list_scheduled": "run_waiting",
    "list_scheduled_of_job": "run_waiting",
    "list_bad_endings": "run_history_not_good",
    "floor_of_bad": "run_history_not_good",
    "list_ended_runs": "run_history_pkey",
    "floor_of_ended": "run_history_pkey",
    "count_few_ended": "run_history_job",
    "list_ended_of_job": "run_history_job",
    "floor_of_job": "run_history_job",
    "recent_runs": "run_history_job",
    "list_ended_of_schedule": "run_history_fired",
    "few_parked": "run_parked",
    "few_scheduled_of_job": "run_waiting",
    "claimed_runs": "run_held",
    "under_way_by_job": "run_begun",
    "next_by_job": "run_ready",
    "list_groups": "dead_letter_alike",
    "list_group_versions": "dead_letter_alike",
}
"""What people look at, and the index that spares it to read all runs."""
ASKED = {"job": "noop", "schedule": "s1", "parent": "0190a0b0-0000-7000-8000-000000000000"}
SEVERAL = {
    "list_queued": {"run_ready", "run_held"},
    "list_few": {"run_ready", "run_waiting", "run_held", "run_parked"},
    "list_few_of_job": {"run_ready", "run_waiting", "run_held", "run_parked"},
    "next_runs_of_jobs": {"run_ready"},
    "live_runs_of_jobs": {"run_held", "run_begun", "run_waiting", "run_parked"},
    "queue_names": {"run_ready", "run_waiting"},
    "queue_depths": {"run_ready", "run_waiting"},
    "ready_depths": {"run_ready"},
    "few_waiting": {"run_ready", "run_waiting"},
    "reruns_of": {"run_rerun", "run_history_rerun"},
}
ATTENTION = {
    "lost_lately": "attempt_ended",
    "overdue_schedules": "schedule_look",
    "overdue_schedules_of_jobs": "schedule_look",
    "schedules_missed_lately": "schedule_missed",
    "jobs_with_deadlines": "job_version_deadline",
}
RECENTLY: dict[str, Any] = {"since": START_MS, "late_ms": 60_000}
BY_ID_TOO = ("recent_runs", "list_groups")
LISTS_ON_SQLITE = {
    "run_pkey": "sqlite_autoindex_run_1",
    "run_history_pkey": "sqlite_autoindex_run_history_1",
    "run_history_not_good": "run_history_bad",
}
OF_PARTITIONS = {
    "run_history_pkey": "_id_idx",
    "run_history_not_good": "_namespace_id_idx",
    "run_history_job": "_namespace_job_id_idx",
    "run_history_fired": "_schedule_id_id_idx",
    "run_history_rerun": "_rerun_of_idx",
}
"""PostgreSQL gives the indexes of partitions names of its own."""


@pytest.mark.parametrize("name", sorted(LISTS | SEVERAL))
def test_on_sqlite_a_list_is_found_through_its_index(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name, **ASKED)

    used = [match[1] for line in lines if (match := re.search(r"INDEX (\w+) \(", line))]
    of_runs = {each for each in used if each.startswith(("run", "sqlite_autoindex_run", "dead"))}
    wanted = SEVERAL.get(name) or {LISTS_ON_SQLITE.get(LISTS[name], LISTS[name])}
    primary = {"sqlite_autoindex_run_1", "sqlite_autoindex_run_history_1"}
    scans = [line for line in lines if re.match(r"SCAN (run|run_history|dead_letter)$", line)]
    assert wanted <= of_runs, lines
    assert not of_runs & primary or wanted & primary or name in BY_ID_TOO, lines
    assert not scans or name in SEVERAL, lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(LISTS | SEVERAL))
def test_on_postgres_a_list_is_found_through_its_index(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    deep_postgres.execute("set enable_seqscan = off")  # as in our sessions
    try:
        nodes = postgres_plan(deep_postgres, name, mode, **ASKED)
    finally:
        deep_postgres.execute("set enable_seqscan = on")

    tables = ("run", "dead_letter")
    of_runs = [node for node in nodes if node.get("Relation Name", "").startswith(tables)]
    used = {node["Index Name"] for node in nodes if "Index Name" in node}
    shown = json.dumps(nodes[0], indent=1)
    assert [node for node in of_runs if node["Node Type"] == "Seq Scan"] == [], shown
    for wanted in SEVERAL.get(name) or {LISTS[name]}:
        if wanted in OF_PARTITIONS:
            others = [e for e in used if "history" in e and not e.endswith(OF_PARTITIONS[wanted])]
            # All runs here are of one job: a plan that knows which may as well go by their ids.
            is_free = (name, mode) == ("list_ended_of_job", "custom")
            assert is_free or others == [], others
            assert [each for each in used if "history" in each], shown
        else:
            assert wanted in used, shown


@pytest.mark.parametrize("name", sorted(ATTENTION))
def test_on_sqlite_what_needs_attention_is_found_through_an_index(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name, **RECENTLY)

    assert [line for line in lines if f"INDEX {ATTENTION[name]} (" in line], lines
    assert [line for line in lines if re.match(r"SCAN \w+$", line)] in ([], ["SCAN s"], ["SCAN a"])


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(ATTENTION))
def test_on_postgres_what_needs_attention_is_found_through_an_index(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    deep_postgres.execute("set enable_seqscan = off")  # as in our sessions
    try:
        nodes = postgres_plan(deep_postgres, name, mode, **RECENTLY)
    finally:
        deep_postgres.execute("set enable_seqscan = on")

    used = {node["Index Name"] for node in nodes if "Index Name" in node}
    assert [each for each in used if each.endswith((ATTENTION[name], "_ended_at_idx"))], used
    assert [node for node in nodes if node["Node Type"] == "Seq Scan"] == [], nodes[0]


def test_on_sqlite_a_page_of_a_job_reads_its_own_part_of_the_index(
    deep_sqlite: apsw.Connection,
) -> None:
    """Neither the pages before it nor what is below its floor."""
    page = sqlite_plan(deep_sqlite, "list_ended_of_job")
    floor = sqlite_plan(deep_sqlite, "floor_of_job")

    assert [line for line in page if "(namespace=? AND job=? AND id>? AND id<?)" in line], page
    pairs = "(namespace=? AND (job,id)>(?,?) AND (job,id)<(?,?))"
    assert [line for line in floor if pairs in line], floor
    assert [line for line in floor if "TEMP B-TREE" in line] == [], floor


def test_on_sqlite_paused_runs_are_found_by_their_ids(deep_sqlite: apsw.Connection) -> None:
    lines = sqlite_plan(deep_sqlite, "paused_graphs")

    assert [line for line in lines if "(graph_id=? AND name=?)" in line], lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
def test_on_postgres_paused_runs_are_found_by_their_ids(
    deep_postgres: psycopg.Connection, mode: str
) -> None:
    deep_postgres.execute("set enable_seqscan = off")  # as in our sessions
    try:
        nodes = postgres_plan(deep_postgres, "paused_graphs", mode)
    finally:
        deep_postgres.execute("set enable_seqscan = on")

    assert "node_pkey" in {node.get("Index Name") for node in nodes}, nodes[0]


LABELS = {
    "labelled_by_value": "run_label_value",
    "labelled_by_name": "run_label_name",
    "labels_of_runs": "run_label_pkey",
    "known_label_names": "run_label_value",
    "known_label_values": "run_label_value",
    "list_among": "run_pkey",
    "list_ended_among": "run_history_pkey",
    "labelled_runs_after": "run_label_pkey",
    "fired_for": "firing_pkey",
}
"""What a search by label reads, and the index that it uses."""
LABELS_ON_SQLITE = {
    "run_label_pkey": "sqlite_autoindex_run_label_1",
    "run_pkey": "sqlite_autoindex_run_1",
    "run_history_pkey": "sqlite_autoindex_run_history_1",
    "firing_pkey": "sqlite_autoindex_firing_1",
}
SEARCHED = ASKED | {"name": "customer", "before": "f" * 8 + ASKED["parent"][8:]}
SORTS_NOTHING = ("labelled_by_value", "labelled_by_name")


@pytest.mark.parametrize("name", sorted(LABELS))
def test_on_sqlite_labels_are_found_through_an_index(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name, **SEARCHED)

    wanted = LABELS_ON_SQLITE.get(LABELS[name], LABELS[name])
    assert [line for line in lines if f"INDEX {wanted} (" in line], lines
    assert [
        line for line in lines if re.match(r"SCAN (run|run_history|run_label|l|f)$", line)
    ] == []
    if name in SORTS_NOTHING:
        assert [line for line in lines if "TEMP B-TREE" in line] == [], lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(LABELS))
def test_on_postgres_labels_are_found_through_an_index(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    deep_postgres.execute("set enable_seqscan = off")  # as in our sessions
    try:
        nodes = postgres_plan(deep_postgres, name, mode, **SEARCHED)
    finally:
        deep_postgres.execute("set enable_seqscan = on")

    used = {node["Index Name"] for node in nodes if "Index Name" in node}
    shown = json.dumps(nodes[0], indent=1)
    wanted = OF_PARTITIONS.get(LABELS[name], LABELS[name])
    assert [each for each in used if each.endswith(wanted)], shown
    assert [node for node in nodes if node["Node Type"] == "Seq Scan"] == [], shown
    if name in SORTS_NOTHING:
        assert [node for node in nodes if "Sort" in node["Node Type"]] == [], shown
