"""Jitter: at least nothing, less than the limit, never past the next firing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rota.rules.schedules.jitter import fixed_jitter, hash_jitter, random_jitter

limits = st.integers(0, 10**9)
chances = st.floats(0, 1, exclude_max=True)
gaps = st.none() | st.integers(1, 10**9)


@given(limits, gaps, chances, st.text(max_size=10), st.integers(0, 10**13))
def test_a_start_stays_before_the_limit_and_the_next_firing(
    limit: int, gap: int | None, random: float, seed: str, nominal: int
) -> None:
    following = None if gap is None else nominal + gap
    for later in (
        random_jitter(limit, nominal=nominal, following=following, random=random),
        hash_jitter(limit, nominal=nominal, following=following, seed=seed),
        fixed_jitter(limit, nominal=nominal, following=following, seed=seed),
    ):
        assert 0 <= later < max(limit, 1)
        assert gap is None or later < gap


def test_the_hash_is_the_same_on_every_machine() -> None:
    found = [
        hash_jitter(60_000, nominal=1_767_225_600_000, following=None, seed=seed)
        for seed in ("nightly", "nightly", "hourly")
    ]

    assert found == [19_038, 19_038, 43_619]


def test_the_hash_spreads_schedules_and_firings_evenly() -> None:
    seconds = {
        hash_jitter(60_000, nominal=day * 86_400_000, following=None, seed=f"s{number}") // 1_000
        for number in range(30)
        for day in range(30)
    }

    assert seconds == set(range(60))


def test_chance_reaches_from_nothing_to_just_under_the_limit() -> None:
    found = [
        random_jitter(1_000, nominal=0, following=None, random=random)
        for random in (0.0, 0.5, 0.9999)
    ]

    assert found == [0, 500, 999]


def test_a_fixed_delay_is_the_same_for_each_firing_of_a_schedule_and_differs_between_them() -> None:
    delays = {
        seed: {
            fixed_jitter(3_600_000, nominal=day * 86_400_000, following=None, seed=seed)
            for day in range(100)
        }
        for seed in ("default/backup", "default/report")
    }

    assert [len(each) for each in delays.values()] == [1, 1]
    assert len(set.union(*delays.values())) == 2
