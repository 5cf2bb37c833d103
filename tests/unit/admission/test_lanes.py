"""Lanes: stretches of ranks behind all others, one for the runs of each job."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rota.rules.admission.lanes import (
    FRONT,
    LANES,
    SPAN,
    jobs_in,
    lane_of,
    rank_in_order,
    stretch_of,
)

ranks = st.integers(0, SPAN - 1)


@given(st.text(), ranks)
def test_a_run_in_a_lane_is_behind_all_in_front_and_in_the_stretch_of_its_job(
    job: str, rank: int
) -> None:
    lane = stretch_of(lane_of(job))
    moved = rank + lane.start

    assert FRONT.start <= rank < FRONT.end <= moved
    assert lane.start <= moved < lane.end < 2**63


@given(st.text(), st.integers(0, SPAN - 1))
def test_the_rank_of_a_run_in_a_lane_is_still_known(job: str, rank: int) -> None:
    assert rank_in_order(rank + stretch_of(lane_of(job)).start) == rank


@given(ranks)
def test_the_rank_of_a_run_in_front_is_what_it_is(rank: int) -> None:
    assert rank_in_order(rank) == rank


def test_every_process_gives_a_job_the_same_lane() -> None:
    assert (lane_of("mail"), lane_of("mail ")) == (175_177, 139_340)
    assert 1 <= lane_of("") <= LANES


def test_only_jobs_with_a_lane_in_use_count() -> None:
    mail, bill = lane_of("mail"), lane_of("bill")

    assert jobs_in({mail, 7}, ["mail", "bill"]) == {mail: ["mail"]}
    assert jobs_in({mail, bill}, ["bill", "mail"]) == {bill: ["bill"], mail: ["mail"]}
    assert jobs_in((), ["mail"]) == {}
