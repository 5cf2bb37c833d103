"""Audit: acts in a chain of hashes, so that changing, hiding or adding one is noticed.

A change writes its act without a place in the chain; sealing gives places to those that have none,
in batches, one sealer at a time for each namespace. Who writes never waits for the chain (ADR 21).
"""

from __future__ import annotations

import hashlib

import msgspec

from rota.store.base import Row, Tx

PAGE = 500
PARTS = (
    "at", "who", "verb", "subject", "detail", "address", "request_id", "before_digest",
    "after_digest",
)  # fmt: skip


class _Seal(msgspec.Struct, frozen=True):
    id: str
    seq: int
    hash: str


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    """What a walk along the chain found."""

    is_good: bool
    acts: int
    """How many were walked along."""
    seq: int
    """The last place that holds, or where it breaks."""
    hash: str
    """To be written down elsewhere: a chain that was made anew has another one."""
    says: str = ""


def seal(tx: Tx, *, limit: int = PAGE) -> int:
    """Give places to acts that have none; returns how many got one."""
    count = 0
    for row in tx.all("unsealed_namespaces", limit=limit):
        count += _seal(tx, row["namespace"], limit=limit)
    return count


def _seal(tx: Tx, namespace: str, *, limit: int) -> int:
    chain = tx.all("lock_chain", namespace=namespace)[0]
    seq, last = chain["seq"], chain["hash"]
    seals = []
    for row in tx.all("unsealed_acts", namespace=namespace, limit=limit):
        seq += 1
        last = _hash(last, namespace, seq, row)
        seals.append(_Seal(str(row["id"]), seq, last))
    if seals:
        tx.execute("seal_acts", batch=msgspec.json.encode(seals).decode())
        tx.execute("move_chain", namespace=namespace, seq=seq, hash=last)
    return len(seals)


def verify(tx: Tx, *, namespace: str, limit: int = PAGE) -> Verified:
    """Walk along the whole chain; the first act that does not fit is named."""
    chain = tx.one("find_chain", namespace=namespace)
    if chain is None:
        return Verified(is_good=True, acts=0, seq=0, hash="")
    seq, last = chain["base_seq"], chain["base_hash"]
    count = 0
    while rows := tx.all("sealed_acts", namespace=namespace, after=seq, limit=limit):
        for row in rows:
            if row["seq"] != seq + 1:
                return _broken(count, seq + 1, last, "is missing")
            if row["hash"] != _hash(last, namespace, seq + 1, row):
                return _broken(count, seq + 1, last, f"(id {row['id']}) was changed")
            seq, last, count = row["seq"], row["hash"], count + 1
    if (seq, last) != (chain["seq"], chain["hash"]):
        return _broken(count, seq + 1, last, "is missing, and all after it")
    return Verified(is_good=True, acts=count, seq=seq, hash=last)


def holds(tx: Tx, head: str, *, namespace: str) -> bool:
    """Whether a hash that was noted earlier is one of the chain, or where retention cut it."""
    chain = tx.one("find_chain", namespace=namespace)
    if chain is not None and chain["base_hash"] == head:
        return True
    return tx.one("find_sealed", namespace=namespace, hash=head) is not None


def verify_with(tx: Tx, head: str | None, *, namespace: str) -> Verified:
    """The same, and whether it holds a hash that was noted earlier."""
    found = verify(tx, namespace=namespace)
    if not found.is_good or head is None or holds(tx, head, namespace=namespace):
        return found
    says = f"{head:.64} is not in the chain"
    return msgspec.structs.replace(found, is_good=False, says=says)


def prune_acts(tx: Tx, *, keep_ms: int, limit: int) -> int:
    """Forget the oldest acts of each chain; where it begins now is written down."""
    seal(tx, limit=limit)  # what has no place yet cannot go
    gone = 0
    for chain in tx.all("list_chains"):
        at = {"namespace": chain["namespace"]}
        end: Row | None = None
        rows = tx.all("old_acts", after=chain["base_seq"], keep_ms=keep_ms, limit=limit, **at)
        for row in rows:
            if not row["is_old"]:
                break
            end = row
        if end is not None:
            tx.execute("move_base", seq=end["seq"], hash=end["hash"], **at)
            gone += tx.execute("prune_acts", seq=end["seq"], **at)
    return gone


def _broken(count: int, seq: int, last: str, says: str) -> Verified:
    return Verified(is_good=False, acts=count, seq=seq, hash=last, says=f"act {seq} {says}")


def _hash(before: str, namespace: str, seq: int, row: Row) -> str:
    facts = [before, namespace, seq, str(row["id"]), *(row[part] for part in PARTS)]
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()
