"""The audit chain: each entry has a hash of the one before, so that no change goes unnoticed.

This shows when an entry is changed, hidden or added. A change writes its entry without a place in
the chain; sealing gives places to entries that have none, in batches, one sealer at a time for each
namespace. A writer never waits for the chain (ADR 21).
"""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from rota.clock import to_datetime
from rota.engine.runs.find import now_ms
from rota.model.identity.audit import Anchor, ChainVerdict
from rota.store.base import Row, Tx

PAGE = 500
PARTS = (
    "at", "who", "verb", "subject", "detail", "address", "request_id", "before_digest",
    "after_digest",
)  # fmt: skip
"""The fields in the hash of every entry. Closed: entries of before must still verify."""
LATER_PARTS: tuple[str, ...] = ()
"""Fields that entries got later, such as a new column of `act`; only ever appended to.

Only where an entry has a value is it in the hash, with its name: an entry from before the field
hashes as it always did, and a value that is slipped in or taken away is noticed. An older sealer
would leave the value out, so the migration that adds the column refuses older code, or a release
that seals it comes before the one that fills it.
"""


class _Seal(msgspec.Struct, frozen=True):
    id: str
    seq: int
    hash: str


def seal(tx: Tx, *, limit: int = PAGE) -> int:
    """Give places to entries that have none; returns how many got one."""
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


def verify(
    tx: Tx, *, namespace: str, anchors: Sequence[Anchor] = (), limit: int = PAGE
) -> ChainVerdict:
    """Walk the whole chain; name the first entry that does not fit it or an anchor."""
    chain = tx.one("find_chain", namespace=namespace)
    noted = _Noted(anchors)
    if chain is None:
        return noted.end(ChainVerdict(is_good=True, acts=0, seq=0, hash=""))
    walk = _Walk(namespace, noted, chain["base_seq"], chain["base_hash"])
    says = noted.at_base(walk.seq, walk.hash, now=now_ms(tx)) or walk.along(tx, limit)
    says = says or _end_of(tx, chain, walk, limit)
    facts: dict[str, Any] = {"acts": walk.count, "hash": walk.hash}
    if says and tx.all("find_chain", namespace=namespace)[0]["base_seq"] != chain["base_seq"]:
        # Retention has removed entries that we were about to read.
        return verify(tx, namespace=namespace, anchors=anchors, limit=limit)
    if says:
        return ChainVerdict(is_good=False, seq=walk.seq + 1, says=says, **facts)
    return noted.end(ChainVerdict(is_good=True, seq=walk.seq, **facts))


def _end_of(tx: Tx, chain: Row, walk: _Walk, limit: int) -> str:
    """Return what is wrong with the end of the chain, after walking entries sealed meanwhile."""
    while (walk.seq, walk.hash) != (chain["seq"], chain["hash"]):
        (now,) = tx.all("find_chain", namespace=walk.namespace)
        if (now["seq"], now["hash"]) == (chain["seq"], chain["hash"]):
            return f"act {walk.seq + 1} is missing, and all after it"
        chain = now
        if says := walk.along(tx, limit):
            return says
    return ""


class ChainWalk(NamedTuple):
    """How far somebody has walked along a chain that goes on growing."""

    seq: int
    hash: str
    head: int
    """The last place that the chain had."""


def walk_on(
    tx: Tx, since: ChainWalk | None, *, namespace: str, most: int
) -> tuple[ChainWalk | None, str]:
    """Walk on for up to `most` entries; return how far, and what is wrong or an empty text.

    At the end of the chain the next walk begins anew; at a fault it comes back to it.
    """
    chain = tx.one("find_chain", namespace=namespace)
    head = 0 if chain is None else chain["seq"]
    if since is not None and head < since.head:
        return since, f"act {head + 1} is missing, and all after it"
    if chain is None:
        return None, ""
    anew = ChainWalk(chain["base_seq"], chain["base_hash"], head)
    start = anew if since is None or since.seq < anew.seq else since
    walk = _Walk(namespace, _Noted(()), start.seq, start.hash)
    says, is_end = walk.part(tx, most)
    if not says and is_end and walk.seq < head:
        says = f"act {walk.seq + 1} is missing, and all after it"
    if says:
        again = tx.all("find_chain", namespace=namespace)[0]
        if again["base_seq"] != chain["base_seq"]:  # retention has removed what we were reading
            return None, ""
        return start._replace(head=head), says
    return anew if is_end else ChainWalk(walk.seq, walk.hash, head), ""


