"""Decide from tallies and the time when a breaker opens, sends a probe and closes.

Nothing here reads a store; engine.failures.breakers.state turns a decision into a guarded change.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple, assert_never

from msgspec.structs import replace

from rota.model.admission.breaker import Circuit, ProbeFate, Tally
from rota.model.jobs.spec import Breaker
from rota.rules.text.duration import parse_duration

BUCKETS = 10
"""The number of buckets in a window; attempts leave the window one bucket at a time."""
LOOK_MS = 2_000
"""Milliseconds until the next search for a probe when no run of the job was queued."""


class BreakerTimes(NamedTuple):
    """The durations of a breaker rule in milliseconds."""

    window_ms: int
    cool_ms: int
    cap_ms: int

    @property
    def bucket_ms(self) -> int:
        return max(1, self.window_ms // BUCKETS)


class BreakerCount(NamedTuple):
    """The number of attempts, and of bad ones, that ended within the window."""

    bad: int
    total: int


@lru_cache(maxsize=1024)
def times_of(rule: Breaker) -> BreakerTimes:
    return BreakerTimes(
        parse_duration(rule.window), parse_duration(rule.cool), parse_duration(rule.cool_cap)
    )


def count(tallies: Sequence[Tally], *, rule: Breaker, now_ms: int) -> BreakerCount:
    """Count the attempts in buckets that began within the window, so never an older attempt."""
    since = now_ms - times_of(rule).window_ms
    recent = [tally for tally in tallies if tally.at > since]
    bad = sum(tally.bad for tally in recent)
    return BreakerCount(bad, bad + sum(tally.good for tally in recent))


def trips(count: BreakerCount, rule: Breaker) -> bool:
    """Whether enough attempts ended, and a large enough share of them badly."""
    return count.total >= rule.least and count.bad > 0 and count.bad >= rule.share * count.total


def decide(
    circuit: Circuit,
    tallies: Sequence[Tally],
    *,
    rule: Breaker,
    now_ms: int,
    fate: ProbeFate = "waits",
    candidate: str | None = None,
) -> Circuit:
    """Return the next state of a breaker; the identical object when nothing changes.

    `fate` is how the probe of a half-open breaker ended. `candidate` is the run that becomes the
    probe of an open breaker once its time has come.
    """
    match circuit.state:
        case "closed":
            is_bad = trips(count(tallies, rule=rule, now_ms=now_ms), rule)
            return _open(circuit, rule, now_ms) if is_bad else circuit
        case "open":
            return _probe(circuit, now_ms, candidate)
        case "half_open":
            return _end(circuit, rule, now_ms, fate)
    assert_never(circuit.state)


def cool_ms(rule: Breaker, cools: int) -> int:
    """Return how long a breaker stays open after `cools` probes ended badly."""
    times = times_of(rule)
    # The exponent is bounded: after a week of probes it would be a number of many digits.
    return min(times.cool_ms << min(cools, 40), times.cap_ms)


def _open(circuit: Circuit, rule: Breaker, now_ms: int) -> Circuit:
    return Circuit(
        state="open",
        turn=circuit.turn + 1,
        opened_at=now_ms,
        probe_at=None if rule.pauses else now_ms + cool_ms(rule, 0),
        stays=rule.pauses,
    )


def _probe(circuit: Circuit, now_ms: int, candidate: str | None) -> Circuit:
    if circuit.stays or circuit.probe_at is None or now_ms < circuit.probe_at:
        return circuit
    turn = circuit.turn + 1
    if candidate is None:
        return replace(circuit, turn=turn, probe_at=now_ms + LOOK_MS)
    return replace(circuit, state="half_open", turn=turn, probe_at=None, probe_id=candidate)


def _end(circuit: Circuit, rule: Breaker, now_ms: int, fate: ProbeFate) -> Circuit:
    turn = circuit.turn + 1
    match fate:
        case "waits":
            return circuit
        case "good":
            return Circuit(turn=turn)
        case "gone":
            again = replace(circuit, state="open", turn=turn, probe_id=None)
            return replace(again, probe_at=now_ms)
        case "bad":
            cools = circuit.cools + 1
            again = replace(circuit, state="open", turn=turn, probe_id=None, cools=cools)
            return replace(again, probe_at=now_ms + cool_ms(rule, cools))
