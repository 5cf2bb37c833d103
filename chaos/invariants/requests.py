"""S11 dedupe, S15 cancel, S16 at most once: the promises to callers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

from chaos.calllog import Logged
from chaos.facts import Facts
from chaos.invariants.finding import Finding, finding

ROUNDING_MS = 1


def dedupe(facts: Facts) -> Finding:
    """Check that one key is one run, and that another payload under it is refused."""
    by_key: dict[str, list[Logged]] = defaultdict(list)
    for call in facts.calls:
        if call.key is not None:
            by_key[call.key].append(call)
    runs = Counter(end.key for end in facts.ended if end.key is not None)
    lines = (line for key, calls in by_key.items() for line in _doubled(key, calls, runs[key]))
    return finding(sum(map(len, by_key.values())), lines)


def _doubled(key: str, calls: list[Logged], runs: int) -> Iterator[str]:
    good = [call for call in calls if call.answer == "ok"]
    if len({call.ids for call in good}) > 1:
        yield f"key {key} gave several runs: {good}"
    if len({call.numbers for call in good}) > 1:
        yield f"key {key} took several payloads: {good}"
    if runs > 1:
        yield f"there are {runs} runs with the key {key}: {calls}"
    payloads = {call.numbers for call in calls}
    if len(payloads) == 1 and any(call.answer == "refused" for call in calls):
        yield f"key {key} was refused without another payload: {calls}"


def cancel(facts: Facts) -> Finding:
    """Check that after an acknowledged cancel nothing is claimed and no effect commits.

    If the answer to a cancel was `running`, the run was claimed already. A worker that held it
    ready may begin that attempt before it learns of the cancel, and none after it.
    """
    done = [call for call in facts.calls if call.op == "cancel" and call.answer == "ok"]
    return finding(len(done), (line for call in done for line in _went_on(call, facts)))


def _went_on(call: Logged, facts: Facts) -> Iterator[str]:
    (run_id,) = call.ids
    end = facts.by_id.get(run_id)
    if end is None:
        return
    spans = [(each.started_ms, each.ended_ms) for each in facts.attempts[run_id]]
    if end.state == "success" or not spans:
        spans.append((end.started_ms, end.finished_ms))
    free_ms = 0  # when the attempt before it had ended, so that it could be claimed
    for started_ms, ended_ms in spans:
        was_claimed = call.state == "running" and free_ms <= call.answered_ms
        is_late = started_ms is not None and started_ms > call.answered_ms + ROUNDING_MS
        if is_late and not was_claimed:
            yield f"{end} started at {started_ms} after {call}"
        free_ms = ended_ms
    if call.state == "cancelled" and end.state != "cancelled":
        yield f"{end} is what became of {call}"
    if facts.policies[end.job].is_transactional and end.state == "success":
        yield f"{end} took effect after {call}"


def at_most_once(facts: Facts) -> Finding:
    """Check that the handler begins at most once, and exactly once if the run succeeded."""
    beginnings = Counter(each.run_id for each in facts.begun)
    ends = [end for end in facts.ended if facts.policies[end.job].at_most_once]
    lines = (
        f"the body of {end} began {beginnings[end.run_id]} times"
        for end in ends
        if beginnings[end.run_id] > 1 or (end.state == "success" and beginnings[end.run_id] != 1)
    )
    return finding(len(ends), lines)
