"""Statements: read from .sql files, expanded for a dialect, known by name.

The shared text speaks both dialects. Tokens it may use: {now}, {clock}; {from:verb}, {to:verb};
{allowed:group}, {becomes:group} for rows `v` that carry their verb; {rows:shape} for a JSON
list as rows; {each:param} for a JSON list of texts, {ids:param} for `in` a list of ids;
{columns:name} for parts that several say; {type:name}, {states:group}, {sql:name};
{lock:alias} to wait for rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from rota.model.states import FINAL, LIVE, TRANSITIONS, State

_HEADER = re.compile(r"^-- name: (\w+)\s*$", re.MULTILINE)
_TOKEN = re.compile(r"\{(\w+)(?::(\w+))?\}")
_PARAM = re.compile(r"(?<![:\w]):([a-z_]+)")
_FOLDER = Path(__file__).parent / "sql"

Shape = Mapping[str, str]

COLUMNS: Mapping[str, str] = {
    "asked_for": (
        "(cast(:state as text) is null or state = :state)"
        " and (cast(:job as text) is null or job = :job)"
        " and (cast(:queue as text) is null or queue = :queue)"
        " and (cast(:queues as text) is null or queue in ({each:queues}))"
        " and (cast(:schedule as text) is null or schedule_id in ("
        " select s.id from rota.schedule as s"
        " where s.namespace = :namespace and s.name = :schedule))"
        " and (cast(:error as text) is null or lower(error) like lower(:error) escape '!')"
        " and (cast(:text as text) is null or lower(args) like lower(:text) escape '!'"
        " or lower(key) like lower(:text) escape '!')"
    ),
    # What was created since then has also ended since then, and history is kept by the day of that.
    "not_before": "(cast(:since as bigint) is null or finished_at >= :since)",
    "asked_when": (
        "(cast(:since as bigint) is null or created_at >= :since)"
        " and (cast(:until as bigint) is null or created_at < :until)"
    ),
    # Not `is null or`, which a plan that is kept cannot search an index for: the thousandth page
    # would read all pages before it. Nor `coalesce`, which is not leakproof (store.rooms).
    "further": (
        "id < case when cast(:before as {type:uuid}) is null"
        " then cast('ffffffff-ffff-ffff-ffff-ffffffffffff' as {type:uuid})"
        " else cast(:before as {type:uuid}) end"
    ),
    "kept": (
        "id, namespace, job, version, queue, priority, args, policy, at_most_once, key, rerun_of,"
        " created_at, due_at, ready_at, attempt, worker_id, started_at, progress, progress_note,"
        " schedule_id, backfill_id, origin, parent_id, node, item"
    ),
    "schedule": (
        "s.id, s.namespace, s.name, s.job, s.spec, s.state, s.note, s.rules_version, s.calendar,"
        " s.cursor_at, s.last_at, s.next_at, s.late_until, s.blocked_by, s.fired, s.last_ended_at,"
        " s.look_at, s.app"
    ),
    "its_job": (
        "exists (select 1 from rota.blackout as b where b.namespace = s.namespace)"
        " as has_blackouts,"
        " (select j.version from rota.job as j"
        " where j.namespace = s.namespace and j.name = s.job) as version,"
        " (select j.weights from rota.job as j"
        " where j.namespace = s.namespace and j.name = s.job) as weights,"
        " (select v.spec from rota.job as j join rota.job_version as v"
        " on v.namespace = j.namespace and v.name = j.name and v.version = j.version"
        " where j.namespace = s.namespace and j.name = s.job) as job_spec"
    ),
}
"""`kept`: what a run takes along, unchanged, into history. `schedule` and `its_job`: what decides
about the starts of a schedule `s`, with the current definition of its job in the same statement."""

_NEW_RUN: Shape = {
    "id": "uuid",
    "job": "text",
    "version": "int",
    "queue": "text",
    "priority": "int",
    "args": "text",
    "due_at": "bigint",
    "delay_ms": "bigint",
    "expires_ms": "bigint",
    "at_most_once": "bool",
    "policy": "text",
    "key": "text",
    "rerun_of": "uuid",
}

SHAPES: Mapping[str, Shape] = {
    "new_run": _NEW_RUN,
    "fired_run": {
        **_NEW_RUN,
        "schedule_id": "uuid",
        "backfill_id": "uuid",
        "origin": "text",
        "waits": "bool",
    },
    "child_run": {**_NEW_RUN, "parent_id": "uuid", "node": "text", "item": "int"},
    "node": {
        "graph_id": "uuid",
        "name": "text",
        "state": "text",
        "version": "int",
        "run_id": "uuid",
        "result": "text",
        "reason": "text",
        "counts": "text",
        "width": "int",
        "made": "int",
        "ended": "int",
        "bad": "int",
    },
    "place": {"graph_id": "uuid", "name": "text"},
    "begun": {
        "run_id": "uuid",
        "fence": "bigint",
        "timeout_ms": "bigint",
        "args": "text",
        "policy": "text",
    },
    "run_key": {
        "job": "text",
        "key": "text",
        "id": "uuid",
        "digest": "text",
        "key_window_ms": "bigint",
    },
    "verdict": {
        "run_id": "uuid",
        "fence": "bigint",
        "verb": "text",
        "result": "text",
        "kind": "text",
        "error": "text",
        "delay_ms": "bigint",
        "reason": "text",
    },
    "held": {"run_id": "uuid", "fence": "bigint"},
    "tally": {
        "job": "text",
        "turn": "int",
        "bucket_at": "bigint",
        "part": "text",
        "good": "int",
        "bad": "int",
        "expires_at": "bigint",
    },
    "progress": {"run_id": "uuid", "fence": "bigint", "fraction": "real", "note": "text"},
    "letter": {
        "run_id": "uuid",
        "job": "text",
        "version": "int",
        "fingerprint": "text",
        "error_type": "text",
        "message": "text",
        "reason": "text",
        "died_at": "bigint",
    },
    "redrive": {"run_id": "uuid", "rerun_id": "uuid"},
    "log_chunk": {
        "run_id": "uuid",
        "job": "text",
        "attempt": "int",
        "fence": "bigint",
        "seq": "int",
        "first_at": "bigint",
        "marks": "text",
        "body": "text",
    },
    "seen": {"fence": "bigint", "seq": "int"},
    "firing": {
        "schedule_id": "uuid",
        "instant": "bigint",
        "kind": "text",
        "request": "text",
        "run_id": "uuid",
        "decision": "text",
    },
    "moved": {
        "id": "uuid",
        "state": "text",
        "note": "text",
        "rules_version": "text",
        "cursor_at": "bigint",
        "last_at": "bigint",
        "next_at": "bigint",
        "look_at": "bigint",
        "fired": "bigint",
        "missed": "bigint",
        "skipped": "bigint",
    },
    "settled": {
        "id": "uuid",
        "run_id": "uuid",
        "state": "text",
        "failures": "int",
        "success": "uuid",
        "failure": "uuid",
        "healed": "uuid",
    },
    "filled": {"id": "uuid", "succeeded": "int", "failed": "int"},
    "artifact": {"digest": "text", "body": "text"},
    "pointer": {"pointer": "text"},
    "memo": {"key": "text", "run_id": "uuid", "result": "text", "memo_ms": "bigint"},
    "act": {
        "id": "uuid",
        "namespace": "text",
        "who": "text",
        "verb": "text",
        "subject": "text",
        "detail": "text",
        "address": "text",
        "request_id": "text",
        "before_digest": "text",
        "after_digest": "text",
    },
    "statistic": {
        "namespace": "text",
        "span_ms": "int",
        "at": "bigint",
        "job": "text",
        "queue": "text",
        "success": "bigint",
        "failed": "bigint",
        "cancelled": "bigint",
        "skipped": "bigint",
        "retries": "bigint",
        "busy_ms": "bigint",
        "durations": "text",
        "waits": "text",
        "lags": "text",
    },
    "seal": {"id": "uuid", "seq": "bigint", "hash": "text"},
    "request": {"namespace": "text", "key": "text", "digest": "text", "answer": "text"},
}


class Statement(NamedTuple):
    """One statement as a driver wants it, and the parameters it names."""

    text: str
    params: frozenset[str]


class Dialect(NamedTuple):
    """How a database spells what the shared text leaves open."""

    name: str
    now: str
    """The time of the statement, which an index can be searched for."""
    clock: str
    """The time of the moment in which a row is written."""
    types: Mapping[str, str]
    sql: Mapping[str, str]
    rows: Callable[[Shape], str]
    each: Callable[[str], str]
    ids: Callable[[str], str]
    param: Callable[[str], str]
    schema: str
    """What stands for `rota.` in front of a table."""


def load(dialect: Dialect) -> dict[str, Statement]:
    """Read the shared statements, then let the dialect's own replace some."""
    paths = [
        path
        for folder in (_FOLDER, _FOLDER / dialect.name)
        for path in sorted(folder.glob("*.sql"))
    ]
    return _read(paths, dialect)


