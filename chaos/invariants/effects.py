"""S4 effects once, S5 fence: the writes of handlers, against the endings of their runs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from chaos.facts import Ended, Facts, Written
from chaos.invariants.finding import Finding, finding


def effects_once(facts: Facts) -> Finding:
    """Check that a row in our transaction exists once if the run succeeded, else not at all."""
    return finding(*_compare(facts, facts.effects, job="is_transactional"))


def receipts_once(facts: Facts) -> Finding:
    """Check that a row beside a receipt exists once if the run succeeded, and never twice.

    In another database it can exist although the run was lost or cancelled afterwards.
    """
    return finding(*_compare(facts, facts.receipts, job="has_receipt"))


def _compare(facts: Facts, written: Sequence[Written], *, job: str) -> tuple[int, Iterator[str]]:
    rows: dict[str, list[Written]] = defaultdict(list)
    for row in written:
        rows[row.run_id].append(row)
    ends = [end for end in facts.ended if getattr(facts.policies[end.job], job)]
    return len(ends), _differences(ends, rows, is_exact=job == "is_transactional")


def _differences(
    ends: Sequence[Ended], rows: dict[str, list[Written]], *, is_exact: bool
) -> Iterator[str]:
    for end in ends:
        found = rows.pop(end.run_id, [])
        has_succeeded = end.state == "success"
        if has_succeeded and (len(found) != 1 or found[0].number != end.number):
            yield f"{end} has the rows {found}"
        elif not has_succeeded and len(found) > (0 if is_exact else 1):
            yield f"{end} did not succeed and has the rows {found}"
    for run_id, found in rows.items():
        yield f"there is no ended run {run_id} for the rows {found}"


def fence(facts: Facts) -> Finding:
    """Check that no write of an older fence counts after a newer claim."""
    checked = len(facts.tried) + len(facts.effects) + len(facts.ended)
    return finding(checked, _stale_writes(facts))


def _stale_writes(facts: Facts) -> Iterator[str]:
    for row in facts.effects:
        end = facts.by_id.get(row.run_id)
        if end is not None and row.fence != end.fence:
            yield f"{row} was written under another fence than {end}"
    for end in facts.ended:
        tried = facts.attempts.get(end.run_id, [])
        fences = [each.fence for each in tried]
        if end.state == "success":
            fences.append(end.fence)
        if len(set(fences)) < len(fences) or any(each > end.fence for each in fences):
            yield f"{end} has attempts with the fences {fences}"
        if [each.number for each in tried] != sorted(each.number for each in tried):
            yield f"{end} has attempts whose numbers and fences disagree: {tried}"
    beginnings = Counter((each.run_id, each.fence) for each in facts.begun)
    for (run_id, number), count in beginnings.items():
        if count > 1:
            yield f"the body of run {run_id} began {count} times under fence {number}"
        end = facts.by_id.get(run_id)
        if end is not None and number > end.fence:
            yield f"a body of run {run_id} began under fence {number} after {end}"
