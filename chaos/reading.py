"""Read facts from tables and logs, without Rota's own code."""

from __future__ import annotations

import json
from typing import Any

from chaos.calllog import read_calls
from chaos.facts import Begun, Ended, Facts, Policy, Tried, Written
from chaos.jobs import DELAY_MS, LIMITS, STARTS
from chaos.observer import Observer
from chaos.site import Site

POLICIES = {
    name: Policy(
        limit=limit,
        delay_ms=DELAY_MS,
        is_transactional=name in ("effect", "slow"),
        has_receipt=name == "receipt",
        at_most_once=name == "once",
    )
    for name, limit in LIMITS.items()
}
ENDED = """
select id, job, state, attempt, failures, crashes, fence, started_at, finished_at, args, key,
       result, reason
  from rota.run_history
"""
TRIED = "select run_id, number, fence, kind, worker_id, started_at, ended_at from rota.attempt"
WRITTEN = "select run_id, fence, number from chaos_effect"


def read_facts(site: Site, observer: Observer, *, drain_ms: int, drain_limit_ms: int) -> Facts:
    """Return all remains of the run."""
    calls = [
        call
        for at in range(len(site.clients))
        for call in read_calls(site.folder / f"client-{at}.log", at)
    ]
    return Facts(
        policies=POLICIES,
        ended=[_ended(row) for row in site.ask(ENDED)],
        live=[str(row[0]) for row in site.ask("select id from rota.run")],
        tried=[_tried(row) for row in site.ask(TRIED)],
        effects=_written(site.ask(WRITTEN)),
        receipts=_written(site.ask(WRITTEN, other=True)),
        begun=_begun(site),
        calls=calls,
        seen=observer.seen,
        looks=observer.looks,
        stuck=observer.stuck,
        sessions=observer.sessions,
        amnesties=tuple(sorted(observer.amnesties)),
        drain_ms=drain_ms,
        drain_limit_ms=drain_limit_ms,
    )


def _ended(row: Any) -> Ended:
    args = json.loads(row[9])
    return Ended(
        run_id=str(row[0]),
        job=row[1],
        state=row[2],
        attempt=row[3],
        failures=row[4],
        crashes=row[5],
        fence=row[6],
        started_ms=row[7],
        finished_ms=row[8],
        number=args["number"],
        planned_failures=args.get("failures", 0),
        key=row[10],
        result=row[11],
        reason=row[12],
    )


def _tried(row: Any) -> Tried:
    return Tried(
        run_id=str(row[0]),
        number=row[1],
        fence=row[2],
        kind=row[3],
        worker_id=None if row[4] is None else str(row[4]),
        started_ms=row[5],
        ended_ms=row[6],
    )


def _written(rows: list[Any]) -> list[Written]:
    return [Written(run_id=str(row[0]), fence=row[1], number=row[2]) for row in rows]


def _begun(site: Site) -> list[Begun]:
    path = site.folder / STARTS
    lines = path.read_text().splitlines() if path.exists() else []
    words = [line.split() for line in lines]
    return [Begun(run_id=run, fence=int(fence), attempt=int(n)) for run, fence, n in words]