def load_rooms(dialect: Dialect) -> dict[str, Statement]:
    """What some statements are inside a room (store.rooms)."""
    return _read([_FOLDER / "rooms" / "rooms.sql"], dialect)


def load_receipts(dialect: Dialect) -> dict[str, Statement]:
    """The few statements for a database of the user's own."""
    folder = _FOLDER / "receipts"
    return _read([folder / "receipts.sql", folder / f"{dialect.name}.sql"], dialect)


def _read(paths: Iterable[Path], dialect: Dialect) -> dict[str, Statement]:
    statements: dict[str, Statement] = {}
    for path in paths:
        _, *parts = _HEADER.split(path.read_text())
        for name, text in zip(parts[::2], parts[1::2], strict=True):
            statements[name] = _statement(expand(text, dialect), dialect)
    return statements


def expand(text: str, dialect: Dialect) -> str:
    """Replace the tokens and drop the comments."""
    bare = re.sub(r"^\s*--.*\n", "", text, flags=re.MULTILINE).strip()
    filled = _fill(bare, dialect)
    return filled.replace("rota.", dialect.schema)


def _fill(text: str, dialect: Dialect) -> str:
    return _TOKEN.sub(lambda match: _token(match[1], match[2] or "", dialect), text)


def _statement(text: str, dialect: Dialect) -> Statement:
    params = frozenset(_PARAM.findall(text))
    return Statement(_PARAM.sub(lambda match: dialect.param(match[1]), text), params)


