"""The checks of `rota doctor`: they take facts and return findings with advice.

Each check judges only the facts it gets; a fact that a database does not have gives no finding.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import Literal, NamedTuple

from rota.rules.text.duration import format_duration

Status = Literal["ok", "warning", "problem"]
Vitals = Mapping[str, int | None]

MINUTE_MS = 60_000
LATE_MS = MINUTE_MS
"""Chores run every second, so one that is overdue by a minute has a problem."""
MIB = 2**20
DAYS_AHEAD = 2
MANY_DEAD = 20_000
"""Autovacuum starts at 2,000 dead rows of a hot table; ten times as many were left behind."""
NETWORKS = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "gluster", "lustre", "fuse.sshfs")


class Finding(NamedTuple):
    """The result of one check."""

    check: str
    status: Status
    found: str
    advice: str = ""


class Level(NamedTuple):
    """The thresholds from which a number is a warning, and a problem."""

    warning: int
    problem: int | None = None

    def of(self, value: int) -> Status:
        if self.problem is not None and value >= self.problem:
            return "problem"
        return "warning" if value >= self.warning else "ok"


def finding(check: str, status: Status, found: str, *, advice: str) -> Finding:
    """Build a finding; advice is dropped when all is well."""
    return Finding(check, status, found, "" if status == "ok" else advice)


def schema(missing: Sequence[str]) -> Finding:
    status_text = f"lacks {', '.join(missing)}" if missing else "up to date"
    status: Status = "problem" if missing else "ok"
    return finding("schema", status, status_text, advice="run `rota db migrate`")


def setting(name: str, value: str, *, is_good: bool) -> Finding:
    """Check a database setting that decides whether a committed run can be lost."""
    if name == "data_checksums":
        status: Status = "ok" if value == "on" else "warning"
        advice = "enable data checksums (pg_checksums), else a broken disk is noticed late"
        return finding("data checksums", status, value, advice=advice)
    advice = f"set {name} back to its default: a crash of the machine may lose committed runs"
    return finding(name.replace("_", " "), "ok" if is_good else "problem", value, advice=advice)


def clock_skew(host_ms: int, database_ms: int) -> Finding:
    skew_ms = host_ms - database_ms
    skew_text = f"{abs(skew_ms)} ms {'ahead of' if skew_ms > 0 else 'behind'} the database"
    return finding(
        "clock of this machine",
        Level(2_000).of(abs(skew_ms)),
        skew_text,
        advice="synchronise the clocks (NTP); leases do not depend on it, times in logs do",
    )


def oldest_transaction(vitals: Vitals) -> Iterator[Finding]:
    for name, check, level in (
        ("oldest_transaction_ms", "oldest transaction", Level(5 * MINUTE_MS, 60 * MINUTE_MS)),
        ("idle_in_transaction_ms", "idle in transaction", Level(MINUTE_MS, 60 * MINUTE_MS)),
    ):
        age_ms = vitals.get(name)
        if name in vitals:
            yield finding(
                check,
                level.of(age_ms or 0),
                format_duration(age_ms // 1000 * 1000) if age_ms else "none",
                advice="find it in pg_stat_activity and end it: until then dead rows pile up "
                "and claims get slower",
            )


def transaction_age(vitals: Vitals) -> Iterator[Finding]:
    age = vitals.get("transaction_age")
    if age is not None:
        yield finding(
            "age of transaction ids",
            Level(1_000_000_000, 1_800_000_000).of(age),
            f"{age:,} of 2,147,483,647",
            advice="vacuum the database; at the limit PostgreSQL stops accepting writes",
        )


def connections(vitals: Vitals) -> Iterator[Finding]:
    used, most = vitals.get("connections"), vitals.get("max_connections")
    if used is not None and most:
        yield finding(
            "connections",
            Level(80, 95).of(used * 100 // most),
            f"{used} of {most}",
            advice="fewer worker processes, a smaller `connections=` in the address, or a pooler",
        )


def bloat(vitals: Vitals) -> Iterator[Finding]:
    for table in ("run", "worker", "chore"):
        dead, live = vitals.get(f"dead {table}"), vitals.get(f"live {table}")
        if dead is not None and live is not None:
            is_much = dead >= MANY_DEAD and dead > 2 * live
            yield finding(
                f"bloat of {table}",
                "warning" if is_much else "ok",
                f"{dead:,} dead rows beside {live:,}",
                advice=f"vacuum rota.{table}; is autovacuum on, is an old transaction open?",
            )


def standby(vitals: Vitals) -> Iterator[Finding]:
    replicas, synchronous = vitals.get("replicas"), vitals.get("synchronous_replicas")
    if replicas:
        yield finding(
            "standby",
            "ok" if synchronous else "warning",
            f"{replicas}, {synchronous or 0} of them synchronous",
            advice="without synchronous_standby_names a failover may lose the last moments",
        )


def keys(vitals: Vitals) -> Iterator[Finding]:
    rows = vitals.get("key_rows")
    if rows is not None:
        yield finding(
            "idempotency keys",
            Level(10_000_000).of(rows),
            f"{rows:,}",
            advice="shorten the window of keys; does a worker with chores prune them?",
        )


def partitions(names: Collection[str], today: date) -> Iterator[Finding]:
    """Check that each family of daily tables has today's table and those of the coming days."""
    families = {match[1] for name in names if (match := re.match(r"(.+)_\d{8}$", name))}
    expected = [f"{today + timedelta(days=ahead):%Y%m%d}" for ahead in range(DAYS_AHEAD + 1)]
    missing = [
        f"{f}_{day}" for f in sorted(families) for day in expected if f"{f}_{day}" not in names
    ]
    if names:
        yield finding(
            "partitions",
            "warning" if missing or not families else "ok",
            f"missing: {', '.join(missing)}" if missing else f"ready for {DAYS_AHEAD} days",
            advice="let a worker with chores run; rows of those days go to the rest partitions",
        )


