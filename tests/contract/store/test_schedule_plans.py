"""Plans of statements about schedules: beside very many they walk an index and sort nothing."""

from __future__ import annotations

import json
import re

import apsw
import psycopg
import pytest

from tests.support.deep import DEPTH, postgres_plan, sqlite_plan

OF_SCHEDULES = {
    "take_schedules": "schedule_look",
    "next_look": "schedule_look",
    "declared_schedules": "schedule_job",
    "owned_schedules": "schedule_app",
    "schedules_of_jobs": "schedule_job",
    "search_schedules": "schedule_namespace_name_key",
    "take_listeners": "schedule_event",
    "take_schedule": "schedule_namespace_name_key",
    "lock_schedules": "schedule_pkey",
    "move_schedules": "schedule_pkey",
    "settle_schedules": "schedule_pkey",
}
"""Statement and its index, as PostgreSQL names their indexes."""
ASKED = {"text": "%s1%"}
ON_SQLITE = {
    "schedule_pkey": "sqlite_autoindex_schedule_1",
    "schedule_namespace_name_key": "sqlite_autoindex_schedule_2",
}


@pytest.mark.parametrize("name", sorted(OF_SCHEDULES))
def test_on_sqlite_no_statement_scans_the_schedules(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name, **ASKED)

    used = {match[1] for line in lines if (match := re.search(r"INDEX (\w+)", line))}
    index = OF_SCHEDULES[name]
    scans = [line for line in lines if re.match(r"SCAN (s|t|schedule)\b", line)]
    assert [line for line in scans if "INDEX" not in line] == [], lines
    assert ON_SQLITE.get(index, index) in used, lines
    assert [line for line in lines if "TEMP B-TREE FOR" in line] == [], lines


@pytest.mark.postgres
@pytest.mark.parametrize("mode", ["custom", "generic"])
@pytest.mark.parametrize("name", sorted(OF_SCHEDULES))
def test_on_postgres_no_statement_scans_or_sorts_the_schedules(
    deep_postgres: psycopg.Connection, name: str, mode: str
) -> None:
    nodes = postgres_plan(deep_postgres, name, mode, **ASKED)

    indexes = {node["Index Name"] for node in nodes if "Index Name" in node}
    scans = [
        node
        for node in nodes
        if node["Node Type"] == "Seq Scan" and node.get("Relation Name") in ("schedule", "run")
    ]
    deep = [
        node for node in nodes if "Sort" in node["Node Type"] and node["Plan Rows"] > DEPTH / 10
    ]
    shown = json.dumps(nodes[0], indent=1)
    assert OF_SCHEDULES[name] in indexes, shown
    assert (scans, deep) == ([], []), shown
