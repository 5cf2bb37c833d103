"""Doctor: gather the facts about a store and let the rules judge them. Reads only."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from rota.clock import to_datetime
from rota.engine.insight.health import durability
from rota.engine.runs.find import now_ms
from rota.rules.insight import checkup, checkup_fleet
from rota.rules.insight.checkup import LATE_MS, Finding
from rota.rules.insight.checkup_fleet import Serving, Stuck, Waiting
from rota.store.base import Tx


def examine_settings(tx: Tx) -> list[Finding]:
    """Check that the database's settings keep committed data; needs no schema."""
    return [
        checkup.setting(each.name, each.value, is_good=each.is_good)
        for each in durability(tx)
        if each.name != "version"
    ]


def examine(tx: Tx, *, host_ms: int, facts: Mapping[str, str | int]) -> list[Finding]:
    """Make all checks that need the schema; `host_ms` is the clock of this machine."""
    return [
        checkup.clock_skew(host_ms, now_ms(tx)),
        *_fleet(tx),
        *_database(tx),
        *checkup.file(facts),
        *checkup.line(facts),
    ]


def _fleet(tx: Tx) -> Iterator[Finding]:
    workers = [
        Serving(
            namespace=row["namespace"],
            name=row["name"],
            queues=frozenset(json.loads(row["queues"])),
            jobs=None if row["jobs"] is None else frozenset(json.loads(row["jobs"])),
            silent_ms=row["silent_ms"],
            is_alive=row["over_ms"] < 0,
            stalled_ms=row["stalled_ms"],
            stalled_why=row["stalled_why"] or "",
        )
        for row in tx.all("worker_leases")
    ]
    waiting = [Waiting(**row) for row in tx.all("queued_by_job")]
    paused = {(row["namespace"], row["name"]) for row in tx.all("all_paused_queues")}
    held_up = [Stuck(**row) for row in tx.all("stuck_runs", late_ms=LATE_MS)]
    ages = {row["name"]: row["age_ms"] for row in tx.all("chore_ages")}
    yield from checkup_fleet.stuck(held_up)
    yield checkup_fleet.silent_workers(workers)
    yield checkup_fleet.stalled_workers(workers)
    yield from checkup_fleet.unserved(waiting, workers, paused)
    yield checkup_fleet.chores(ages, has_live_runs=bool(waiting or held_up))
    yield from checkup_fleet.anchors(ages)


def _database(tx: Tx) -> Iterator[Finding]:
    vitals = {row["name"]: row["value"] for row in tx.all("vitals")}
    names = {row["name"] for row in tx.all("list_partitions")}
    today = to_datetime(now_ms(tx)).date()
    for check in (
        checkup.oldest_transaction,
        checkup.transaction_age,
        checkup.connections,
        checkup.bloat,
        checkup.standby,
        checkup.keys,
        checkup.rest_rows,
        checkup.protection,
        checkup.logins,
    ):
        yield from check(vitals)
    yield from checkup.partitions(names, today)
