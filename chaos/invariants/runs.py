"""S1 one end, S2 no loss, S3 no invention: the runs as a whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from chaos.facts import Facts
from chaos.invariants.finding import Finding, finding

SUBMITS = ("submit", "repeat", "conflict")


def one_end(facts: Facts) -> Finding:
    """Check that each run is in history once and nowhere else, and that its row never changes."""
    return finding(len(facts.ended) + len(facts.seen), _other_ends(facts))


def _other_ends(facts: Facts) -> Iterator[str]:
    for run_id, count in Counter(end.run_id for end in facts.ended).items():
        if count > 1:
            yield f"run {run_id} is in history {count} times"
    for run_id in facts.live:
        both = " though it has ended" if run_id in facts.by_id else ""
        yield f"run {run_id} is still live{both}"
    for run_id, seen in facts.seen.items():
        end = facts.by_id.get(run_id)
        if end is None:
            yield f"run {run_id} had ended as {seen} and is not in history any more"
        elif (end.state, end.fence, end.finished_ms) != seen:
            yield f"run {run_id} had ended as {seen} and was changed to {end}"


def no_loss(facts: Facts) -> Finding:
    """Check that every run that a client got an id for exists, with the submitted arguments."""
    told = [
        (run_id, number, call)
        for call in facts.calls
        if call.op in SUBMITS and call.answer == "ok"
        for run_id, number in zip(call.ids, call.numbers, strict=True)
    ]
    live = set(facts.live)
    lost = (
        f"run {run_id} (number {number}) was acknowledged to {call} and is lost"
        for run_id, number, call in told
        if run_id not in live
        and (run_id not in facts.by_id or facts.by_id[run_id].number != number)
    )
    return finding(len(told), lost)


def no_invention(facts: Facts) -> Finding:
    """Check that each run comes from a call that did not fail, and each number from one submit."""
    return finding(len(facts.ended), _unexplained(facts))


def _unexplained(facts: Facts) -> Iterator[str]:
    asked = {
        number
        for call in facts.calls
        if call.op in SUBMITS and call.answer in ("ok", "unknown")
        for number in call.numbers
    }
    twice = Counter(end.number for end in facts.ended)
    for end in facts.ended:
        if end.number not in asked:
            yield f"nobody asked for {end}"
        elif twice[end.number] > 1:
            yield f"one submit made {twice[end.number]} runs: {end}"
