"""Overlap: each policy by its exact meaning, and what holds for all of them."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.schedules.definitions import Overlap
from rota.rules.schedules.overlap import Crowd, Outcome, Policy, decide, places


def run(
    overlap: str, *, running: int = 0, waiting: str = "", fresh: str = "", **facts: int
) -> Outcome[str]:
    policy = Policy(
        overlap=overlap,  # type: ignore[arg-type]
        parallel=facts.get("parallel", 1),
        backlog=facts.get("backlog", 100),
    )
    crowd = Crowd(
        running=running,
        stopping=facts.get("stopping", 0),
        is_blocked=bool(facts.get("is_blocked", 0)),
    )
    return decide(policy, crowd, waiting=waiting, fresh=fresh)


def test_allow_starts_everything() -> None:
    assert run("allow", running=9, fresh="ab").decisions == ("started", "started")


@pytest.mark.parametrize("overlap", sorted(set(get_args(Overlap)) - {"cancel_old"}))
def test_with_nothing_running_the_first_starts(overlap: str) -> None:
    assert run(overlap, fresh="a").decisions == ("started",)
    assert run(overlap, running=1, parallel=2, fresh="a").decisions == ("started",)


def test_skip_drops_the_start_while_one_runs() -> None:
    assert run("skip", running=1, fresh="ab").decisions == ("skipped", "skipped")
    assert run("skip", fresh="ab").decisions == ("started", "skipped")


def test_queue_one_keeps_the_first_that_waits_and_drops_later_ones() -> None:
    assert run("queue_one", running=1, fresh="ab").decisions == ("waits", "dropped")
    assert run("queue_one", running=1, waiting="a", fresh="b").decisions == ("dropped",)


def test_queue_all_keeps_all_in_order_up_to_its_cap() -> None:
    full = run("queue_all", running=1, waiting="ab", fresh="cd", backlog=3)
    freed = run("queue_all", running=0, waiting="ab", fresh="c")

    assert full.decisions == ("waits", "dropped")
    assert (freed.released, freed.decisions) == (("a",), ("waits",))


def test_newest_keeps_the_running_one_and_only_the_newest_waits() -> None:
    assert run("newest", running=1, waiting="a", fresh="bc") == Outcome(
        dropped=("a",), decisions=("dropped", "waits")
    )
    assert run("newest", fresh="abc").decisions == ("started", "dropped", "waits")
    assert run("newest", waiting="a").released == ("a",)


def test_cancel_old_asks_the_running_one_to_stop_and_the_new_one_waits() -> None:
    assert run("cancel_old", running=1, fresh="a") == Outcome(decisions=("waits",), cancels=1)
    assert run("cancel_old", fresh="a").decisions == ("started",)


def test_cancel_old_of_several_due_at_once_the_newest_replaces() -> None:
    assert run("cancel_old", running=1, fresh="abc") == Outcome(
        decisions=("dropped", "dropped", "waits"), cancels=1
    )
    assert run("cancel_old", fresh="abc").decisions == ("dropped", "dropped", "started")


def test_cancel_old_replaces_the_one_that_waits_and_asks_nobody_twice() -> None:
    again = run("cancel_old", running=1, stopping=1, waiting="a", fresh="b")

    assert again == Outcome(dropped=("a",), decisions=("waits",), cancels=0)


def test_cancel_old_with_several_places_stops_only_as_many_as_it_needs() -> None:
    assert run("cancel_old", running=2, parallel=3, fresh="ab") == Outcome(
        decisions=("started", "waits"), cancels=1
    )


def test_strict_keeps_its_order_and_stops_after_a_failure() -> None:
    blocked = run("strict", waiting="ab", fresh="c", is_blocked=1)
    free = run("strict", waiting="ab", fresh="c")

    assert (blocked.released, blocked.decisions) == ((), ("waits",))
    assert (free.released, free.decisions) == (("a",), ("waits",))


def test_a_start_that_a_backfill_would_skip_waits_for_it() -> None:
    policy = Policy(overlap="skip", parallel=2)

    one = decide(policy, Crowd(running=2, lent=1), fresh=["a", "b"])
    none = decide(policy, Crowd(running=2), fresh=["a"])

    assert one.decisions == ("waits", "skipped")
    assert none.decisions == ("skipped",)


def test_a_backfill_takes_free_places_only_and_never_that_of_one_who_waits() -> None:
    strict = Policy(overlap="strict")

    assert places(Policy(overlap="skip", parallel=3), Crowd(running=1), waiting=0) == 2
    assert places(Policy(overlap="skip", parallel=3), Crowd(running=1), waiting=1) == 0
    assert places(strict, Crowd(is_blocked=True), waiting=0) == 0
    assert places(strict, Crowd(), waiting=0) == 1
    assert [places(Policy(), Crowd(running=9, lent=n), waiting=0) for n in (0, 1)] == [1, 0]


def test_a_changed_policy_counts_for_those_that_wait() -> None:
    assert run("allow", running=1, waiting="ab").released == ("a", "b")
    assert run("skip", running=0, waiting="ab", fresh="c") == Outcome(
        released=("a",), decisions=("skipped",)
    )


@given(
    overlap=st.sampled_from(sorted(set(get_args(Overlap)) - {"allow"})),
    running=st.integers(0, 4),
    parallel=st.integers(1, 3),
    backlog=st.integers(1, 4),
    waiting=st.integers(0, 5),
    fresh=st.integers(0, 5),
    is_blocked=st.integers(0, 1),
)
def test_nobody_starts_without_a_place_and_nobody_is_forgotten(  # noqa: PLR0917
    overlap: str,
    running: int,
    parallel: int,
    backlog: int,
    waiting: int,
    fresh: int,
    is_blocked: int,
) -> None:
    line, new = "abcdefgh"[:waiting], "rstuvwxyz"[:fresh]

    found = run(
        overlap, running=running, parallel=parallel, backlog=backlog, waiting=line, fresh=new,
        is_blocked=is_blocked,
    )  # fmt: skip

    starting = len(found.released) + found.decisions.count("started")
    left = waiting - len(found.released) - len(found.dropped) + found.decisions.count("waits")
    assert len(found.decisions) == fresh
    assert starting <= max(0, parallel - running)
    assert not (set(found.released) & set(found.dropped))
    assert set(found.released) | set(found.dropped) <= set(line)
    # A place that is free is not left empty while somebody wants to start.
    if not (overlap == "strict" and is_blocked):
        assert starting == min(max(0, parallel - running), starting + left)
    assert found.cancels == 0 or overlap == "cancel_old"
