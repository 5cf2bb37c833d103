"""When a breaker opens, probes and closes, as a pure decision."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.admission.breaker import Circuit, ProbeFate, Tally
from rota.model.jobs.spec import Breaker
from rota.rules.failures.breaker import LOOK_MS, BreakerCount, cool_ms, count, decide, trips

NOW = 1_800_000_000_000
RULE = Breaker(share=0.5, least=10, window="1m", cool="30s", cool_cap="10m")
HALF = Circuit(state="half_open", turn=4, opened_at=NOW - 60_000, probe_id="p", cools=2)

rules = st.builds(
    Breaker,
    share=st.floats(0.01, 1),
    least=st.integers(1, 50),
    window=st.sampled_from(["1s", "1m", "1h"]),
    cool=st.sampled_from(["100ms", "30s"]),
    cool_cap=st.sampled_from(["30s", "10m"]),
    pauses=st.booleans(),
)
tallies = st.lists(
    st.builds(Tally, st.integers(NOW - 4_000_000, NOW), st.integers(0, 30), st.integers(0, 30)),
    max_size=12,
)
circuits = st.one_of(
    st.just(Circuit()),
    st.builds(
        Circuit,
        state=st.just("open"),
        turn=st.integers(1, 9),
        opened_at=st.just(NOW - 5),
        probe_at=st.none() | st.integers(NOW - 50, NOW + 50),
        cools=st.integers(0, 90),
        stays=st.booleans(),
    ),
    st.builds(
        Circuit,
        state=st.just("half_open"),
        turn=st.integers(1, 9),
        probe_id=st.just("p"),
        cools=st.integers(0, 90),
    ),
)
fates = st.sampled_from(get_args(ProbeFate))


@given(circuits, tallies, rules, fates, st.none() | st.just("next"))
def test_every_decision_is_the_same_circuit_or_a_lawful_next_one(
    was: Circuit, seen: list[Tally], rule: Breaker, fate: ProbeFate, candidate: str | None
) -> None:
    now = decide(was, seen, rule=rule, now_ms=NOW, fate=fate, candidate=candidate)

    if now is was:
        return
    lawful = {
        "closed": {"open"},
        "open": {"open", "half_open"},
        "half_open": {"open", "closed"},
    }
    assert now.turn == was.turn + 1
    assert now.state in lawful[was.state]
    assert (now.state == "half_open") == (now.probe_id is not None)
    assert (now.state == "closed") == (
        now.opened_at is None
        and now.probe_at is None
        and now.probe_id is None
        and now.state != "open"
    )
    assert not now.stays or now.state == "open"
    assert not was.stays


@given(tallies, rules)
def test_a_breaker_opens_exactly_at_its_share_of_enough_attempts(
    seen: list[Tally], rule: Breaker
) -> None:
    window_ms = {"1s": 1_000, "1m": 60_000, "1h": 3_600_000}[str(rule.window)]
    recent = [each for each in seen if each.at > NOW - window_ms]
    bad, total = sum(t.bad for t in recent), sum(t.bad + t.good for t in recent)

    now = decide(Circuit(), seen, rule=rule, now_ms=NOW)

    is_bad_enough = total >= rule.least and bad > 0 and bad >= rule.share * total
    assert (now.state == "open") == is_bad_enough


@given(rules, st.integers(0, 10_000))
def test_the_wait_doubles_up_to_its_cap(rule: Breaker, cools: int) -> None:
    waits = [cool_ms(rule, cools + more) for more in (0, 1)]

    cap_ms = {"30s": 30_000, "10m": 600_000}[str(rule.cool_cap)]
    assert waits[1] == min(2 * waits[0], cap_ms)


@pytest.mark.parametrize(
    ("bad", "total", "opens"),
    [(5, 10, True), (4, 10, False), (9, 9, False), (10, 10, True), (50, 101, False)],
)
def test_the_share_and_the_least_are_reached_not_passed(
    bad: int, total: int, *, opens: bool
) -> None:
    assert trips(BreakerCount(bad, total), RULE) is opens


def test_attempts_older_than_the_window_do_not_count() -> None:
    seen = [Tally(NOW - 60_000, 0, 50), Tally(NOW - 59_999, 2, 3), Tally(NOW, 1, 1)]

    assert count(seen, rule=RULE, now_ms=NOW) == BreakerCount(4, 7)


def test_an_opened_one_cools_and_one_that_pauses_stays() -> None:
    seen = [Tally(NOW, 0, 10)]
    pausing = Breaker(share=0.5, least=10, pauses=True)

    cooling = decide(Circuit(turn=7), seen, rule=RULE, now_ms=NOW)
    staying = decide(Circuit(turn=7), seen, rule=pausing, now_ms=NOW)

    assert cooling == Circuit(state="open", turn=8, opened_at=NOW, probe_at=NOW + 30_000)
    assert staying == Circuit(state="open", turn=8, opened_at=NOW, stays=True)


def test_a_cool_one_takes_a_probe_and_looks_again_when_there_is_none() -> None:
    was = Circuit(state="open", turn=1, opened_at=1, probe_at=NOW)

    early = decide(was, (), rule=RULE, now_ms=NOW - 1, candidate="r")
    found = decide(was, (), rule=RULE, now_ms=NOW, candidate="r")
    nobody = decide(was, (), rule=RULE, now_ms=NOW)

    assert early is was
    assert (found.state, found.probe_id, found.opened_at) == ("half_open", "r", 1)
    assert (nobody.state, nobody.probe_at) == ("open", NOW + LOOK_MS)


def test_the_fate_of_the_probe_decides() -> None:
    ends = {
        fate: decide(HALF, (), rule=RULE, now_ms=NOW, fate=fate) for fate in get_args(ProbeFate)
    }

    assert ends["waits"] is HALF
    assert ends["good"] == Circuit(turn=5)
    assert (ends["bad"].state, ends["bad"].cools) == ("open", 3)
    assert ends["bad"].probe_at == NOW + 240_000
    assert (ends["gone"].state, ends["gone"].cools, ends["gone"].probe_at) == ("open", 2, NOW)
    assert ends["bad"].opened_at == ends["gone"].opened_at == HALF.opened_at
