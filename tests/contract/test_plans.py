"""Plans of the hot statements: with a deep backlog they walk their index and sort nothing deep.

The plans are those of the text that really runs, with parameters: on PostgreSQL after ANALYZE, on
SQLite with the figures that each store is born with (migration 26).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
from psycopg import sql

from rota.engine.run_lists import LOWEST
from rota.ids import new_id
from rota.rules.order import CREDIT_MS
from rota.store import postgres_dialect, sqlite_dialect
from rota.store.open import open_store
from rota.store.rooms import SETTING
from rota.store.statements import load
from tests.contract.builders import HOME, START_MS, Clock
from tests.support.postgres import PostgresServer

DEPTH = 20_000
HELD = 200
BATCH = 100

FILL = """
insert into rota.run (
    id, namespace, job, version, queue, priority, state, rank, args, at_most_once, created_at,
    due_at, ready_at, expires_at, fence, attempt, worker_id, started_at, schedule_id
)
select {id}, 'default', 'noop', 1, 'default', 0, s.state,
       case when s.state = 'queued' then {start} + n.n end, '{{}}', false, {start},
       {start} + n.n, {start} + n.n + case when s.state = 'scheduled' then {day} else 0 end,
       case when n.n % 2 = 0 then {start} + n.n + {day} end,
       case when s.state = 'running' then 1 else 0 end,
       case when s.state = 'running' then 1 else 0 end,
       case when s.state = 'running' then {worker} end,
       case when s.state = 'running' then {start} end,
       case when n.n % 4 = 0 then {id} end
  from ({numbers}) as n
 cross join (select 'queued' as state union all select 'scheduled' union all select 'running') as s
 where s.state <> 'running' or n.n <= {held}
"""
HISTORY = """
insert into rota.run_history (
    id, namespace, job, version, queue, priority, state, args, at_most_once, created_at, due_at,
    ready_at, attempt, failures, crashes, fence, finished_at
)
select {id}, 'default', 'noop', 1, 'default', 0,
       case when n.n % 5 = 0 then 'failed' else 'success' end, '{{}}', false, {start}, {start},
       {start}, 1, 0, 0, 1, {start} + n.n
  from ({numbers}) as n
"""
SCHEDULES = """
insert into rota.schedule (
    id, namespace, name, job, spec, origin, changed_at, created_at, rules_version, cursor_at,
    next_at, look_at
)
select {id}, 'default', 's' || n.n, 'job' || (n.n % 500), '{{}}', 'code', {start}, {start}, '1',
       {start}, {start} + n.n, case when n.n % 3 > 0 then {start} + n.n end
  from ({numbers}) as n
