"""Rerun: submit a new run with the arguments of an ended one, linked to it.

The old run keeps its end for ever, and budgets start afresh. A rerun closes an open dead letter of
the old run, because a person has taken care of it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import msgspec

from rota.engine.failures.redrive import RedrivePair
from rota.engine.graphs.graph_run import find_spec
from rota.engine.jobs.deployed_versions import DeployedStart
from rota.engine.runs.find import find
from rota.engine.runs.submit import submit
from rota.engine.values.result_cache import freshened
from rota.errors import NotAllowed
from rota.model.runs.run import REPEATED, NewRun, RunView
from rota.model.states import FINAL
from rota.model.view import plain_text
from rota.store.base import Tx


def rerun(
    tx: Tx, run_id: str, *, namespace: str, new_id: str, who: str, args: str | None = None
) -> list[str]:
    """Submit the run again, with other arguments if given, under the new id.

    Returns the id of the old run if this closed its dead letter. A request that is sent twice with
    the same new id makes one run.
    """
    old = find(tx, run_id, namespace=namespace)
    if old.state not in FINAL:
        raise NotAllowed(f"run {run_id} is {old.state}; only an ended run can be run again")
    if old.parent_id is not None:
        raise NotAllowed(
            f"run {run_id} carries out node {old.node} of run {old.parent_id}; rerun that graph "
            "from this node"
        )
    closed = close_letters(tx, [RedrivePair(old.id, new_id)], namespace=namespace, who=who)
    fresh = fresh_run(tx, old, new_id, namespace=namespace, args=args)
    submit(tx, [fresh], namespace=namespace, is_repeat=True)
    return closed


def fresh_run(
    tx: Tx, old: RunView, new_id: str, *, namespace: str, args: str | None = None
) -> NewRun:
    """The new run that repeats the work of an ended one."""
    given = {} if args is None else {"args": args}
    return repeated(old, id=new_id, policy=_policy(tx, old, namespace), **given)


def repeated(old: RunView, **others: str | None) -> NewRun:
    """The new run that repeats an old one, with these fields of its own."""
    kept = {name: getattr(old, name) for name in REPEATED}
    texts = {name: plain_text(kept[name]) for name in ("args", "policy", "origin")}
    return NewRun(rerun_of=old.id, **{**kept, **texts, **others})


def again(old: RunView) -> DeployedStart:
    """The start that a rerun makes: the old run's job and version, as of the old submit."""
    return DeployedStart(old.job, old.version, old.created_at.ms, old.rerun_of)


def _policy(tx: Tx, old: RunView, namespace: str) -> str | None:
    """The policy of a rerun: a job with a cache ignores cached results."""
    spec = find_spec(tx, old.job, old.version, namespace=namespace)
    policy = plain_text(old.policy)
    return freshened(policy) if spec and spec.cache else policy


def close_letters(tx: Tx, pairs: Sequence[RedrivePair], *, namespace: str, who: str) -> list[str]:
    """Close the open dead letters of runs, like a redrive; return the ids of runs that had one."""
    taken = tx.all(
        "take_letters",
        ids=json.dumps([pair.run_id for pair in pairs]),
        namespace=namespace,
        batch=msgspec.json.encode(list(pairs)).decode(),
        who=who,
    )
    return [str(row["run_id"]) for row in taken]
