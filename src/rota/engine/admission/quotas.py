"""Quotas as a hold: a namespace carries out only a limited number of runs at once.

Running runs are counted in each claim, under the lock of the namespace, so that no claim
overshoots.
"""

from __future__ import annotations

from collections.abc import Iterator

from rota.engine.admission.hold import ActiveHold, Wanted
from rota.engine.identity.namespaces import find_namespace
from rota.errors import UnknownNamespace
from rota.model.admission.queue import QueueLimit
from rota.model.runs.reason import Reason
from rota.store.base import Tx


def most_running(tx: Tx, name: str) -> int | None:
    """Return how many runs of a namespace may be carried out at once; None if there is no limit."""
    row = tx.one("find_namespace", name=name)
    return None if row is None else row["max_running"]


def room_to_run(tx: Tx, name: str) -> int | None:
    """Return how many more runs may be claimed now; None if there is no limit.

    Other claims of the namespace wait until this transaction has ended.
    """
    row = tx.one("lock_quota", name=name)
    if row is None or row["max_running"] is None:
        return None
    return max(0, int(row["max_running"]) - _running(tx, name))


def narrow_to_quota(tx: Tx, claim_request: Wanted) -> None:
    """Claim no more runs than the namespace has room for."""
    room = room_to_run(tx, claim_request.namespace)
    claim_request.limit = claim_request.limit if room is None else min(claim_request.limit, room)


class UsedQuota(ActiveHold):
    """A namespace that runs as many runs as its quota allows."""

    def __init__(self, namespace: str, used: int, most: int) -> None:
        says = f"the quota of namespace {namespace} is used up: {used} of {most} runs at once"
        self._reason = Reason(kind="quota", says=says, count=most)

    def reasons(self, *, job: str, queue: str) -> list[Reason]:
        del job, queue
        return [self._reason]


def used_quota(tx: Tx, namespace: str) -> UsedQuota | None:
    try:
        most = find_namespace(tx, namespace).quotas.running
    except UnknownNamespace:  # a namespace that is not on record has no quotas
        return None
    if most is None:
        return None
    used = _running(tx, namespace)
    return None if used < most else UsedQuota(namespace, used, most)


def quota_limits(tx: Tx, queue: str, namespace: str) -> Iterator[QueueLimit]:
    """Yield the quotas of the namespace, which apply to each of its queues alike."""
    del queue
    quotas = find_namespace(tx, namespace).quotas
    if quotas.running is not None:
        used = _running(tx, namespace)
        says = f"runs at once in namespace {namespace}"
        is_full = used >= quotas.running
        yield QueueLimit(kind="quota", says=says, used=used, most=quotas.running, stops=is_full)
    if quotas.queued is not None:
        row = tx.one("count_waiting", namespace=namespace, limit=quotas.queued + 1)
        used = 0 if row is None else min(int(row["runs"]), quotas.queued)
        says = f"runs that may wait in namespace {namespace}; more are refused"
        yield QueueLimit(kind="quota", says=says, used=used, most=quotas.queued)


def _running(tx: Tx, namespace: str) -> int:
    return int(tx.all("count_running", namespace=namespace)[0]["runs"])
