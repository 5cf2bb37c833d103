"""The declaration that a worker or an app makes when it starts, with its audit entries.

It is no operation: a server does not serve it, it mostly changes nothing, and what it does change
is told in one entry for each job and schedule that it removes (ADR 49).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rota.engine.identity.audit_log import Actor, record
from rota.engine.jobs import declare as engine
from rota.engine.jobs.declare import Declarer, DeclareResult, Removal
from rota.model.jobs.release import Declaration
from rota.store.base import Tx


def declare(tx: Tx, said: Declaration, hand: Declarer) -> DeclareResult:
    """Store the definitions of the code, unless it is older than what the store holds."""
    done = engine.declare(tx, said, hand)
    record_removals(tx, done.removed, hand)
    if done.used is not None:
        told = {"app": done.used.app, "label": done.used.label, "was": done.was}
        detail = {name: each for name, each in told.items() if each is not None}
        _record(tx, hand, verb="use release", subject=str(done.number), detail=detail)
    return done


def record_removals(tx: Tx, removed: Iterable[Removal], hand: Declarer) -> None:
    """Write an entry for each job and schedule that went because the code declares it no more."""
    for each in removed:
        detail = {} if each.app is None else {"app": each.app}
        _record(tx, hand, verb=f"remove {each.kind}", subject=each.name, detail=detail)


def _record(
    tx: Tx, hand: Declarer, *, verb: str, subject: str, detail: Mapping[str, str | int]
) -> None:
    by = Actor(act_id=hand.new_id(), who=hand.who)
    record(tx, by, namespace=hand.namespace, verb=verb, subject=subject, detail=detail)
