"""The state table: every pair of state and verb, and the way through it."""

from __future__ import annotations

import itertools

import pytest

from rota.model.states import FINAL, LIVE, TRANSITIONS, State, verbs_from

ALLOWED = {
    State.PENDING: {"cancel", "refuse", "skip", "unblock"},
    State.SCHEDULED: {"cancel", "hold", "promote"},
    State.QUEUED: {"cancel", "claim", "expire", "hold"},
    State.RUNNING: {
        "abort",
        "fail",
        "defer",
        "heartbeat",
        "reap",
        "release",
        "retry",
        "succeed",
        "suspend",
    },
    State.SUSPENDED: {"cancel", "complete", "fail_graph", "resume"},
    State.SUCCESS: set[str](),
    State.FAILED: set[str](),
    State.CANCELLED: set[str](),
    State.SKIPPED: set[str](),
}


@pytest.mark.parametrize(("state", "verb"), list(itertools.product(State, TRANSITIONS)))
def test_a_verb_acts_only_where_it_may(state: State, verb: str) -> None:
    assert (state in TRANSITIONS[verb].allowed) == (verb in ALLOWED[state])


@pytest.mark.parametrize("state", sorted(FINAL))
def test_a_final_state_has_no_way_out(state: State) -> None:
    assert verbs_from(state) == []


@pytest.mark.parametrize("state", sorted(LIVE))
def test_from_each_live_state_every_run_can_still_end(state: State) -> None:
    reached, fresh = {state}, {state}

    while fresh:
        fresh = {change.to for change in TRANSITIONS.values() if change.allowed & reached} - reached
        reached |= fresh

    assert reached & FINAL


def test_each_state_is_live_or_final_but_not_both() -> None:
    assert frozenset(State) == LIVE | FINAL
    assert not LIVE & FINAL


def test_only_a_claim_starts_a_run() -> None:
    starting = {
        verb
        for verb, change in TRANSITIONS.items()
        if change.to is State.RUNNING and State.RUNNING not in change.allowed
    }

    assert starting == {"claim"}


def test_success_is_reached_by_work_and_by_graphs_whose_nodes_have_ended() -> None:
    sources = {verb: each.allowed for verb, each in TRANSITIONS.items() if each.to is State.SUCCESS}

    assert sources == {
        "succeed": frozenset({State.RUNNING}),
        "complete": frozenset({State.SUSPENDED}),
    }


def test_a_running_run_is_not_cancelled_over_its_workers_head() -> None:
    assert State.RUNNING not in TRANSITIONS["cancel"].allowed
    assert TRANSITIONS["abort"].allowed == {State.RUNNING}


def test_the_verbs_offered_for_a_state_are_sorted() -> None:
    assert verbs_from(State.QUEUED) == ["cancel", "claim", "expire", "hold"]
