"""Bulk: cancel or rerun many runs at once, in one transaction and a few statements."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.engine.failures.batch_isolation import split
from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.nodes.links import verdict_facts
from rota.engine.jobs.deployed_versions import DeployedStart
from rota.engine.runs.find import ended_runs, like
from rota.engine.runs.finish import finish
from rota.engine.runs.lists import page
from rota.engine.runs.rerun import again, close_letters, fresh_run
from rota.engine.runs.submit import submit
from rota.engine.wakeup_keys import worker_key
from rota.model.runs.labels import LabelCondition
from rota.model.runs.run import Verdict
from rota.model.states import FINAL, TRANSITIONS, State
from rota.rules.runs.argument_filters import ArgumentFilter
from rota.store.base import Tx

PAGE = 1_000
_SEARCHED = ("labels", "args", "scheduled_since", "scheduled_until")
MOST = 10_000
"""The most runs that one request acts on."""


class RunFilter(msgspec.Struct, frozen=True, kw_only=True):
    """A filter for runs; a field that is None matches every run."""

    state: State | None = None
    job: str | None = None
    queue: str | None = None
    queues: tuple[str, ...] | None = None
    schedule: str | None = None
    error: str | None = None
    """A substring of the last error."""
    text: str | None = None
    """A substring of the arguments, or of the key."""
    since: int | None = None
    """Only runs submitted at this time or later."""
    until: int | None = None
    """Only runs submitted before this time."""
    steps: bool = True
    """Whether runs of graph nodes are included."""
    labels: tuple[LabelCondition, ...] = ()
    args: tuple[ArgumentFilter, ...] = ()
    scheduled_since: int | None = None
    """Only runs for instants of a schedule from this time on."""
    scheduled_until: int | None = None
    """Only runs for instants before this time."""


def matching(
    tx: Tx, filters: RunFilter, *, namespace: str, ended: bool, limit: int = MOST
) -> list[str]:
    """The ids of runs that have ended, or of those that have not, the newest first."""
    if filters.state is not None and (filters.state in FINAL) != ended:
        return []
    fields = {name: getattr(filters, name) for name in RunFilter.__struct_fields__}
    if any(fields[name] for name in _SEARCHED):
        return _search(tx, fields, namespace=namespace, ended=ended, limit=limit)
    fields = {name: value for name, value in fields.items() if name not in _SEARCHED}
    fields["state"] = filters.state and str(filters.state)
    fields["queues"] = None if filters.queues is None else json.dumps(list(filters.queues))
    fields |= {"error": like(filters.error), "text": like(filters.text)}
    fields |= {"whole": None if fields.pop("steps") else "yes", "arg": None}
    statement = "match_ended" if ended else "match_live"
    return [str(row["id"]) for row in tx.all(statement, namespace=namespace, limit=limit, **fields)]


def _search(
    tx: Tx, fields: dict[str, Any], *, namespace: str, ended: bool, limit: int
) -> list[str]:
    """Return the ids of runs that a search by labels, arguments or instants finds."""
    ids: list[str] = []
    before: str | None = None
    while len(ids) < limit:
        part = page(tx, namespace=namespace, before=before, limit=PAGE, **fields)
        ids += [
            run.id
            for run in part.runs
            if (run.state in FINAL) == ended and not (ended and run.parent_id)
        ]
        before = part.next
        if before is None:
            break
    return ids[:limit]


def cancel_all(
    tx: Tx,
    run_ids: Sequence[str],
    *,
    namespace: str,
    reason: str,
    is_wanted: Callable[[str], bool] = lambda _: True,
) -> list[str]:
    """Cancel many runs; return the ids of the runs that were ended or asked to stop.

    The other runs are unknown, not wanted, already asked, or ended before. `is_wanted` gets the
    queue of each run.
    """
    rows = [
        row
        for row in tx.all("lock_runs", ids=json.dumps(sorted(run_ids)), namespace=namespace)
        if is_wanted(row["queue"])
    ]
    waiting = [row for row in rows if row["state"] in TRANSITIONS["cancel"].allowed]
    running = [row for row in rows if row["state"] not in TRANSITIONS["cancel"].allowed]
    verdicts = [Verdict(verb="cancel", reason=reason, **verdict_facts(row)) for row in waiting]
    lost: set[str] = set()
    if verdicts:
        lost.update(split(tx, lambda tx: finish(tx, verdicts, namespace=namespace)))
    to_ask = [row for row in running if not row["cancel_requested"]]
    if to_ask:
        ids = json.dumps([str(row["id"]) for row in to_ask])
        tx.execute("request_cancels", ids=ids, reason=reason)
        tx.notify({worker_key(str(row["worker_id"])) for row in to_ask})
    cancelled = {str(row["id"]) for row in (*waiting, *to_ask)} - lost
    return [run_id for run_id in run_ids if run_id in cancelled]


class BulkReruns(NamedTuple):
    """The runs that were submitted again, and those whose dead letters that closed."""

    pairs: list[RedrivePair]
    closed: list[str]


def rerun_all(
    tx: Tx,
    pairs: Sequence[RedrivePair],
    *,
    namespace: str,
    who: str,
    is_wanted: Callable[[str], bool] = lambda _: True,
    check: Callable[[Collection[DeployedStart]], None] = lambda _: None,
) -> BulkReruns:
    """Submit new runs with the arguments of ended ones; return what was submitted.

    Leaves out unknown and unwanted runs, runs that have not ended, and runs of nodes. `check` gets
    everything that would start, before any submit, and raises if it may not start.
    """
    ids = [pair.run_id for pair in pairs]
    old = {
        run.id: run
        for run in ended_runs(tx, ids, namespace=namespace)
        if run.parent_id is None and is_wanted(run.queue)
    }
    mine = [pair for pair in pairs if pair.run_id in old]
    closed: list[str] = []
    if mine:
        check({again(run) for run in old.values()})
        closed = close_letters(tx, mine, namespace=namespace, who=who)
        fresh = [
            fresh_run(tx, old[pair.run_id], pair.rerun_id, namespace=namespace) for pair in mine
        ]
        submit(tx, fresh, namespace=namespace, is_repeat=True)
    return BulkReruns(mine, closed)