"""
SPELLING = {
    "sqlite": {
        # As long as an id, and spread like one.
        "id": "lower(hex(randomblob(4))||'-'||hex(randomblob(2))||'-'||hex(randomblob(2))||'-'||"
        "hex(randomblob(2))||'-'||hex(randomblob(6)))",
        "numbers": "with recursive n (n) as (select 1 union all select n + 1 from n"
        f" where n < {DEPTH}) select n from n",
    },
    "postgres": {
        "id": "gen_random_uuid()",
        "numbers": f"select n from generate_series(1, {DEPTH}) as n",
    },
}
HOT: dict[str, str | None] = {
    "claim_runs": "run_ready",
    "promote_runs": "run_due",
    "next_due": "run_due",
    "close_runs": None,
    "record_attempts": None,
    "retry_runs": None,
    "observe_attempts": None,
    "requeue_runs": None,
    "note_progress": None,
    "held_changes": None,
    "orphaned_runs": "run_held",
    "runs_of_worker": "run_held",
    "find_expired": "run_expiring",
    "find_endings": None,
    "find_ended_run": None,
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

OF_SCHEDULES = {
    "take_schedules": "schedule_look",
    "next_look": "schedule_look",
    "declared_schedules": "schedule_job",
    "owned_schedules": "schedule_app",
    "take_listeners": "schedule_event",
    "take_schedule": "schedule_namespace_name_key",
    "lock_schedules": "schedule_pkey",
    "move_schedules": "schedule_pkey",
    "settle_schedules": "schedule_pkey",
}
"""The same for statements about schedules, as PostgreSQL names their indexes."""
ON_SQLITE = {
    "schedule_pkey": "sqlite_autoindex_schedule_1",
    "schedule_namespace_name_key": "sqlite_autoindex_schedule_2",
}

PRIMARY = {"sqlite_autoindex_run_1", "run_held"}
"""By id, or through the few that are running."""


def parameters(ids: list[str]) -> dict[str, Any]:
    """Parameters that fit all hot statements; each takes those it names."""
    worker = ids[0]
    rows = [{"run_id": i, "id": i, "fence": 1, "verb": "succeed", "kind": "error"} for i in ids]
    return {
        "now": START_MS + DEPTH // 2,
        "namespace": HOME,
        "queue": "default",
        "jobs": '["noop", "mail"]',
        "worker_id": worker,
        "limit": BATCH,
        "credit_ms": CREDIT_MS,
        "id": worker,
        "ids": json.dumps(ids),
        "name": "s1",
        "app": "shop",
        "event": "orders.closed",
        "ahead_ms": 0,
        "within_ms": 2,
        "reason": "",
        "fence": 1,
        "state": None,
        "job": None,
        "queues": None,
        "schedule": None,
        "error": None,
        "text": None,
        "parent": None,
        "since": None,
        "until": None,
        "before": None,
        "floor": LOWEST,
        "far": 500,
        "most": 5_001,
        "ahead": 1_000,
        "names": '["noop", "mail"]',
        "acted": False,
        "batch": json.dumps(
            [{"job": "noop", "version": 1, "note": "", "name": "a"} | row for row in rows]
        ),
    }


def fill(kind: str, worker: str) -> list[str]:
    spelled = SPELLING[kind] | {
        "start": str(START_MS),
        "day": "86400000",
        "held": str(HELD),
        "worker": f"'{worker}'" if kind == "sqlite" else f"cast('{worker}' as uuid)",
    }
    texts = [FILL.format(**spelled), HISTORY.format(**spelled), SCHEDULES.format(**spelled)]
    lease = (
        "insert into rota.worker (id, namespace, name, host, pid, queues, slots, version,"
        f" started_at, seen_at, lease_until) values ('{new_id()}', 'default', 'w', 'h', 1, '[]',"
        f" 8, '0', {START_MS}, {START_MS}, {START_MS + 86_400_000})"
    )
    return [*texts, lease]


@pytest.fixture(scope="module")
def deep_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    path = Path(tmp_path_factory.mktemp("plans")) / "rota.db"
    open_store(f"sqlite:///{path}", clock=Clock()).close()
    connection = apsw.Connection(str(path))
    for text in fill("sqlite", new_id()):
        connection.execute(text.replace("rota.", ""))
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def deep_postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    url = postgres_server.create_database()
    open_store(url, clock=Clock()).close()
    with psycopg.connect(url, autocommit=True) as connection:
        for text in fill("postgres", new_id()):
            connection.execute(text.encode())
        connection.execute("vacuum analyze rota.run")
        connection.execute("analyze")
        yield connection
    postgres_server.drop_database(url)


def sqlite_plan(connection: apsw.Connection, name: str, **said: Any) -> list[str]:
    """The lines of the plan of each statement in the text."""
    ids = [row[0] for row in connection.execute("select id from run limit 100")]
    statement = load(sqlite_dialect.DIALECT)[name]
    known = dict.fromkeys(statement.params) | parameters(ids)
    lines = []
    for part in statement.text.split(";"):
        rows = connection.execute(f"explain query plan {part}", known | said)
        lines += [str(row[3]) for row in rows]
    return lines


def postgres_plan(
    connection: psycopg.Connection, name: str, mode: str, *, room: str = "", **said: Any
) -> list[dict[str, Any]]:
    """All nodes of the plan: for these parameters, or the one kept for all (`generic`)."""
    ids = [str(row[0]) for row in connection.execute("select id from rota.run limit 100")]
    known = parameters(ids) | said
    order: list[str] = []

    def numbered(match: re.Match[str]) -> str:
        if match[1] not in order:
            order.append(match[1])
        return f"${order.index(match[1]) + 1}"

    text = re.sub(r"%\((\w+)\)s", numbered, load(postgres_dialect.DIALECT)[name].text)
    connection.execute(f"set plan_cache_mode = force_{mode}_plan".encode())
    connection.execute(f"{room or 'set role none'}".encode())
    connection.execute(f"prepare looked_at as {text}".encode(), prepare=False)
    try:
        values = sql.SQL(", ").join(sql.Literal(known[each]) for each in order)
        given = sql.SQL("({})").format(values) if order else sql.SQL("")
        asked = sql.SQL("explain (format json) execute looked_at {}").format(given)
        row = connection.execute(asked).fetchone()
    finally:
        connection.execute("deallocate looked_at")
        connection.execute("reset role")
    assert row is not None
    return list(_nodes(row[0][0]["Plan"]))


def _nodes(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


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


IN_ROOMS = (
    "claim_runs", "close_runs", "find_ended_run", "find_endings", "find_run",
    "insert_runs", "list_bad_endings", "list_ended_runs", "list_running", "list_runs",
    "lock_run", "request_cancel", "take_schedule",
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


@pytest.mark.parametrize("name", sorted(OF_SCHEDULES))
def test_on_sqlite_no_statement_scans_the_schedules(
    deep_sqlite: apsw.Connection, name: str
) -> None:
    lines = sqlite_plan(deep_sqlite, name)

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
    nodes = postgres_plan(deep_postgres, name, mode)

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


@pytest.fixture(scope="module")
def fresh_postgres(postgres_server: PostgresServer) -> Iterator[psycopg.Connection]:
    """A backlog of the first minute: nobody has run ANALYZE yet, and autovacuum does not."""
    url = postgres_server.create_database()
    open_store(url, clock=Clock()).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("alter table rota.run set (autovacuum_enabled = off)")
        for text in fill("postgres", new_id()):
            connection.execute(text.encode())
        yield connection
    postgres_server.drop_database(url)


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
    "list_queued": "run_ready",
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
    "running_by_queue": "run_held",
    "running_by_job": "run_held",
    "next_by_job": "run_ready",
    "list_groups": "dead_letter_alike",
    "list_group_versions": "dead_letter_alike",
}
"""What people look at, and the index that spares it to read all runs."""
ASKED = {"job": "noop", "schedule": "s1", "parent": "0190a0b0-0000-7000-8000-000000000000"}
SEVERAL = {
    "list_few": {"run_ready", "run_waiting", "run_held", "run_parked"},
    "list_few_of_job": {"run_ready", "run_waiting", "run_held", "run_parked"},
    "queue_names": {"run_ready", "run_waiting"},
    "queue_depths": {"run_ready", "run_waiting"},
    "few_waiting": {"run_ready", "run_waiting"},
}
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
