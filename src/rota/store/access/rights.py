"""Permissions of each kind of login on each table.

In PostgreSQL's letters: r select, a insert, w update, d delete. A server has what the statements
need and nothing more; a worker what its verbs need in its namespaces; a reader sees what a viewer
of the API sees. A table without an entry is closed to all of them. Only the owner may truncate,
change a definition or make one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

SERVER, WORKER, READER = KINDS = ("server", "worker", "reader")
VERBS = {"r": "select", "a": "insert", "w": "update", "d": "delete"}


class Rights(NamedTuple):
    """The permissions on one table."""

    server: str = ""
    worker: str = ""
    reader: str = ""


RIGHTS: Mapping[str, Rights] = {
    "alert": Rights("rawd", "ra", "r"),
    "alert_channel": Rights("rawd"),
    "alert_message": Rights("rawd", "", "r"),
    "alert_rule": Rights("rawd", "r", "r"),
    "artifact": Rights("rawd"),
    "attempt": Rights("rad", "ra", "r"),
    "awaited": Rights("rawd", "rawd", "r"),
    "backfill": Rights("rawd", "rw", "r"),
    "blackout": Rights("rawd", "r", "r"),
    "breaker": Rights("rawd", "rawd", "r"),
    "breaker_tally": Rights("rawd", "raw", "r"),
    "calendar": Rights("rawd", "r", "r"),
    "chore": Rights("raw", "r", "r"),
    "counted": Rights("raw", "", "r"),
    "dead_letter": Rights("rawd", "ra", "r"),
    "effect": Rights("rawd", "rawd", "r"),
    "event": Rights("rad", "ra", "r"),
    "firing": Rights("rad", "r", "r"),
    "incident": Rights("rawd", "", "r"),
    "job": Rights("rawd", "raw", "r"),
    "job_template": Rights("rawd", "", "r"),
    "job_version": Rights("rad", "ra", "r"),
    "log_chunk": Rights("raw", "ra", "r"),
    "log_chunk_rest": Rights("rd"),
    "login": Rights("r", "r", "r"),
    "memo": Rights("rawd", "raw", "r"),
    "migration": Rights("r", "r", "r"),
    "monitor": Rights("rawd"),
    "monitor_ping": Rights("rad", "", "r"),
    "namespace": Rights("rawd", "r", "r"),
    "node": Rights("rawd", "rawd", "r"),
    "past_success": Rights("rad", "ra", "r"),
    "ping_key": Rights("raw"),
    "queue": Rights("raw", "r", "r"),
    "release": Rights("rawd", "rawd", "r"),
    "request": Rights("rawd"),
    "run": Rights("rawd", "rawd", "r"),
    "run_history": Rights("rad", "ra", "r"),
    "run_key": Rights("rawd", "raw", "r"),
    "run_label": Rights("rawd", "rawd", "r"),
    "saved_view": Rights("rawd", "", "r"),
    "schedule": Rights("rawd", "rawd", "r"),
    "schema_step": Rights("r", "r", "r"),
    "session": Rights("rawd"),
    "statistic": Rights("rawd", "", "r"),
    "ticket": Rights("rad"),
    "token": Rights("raw"),
    "version_change": Rights("rad", "ra", "r"),
    "worker": Rights("rawd", "ad"),
}
ACT = (
    "id", "namespace", "at", "who", "verb", "subject", "detail", "address", "request_id",
    "before_digest", "after_digest",
)  # fmt: skip
"""Columns of an audit entry; its place in the chain is set later, when it is sealed."""
WORKER_TOLD = (
    "queues", "jobs", "running", "left_behind", "is_draining", "drain_asked", "stalled_at",
    "stalled_why", "seen_at", "lease_until", "presence", "missing_since",
)  # fmt: skip
"""Columns that a worker reports about itself, and those with requests to it."""
WORKER_SEEN = (
    "id", "namespace", "name", "host", "pid", "slots", "version", "started_at", *WORKER_TOLD,
)  # fmt: skip
"""All columns but `attempt_key` and `token_id`: those let anybody act as a remote worker."""
MONITOR_SEEN = (
    "id", "namespace", "name", "spec", "status", "pings", "last_at", "last_exit",
    "last_duration_ms", "started_at", "started_rid", "expected_at", "down_at", "changed_at",
    "changed_by", "pause_note",
)  # fmt: skip
"""All columns but `ping_id`, with which anybody can ping."""
COLUMNS: Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "act": {
        "server": {"r": (*ACT, "seq", "hash"), "a": ACT, "w": ("seq", "hash")},
        "worker": {"r": ("id",), "a": ACT},
    },
    "chain": {
        "server": {
            "r": ("namespace", "seq", "hash", "base_seq", "base_hash"),
            "a": ("namespace",),
            "w": ("namespace", "seq", "hash"),
        },
    },
    "monitor": {"reader": {"r": MONITOR_SEEN}},
    "worker": {
        "worker": {"r": WORKER_SEEN, "w": WORKER_TOLD},
        "reader": {"r": WORKER_SEEN},
    },
}
"""Permissions on some columns only: nothing in the audit changes or goes; keys are for servers."""
FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "server": (
        "make_day(text, bigint)",
        "drop_day(text)",
        "move_base(text, bigint)",
        "forget_acts(text, bigint)",
    ),
    "worker": (
        "own_namespaces()",
        "is_run_of_login(uuid)",
        "values_of(json)",
        "keep_own_values(json, bigint)",
        "lock_quota(text)",
    ),
    "reader": ("own_namespaces()", "is_run_of_login(uuid)", "values_of(json)"),
}
"""Functions that run with the permissions of the owner, and check their arguments."""


def verbs_of(kind: str, table: str) -> str:
    """Return the permissions of a kind on all columns of a table, as in a grant."""
    letters = getattr(RIGHTS.get(table, Rights()), kind)
    return ", ".join(VERBS[letter] for letter in letters)


def grants(kind: str, role: str, tables: set[str]) -> Iterator[str]:
    """Yield statements after which the role has these permissions and no others."""
    yield f"revoke all on all tables in schema rota from {role}"
    yield f"revoke all on all functions in schema rota from {role}"
    yield f"grant usage on schema rota to {role}"
    for table in RIGHTS:
        if (verbs := verbs_of(kind, table)) and table in tables:
            yield f"grant {verbs} on rota.{table} to {role}"
    for table, of in COLUMNS.items():
        for letter, columns in of.get(kind, {}).items():
            yield f"grant {VERBS[letter]} ({', '.join(columns)}) on rota.{table} to {role}"
    for function in FUNCTIONS[kind]:
        yield f"grant execute on function rota.{function} to {role}"
