"""The result cache: reusable results, found by a digest of everything they depend on.

A hit ends a run in the transaction that claimed it. Two runs that look at the same moment both run:
waiting for the other would save work but could be in vain, and the result is the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from rota.engine.values.stored_text import read
from rota.errors import BadGraph
from rota.model.graphs.graph import Cache
from rota.model.jobs.spec import PolicyChange
from rota.model.runs.run import CACHED, Lease, Verdict
from rota.model.values.artifact import is_pointer, read_pointer
from rota.rules.graphs.expressions.cel import Values
from rota.rules.graphs.node_values import cache_key
from rota.rules.text.duration import parse_duration
from rota.store.base import Tx

FOR_EVER_MS = 100 * 365 * 86_400_000

_policy = msgspec.json.Decoder(PolicyChange)


class CachedResult(NamedTuple):
    """A result and the run that returned it."""

    run_id: str
    result: str


class _Kept(msgspec.Struct, frozen=True):
    key: str
    run_id: str
    result: str
    memo_ms: int


def with_memo(lease: Lease, cache: Cache, args: Mapping[str, Any], values: Values) -> Lease:
    """The lease with the cache key of its result; BadGraph if the key cannot be made."""
    owner = lease.job if lease.node is None else f"node {lease.node!r}"
    try:
        key = cache_key(cache, (lease.job, lease.version), args, values)
    except BadGraph as error:
        raise BadGraph(f"{owner}: cache.key: {error}") from error
    ttl_ms = FOR_EVER_MS if cache.ttl is None else parse_duration(cache.ttl)
    return msgspec.structs.replace(lease, memo_key=key, memo_ms=ttl_ms)


def recall(tx: Tx, leases: Iterable[Lease], *, namespace: str) -> dict[str, CachedResult]:
    """The cached results by run id, without leases that want a fresh result."""
    asking = [lease for lease in leases if lease.memo_key is not None and not wants_fresh(lease)]
    if not asking:
        return {}
    keys = json.dumps(sorted({lease.memo_key for lease in asking if lease.memo_key}))
    by_key = {
        row["key"]: CachedResult(str(row["run_id"]), row["result"])
        for row in tx.all("find_memos", namespace=namespace, keys=keys)
    }
    return {
        lease.run_id: memo
        for lease in asking
        if (memo := by_key.get(lease.memo_key or "")) and _is_near(lease, memo)
    }


def hit(lease: Lease, memo: CachedResult) -> Verdict:
    """The verdict that ends a run with a cached result."""
    return Verdict(
        run_id=lease.run_id,
        fence=lease.fence,
        verb="succeed",
        result=memo.result,
        reason=f"{CACHED}{memo.run_id}",
        fired=lease.is_fired,
        parent_id=lease.parent_id,
        node=lease.node,
        item=lease.item,
    )


def keep_memos(tx: Tx, verdicts: Sequence[Verdict], *, namespace: str) -> None:
    """Cache the results of these verdicts, whose runs have just ended."""
    rows = {
        verdict.memo_key: _Kept(
            verdict.memo_key, verdict.run_id, verdict.result or "null", verdict.memo_ms
        )
        for verdict in verdicts
        if verdict.memo_key is not None
    }
    # In order: two batches with the same keys must not deadlock.
    ordered = [rows[key] for key in sorted(rows)]
    tx.execute("keep_memos", batch=msgspec.json.encode(ordered).decode(), namespace=namespace)


def wants_fresh(lease: Lease) -> bool:
    return is_fresh(lease.policy)


def is_fresh(policy: str | None) -> bool:
    """Whether a run with this policy ignores cached results."""
    return policy is not None and _read(policy).fresh


def freshened(policy: str | None) -> str:
    """The policy, changed so that the run ignores cached results."""
    change = PolicyChange() if policy is None else _read(policy)
    return msgspec.json.encode(msgspec.structs.replace(change, fresh=True)).decode()


def remembering(lease: Lease) -> str | None:
    """The policy of a graph run, with the cache key of its result noted for its end."""
    if lease.memo_key is None:
        return None
    change = PolicyChange() if lease.policy is None else _read(lease.policy)
    noted = msgspec.structs.replace(change, memo_key=lease.memo_key, memo_ms=lease.memo_ms)
    return msgspec.json.encode(noted).decode()


def noted(policy: str | None) -> dict[str, Any]:
    """The fields of a verdict that hold the cache key noted in a policy."""
    if policy is None or '"memo_key"' not in policy:
        return {}
    change = _read(policy)
    return {"memo_key": change.memo_key, "memo_ms": change.memo_ms}


def _read(policy: str) -> PolicyChange:
    return read(_policy, policy, "the policy of the run")


def _is_near(lease: Lease, memo: CachedResult) -> bool:
    """Whether a cached result can be used: a transaction cannot read the artifact store."""
    if not lease.is_asked or not is_pointer(memo.result):
        return True
    return read_pointer(memo.result).place == "d"