def rest_rows(vitals: Vitals) -> Iterator[Finding]:
    rows = vitals.get("rest_rows")
    if rows is not None:
        yield finding(
            "rest partitions",
            Level(1).of(rows),
            f"about {rows:,} rows" if rows else "empty",
            advice="nobody made partitions in time; these rows are pruned in batches when old",
        )


def protection(vitals: Vitals) -> Iterator[Finding]:
    """Check whether the database itself keeps a server within the namespace of its caller."""
    rules = vitals.get("room_rules")
    if rules is not None:
        yield finding(
            "row-level security",
            "ok" if rules else "warning",
            f"on, for {rules} tables" if rules else "off: namespaces are kept apart by Rota alone",
            advice="run `rota db protect`; it says what an administrator has to grant first",
        )


def logins(vitals: Vitals) -> Iterator[Finding]:
    """Check whether servers and workers have more permissions than they need.

    With a single login this is only reported. It is a warning once other logins were granted, or
    where permissions mean nothing at all.
    """
    above, owners = (vitals.get(f"{who}_sessions") or 0 for who in ("superuser", "owner"))
    if above or owners:
        who = "a superuser" if above else "the owner of the tables"
        is_meant = not above and not vitals.get("logins")
        yield Finding(
            "logins",
            "ok" if is_meant else "warning",
            f"{above or owners} sessions of {who}",
            "let servers and workers log in with fewer rights: `rota db grant LOGIN --as worker`",
        )
    elif "granted_sessions" in vitals:
        yield Finding("logins", "ok", f"{vitals['granted_sessions']} sessions, none of the owner")


def file(facts: Mapping[str, str | int]) -> Iterator[Finding]:
    """Check the place of a SQLite store."""
    if "wal_bytes" in facts:
        size = int(facts["wal_bytes"])
        yield finding(
            "write-ahead log",
            Level(256 * MIB, 4096 * MIB).of(size),
            f"{size // MIB} MiB",
            advice="a reader that stays open keeps it from being merged into the file",
        )
    if "free_bytes" in facts:
        free = int(facts["free_bytes"])
        status: Status = "problem" if free < 64 * MIB else "warning" if free < 1024 * MIB else "ok"
        yield finding(
            "disk", status, f"{free // MIB:,} MiB free", advice="make room, or shorten retention"
        )
    if "file_system" in facts:
        kind = str(facts["file_system"])
        yield finding(
            "file system",
            "problem" if kind.startswith(NETWORKS) else "ok",
            kind,
            advice="move the file to a local disk: over a network SQLite's locks do not hold; "
            "or use PostgreSQL",
        )


def line(facts: Mapping[str, str | int]) -> Iterator[Finding]:
    """Check the connection to PostgreSQL: a pooler on the way, and whether wake-ups arrive."""
    if "pooler" not in facts:
        return
    has_pooler = bool(facts["pooler"])
    pooler_text = "between us and the server; no statement is prepared" if has_pooler else "none"
    yield Finding("pooler", "ok", pooler_text)
    advice = "`direct=HOST:PORT` in the address must lead past the pooler to the same database"
    findings: Mapping[str, tuple[Status, str]] = {
        "arrive": ("ok", "arrive"),
        "polled": (
            "ok",
            "not through the pooler; waiting processes look every 15 to 40 ms instead",
        ),
        "pooled": ("warning", "do not arrive: the direct address also leads through a pooler"),
        "unreachable": ("warning", f"do not arrive: {facts.get('why', '')}"),
        "lost": ("problem", "do not arrive within 5 s"),
    }
    yield finding("wake-ups", *findings[str(facts["wakeups"])], advice=advice)