def _token(kind: str, name: str, dialect: Dialect) -> str:
    readers: Mapping[str, Callable[[], str]] = {
        "now": lambda: dialect.now,
        "clock": lambda: dialect.clock,
        "from": lambda: _guard(name),
        "to": lambda: f"'{TRANSITIONS[name].to}'",
        "allowed": lambda: _allowed(name),
        "becomes": lambda: _becomes(name),
        "columns": lambda: _fill(COLUMNS[name], dialect),
        "rows": lambda: dialect.rows(SHAPES[name]),
        "each": lambda: dialect.each(name),
        "ids": lambda: dialect.ids(name),
        "type": lambda: dialect.types[name],
        "states": lambda: ", ".join(_quoted(FINAL if name == "final" else LIVE)),
        "sql": lambda: dialect.sql[name],
        "lock": lambda: dialect.sql["lock"].replace("of run", f"of {name}"),
    }
    if kind not in readers:
        raise ValueError(f"unknown token {kind!r} in a statement")
    return readers[kind]()


def _quoted(states: Iterable[State]) -> list[str]:
    return [f"'{state}'" for state in sorted(states)]


def _verbs_to(group: str) -> list[str]:
    """The verbs of a group: `final` ends a run, `queued` gives it back."""
    wanted = FINAL if group == "final" else {State(group)}
    return [verb for verb, change in TRANSITIONS.items() if change.to in wanted]


def _allowed(group: str) -> str:
    """A guard for rows `v` that carry their verb: each may act only from its own states."""
    tests = [f"(v.verb = '{verb}' and run.{_guard(verb)})" for verb in _verbs_to(group)]
    return "({})".format(" or ".join(tests))


def _becomes(group: str) -> str:
    cases = [f"when '{verb}' then '{TRANSITIONS[verb].to}'" for verb in _verbs_to(group)]
    return "case v.verb {} end".format(" ".join(cases))


def _guard(verb: str) -> str:
    """`state = 'x'` for one source state: SQLite uses a partial index for = but not for in."""
    states = _quoted(TRANSITIONS[verb].allowed)
    return f"state = {states[0]}" if len(states) == 1 else f"state in ({', '.join(states)})"
