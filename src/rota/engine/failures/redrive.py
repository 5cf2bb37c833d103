"""Redrive: run dead letters again, each once, as new runs that are linked to the old.

The new run follows the current definition of its job, which may be the repaired one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence

import msgspec

from rota.engine.jobs.deployed_versions import DeployedStart
from rota.engine.runs.submit import submit
from rota.errors import BadInput
from rota.model.failures.dead_letter import Redriven
from rota.model.runs.run import REPEATED, NewRun
from rota.rules.text.duration import MAX_MS
from rota.store.base import Row, Tx

Check = Callable[[Collection[DeployedStart]], None]
SLICE = 50
"""The number of runs whose arguments are in memory at once: each may have a megabyte."""


class RedrivePair(msgspec.Struct, frozen=True):
    """A letter, and the id that its new run would get."""

    run_id: str
    rerun_id: str


class RedriveRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The options for redriving letters."""

    args: str | None = None
    """Other arguments for all of them, as JSON text."""
    gap_ms: float = 0.0
    """Milliseconds between the starts of two runs: a rate for which no caller has to wait."""
    first: int = 0
    """The number that were redriven before, in earlier batches of the same request."""


def redrive(  # what, how, by whom, and whether they may
    tx: Tx,
    pairs: Sequence[RedrivePair],
    wish: RedriveRequest,
    *,
    namespace: str,
    who: str,
    check: Check = lambda _: None,
) -> list[Redriven]:
    """Submit the open letters again; returns all that are redriven, no matter by whom.

    A job that was removed runs again as its failed run did. `check` gets everything that would run
    beforehand, and raises if it may not.

    Letters that were discarded, and runs that retention has removed, are left out. A request that
    is sent twice, with the same pairs, makes one run for each letter.
    """
    if (wish.first + len(pairs)) * wish.gap_ms > MAX_MS:
        raise BadInput("at this rate the last of them starts in more than a hundred years")
    ids = json.dumps([pair.run_id for pair in pairs])
    rows = tx.all(
        "take_letters",
        ids=ids,
        namespace=namespace,
        batch=msgspec.json.encode(pairs).decode(),
        who=who,
    )
    closed = {str(row["run_id"]) for row in rows}
    mine = [pair for pair in pairs if pair.run_id in closed]
    if mine:
        _submit(tx, mine, wish, namespace, check)
    reruns = {
        str(row["run_id"]): str(row["rerun_id"])
        for row in tx.all("find_redriven", ids=ids, namespace=namespace)
    }
    return [
        Redriven(
            run_id=pair.run_id,
            rerun_id=reruns[pair.run_id],
            is_new=reruns[pair.run_id] == pair.rerun_id,
        )
        for pair in pairs
        if pair.run_id in reruns
    ]


def _submit(
    tx: Tx, pairs: Sequence[RedrivePair], wish: RedriveRequest, namespace: str, check: Check
) -> None:
    for at in range(0, len(pairs), SLICE):
        part = pairs[at : at + SLICE]
        ids = json.dumps([pair.run_id for pair in part])
        rows = tx.all("find_failed_runs", ids=ids, namespace=namespace)
        old = {str(row["id"]): row for row in rows}
        names = json.dumps(sorted({row["job"] for row in rows}))
        versions: dict[str, int] = {
            row["name"]: row["version"]
            for row in tx.all("current_versions", namespace=namespace, names=names)
        }
        check({_start(row, versions) for row in rows})
        fresh = [
            _fresh(old[pair.run_id], pair, wish, versions=versions, number=wish.first + at + n)
            for n, pair in enumerate(part)
        ]
        submit(tx, fresh, namespace=namespace, is_repeat=True)


def _start(row: Row, versions: dict[str, int]) -> DeployedStart:
    """Return the version that would run, with the time when the failed run was submitted."""
    version = versions.get(row["job"]) or int(row["version"])
    rerun_of = str(row["rerun_of"]) if row["rerun_of"] else None
    return DeployedStart(row["job"], version, int(row["created_at"]), rerun_of)


def _fresh(
    row: Row, pair: RedrivePair, wish: RedriveRequest, *, versions: dict[str, int], number: int
) -> NewRun:
    changes = {
        "version": versions.get(row["job"]) or row["version"],
        "args": row["args"] if wish.args is None else wish.args,
        "at_most_once": bool(row["at_most_once"]),
        "schedule_id": str(row["schedule_id"]) if row["schedule_id"] else None,
    }
    return NewRun(
        id=pair.rerun_id,
        rerun_of=pair.run_id,
        delay_ms=int(number * wish.gap_ms) or None,
        **{**{name: row[name] for name in REPEATED}, **changes},
    )