class _Walk:
    """A walk along a chain from its base; `seq` and `hash` are of the last entry that fits."""

    def __init__(self, namespace: str, noted: _Noted, seq: int, hash_: str) -> None:
        self.seq, self.hash, self.count = seq, hash_, 0
        self.namespace = namespace
        self._noted = noted

    def along(self, tx: Tx, limit: int) -> str:
        """Walk to the end, or to the first defect; return the defect, or an empty text."""
        at = {"namespace": self.namespace, "limit": limit}
        while rows := tx.all("sealed_acts", after=self.seq, **at):
            for row in rows:
                if says := self._step(row):
                    return says
        return ""

    def part(self, tx: Tx, most: int) -> tuple[str, bool]:
        """Walk up to `most` entries on; return the first defect, and whether that is the end."""
        rows = tx.all("sealed_acts", namespace=self.namespace, after=self.seq, limit=most)
        says = next(filter(None, map(self._step, rows)), "")
        return says, len(rows) < most

    def _step(self, row: Row) -> str:
        seq = self.seq + 1
        if row["seq"] != seq:
            return f"act {seq} is missing"
        if row["hash"] != _hash(self.hash, self.namespace, seq, row):
            return f"act {seq} (id {row['id']}) was changed"
        says = self._noted.at(seq, row["hash"])
        if not says:
            self.seq, self.hash, self.count = seq, row["hash"], self.count + 1
        return says


class _Noted:
    """The anchors along a chain, by their place."""

    def __init__(self, anchors: Sequence[Anchor]) -> None:
        self._open = deque(sorted(anchors, key=lambda each: (each.seq, each.at)))
        self._fit = 0
        self._last = 0
        self._undated = 0

    def at_base(self, seq: int, hash_: str, *, now: int) -> str:
        """Check the anchors of entries that are gone, which only retention may remove."""
        while self._open and self._open[0].seq <= seq:
            anchor = self._open.popleft()
            if anchor.kept_until is not None and anchor.kept_until > now:
                until = to_datetime(anchor.kept_until).date()
                return f"act {anchor.seq} was removed, which had to stay until {until}"
            if anchor.seq == seq and anchor.hash != hash_:
                return self._misfit(anchor)
            self._undated += anchor.kept_until is None and anchor.seq > 0
            self._take(anchor)
        return ""

    def at(self, seq: int, hash_: str) -> str:
        """Return what is wrong with an entry that has a place and a hash."""
        while self._open and self._open[0].seq == seq:
            anchor = self._open.popleft()
            if anchor.hash != hash_:
                return self._misfit(anchor)
            self._take(anchor)
        return ""

    def end(self, found: ChainVerdict) -> ChainVerdict:
        """Return the verdict, which is bad if an anchor lies behind the end."""
        found = msgspec.structs.replace(found, anchors=self._fit, says=self._doubt())
        if not self._open:
            return found
        anchor = self._open[0]
        says = (
            f"act {found.seq + 1} is missing, and all after it: act {anchor.seq} was anchored at "
            f"{_told(anchor)}"
        )
        return msgspec.structs.replace(found, is_good=False, seq=found.seq + 1, says=says)

    def _doubt(self) -> str:
        """Return what anchors without a date cannot prove; empty if there are none."""
        if not self._undated:
            return ""
        return (
            f"the acts of {self._undated} anchors are gone, which do not say until when those had "
            "to stay"
        )

    def _take(self, anchor: Anchor) -> None:
        self._fit += 1
        self._last = anchor.seq

    def _misfit(self, anchor: Anchor) -> str:
        since = f"after act {self._last}" if self._last else "from its beginning"
        return (
            f"act {anchor.seq} is not the one that was anchored at {_told(anchor)}: the chain was "
            f"made anew {since}"
        )


def heads(tx: Tx, *, keep_ms: int) -> list[Anchor]:
    """Return the end of each namespace's chain as an anchor; entries are kept for `keep_ms`."""
    return [
        Anchor(
            namespace=row["namespace"],
            seq=row["seq"],
            hash=row["hash"],
            at=row["now"],
            kept_until=None if row["acted_at"] is None else row["acted_at"] + keep_ms,
        )
        for row in tx.all("chain_heads")
    ]


def holds(tx: Tx, head: str, *, namespace: str) -> bool:
    """Whether a hash that was noted earlier is in the chain, or is where retention cut it."""
    chain = tx.one("find_chain", namespace=namespace)
    if chain is not None and chain["base_hash"] == head:
        return True
    return tx.one("find_sealed", namespace=namespace, hash=head) is not None


def verify_with(
    tx: Tx, head: str | None, *, namespace: str, anchors: Sequence[Anchor] = ()
) -> ChainVerdict:
    """Verify the chain, and that it holds a hash that was noted earlier."""
    found = verify(tx, namespace=namespace, anchors=anchors)
    if not found.is_good or head is None or holds(tx, head, namespace=namespace):
        return found
    says = f"{head:.64} is not in the chain"
    return msgspec.structs.replace(found, is_good=False, says=says)


def prune_acts(tx: Tx, *, keep_ms: int, limit: int) -> int:
    """Forget the oldest entries of each chain, and write down where it begins now."""
    seal(tx, limit=limit)  # an entry without a place cannot be removed
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


def _told(anchor: Anchor) -> str:
    return to_datetime(anchor.at).isoformat(timespec="seconds").replace("+00:00", "Z")


def _hash(before: str, namespace: str, seq: int, row: Row) -> str:
    facts = [before, namespace, seq, str(row["id"]), *(row[part] for part in PARTS)]
    facts += [[part, row[part]] for part in LATER_PARTS if row[part] is not None]
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()
