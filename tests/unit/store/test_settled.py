"""A write whose commit may end unseen is repeated until it is known what became of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rota.errors import CommitUnknown, StoreLost, StoreUnavailable
from rota.store import settled
from rota.store.settled import settled_write, until_settled

UNKNOWN, AWAY, LOST = CommitUnknown("broke"), StoreUnavailable("away"), StoreLost("moved")


@pytest.fixture(autouse=True)
def rests(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long was waited; the clock of patience goes by that and by nothing else."""
    rests: list[float] = []
    monkeypatch.setattr("rota.store.settled.time.sleep", rests.append)
    monkeypatch.setattr(settled, "elapsed_s", lambda: sum(rests))
    return rests


def given_attempt(*ends: Exception | str) -> tuple[list[bool], Callable[[bool], str]]:
    """An attempt that ends like this, one after the other, and notes whether it was a repeat."""
    repeats: list[bool] = []
    left = iter(ends)

    def attempt(is_repeat: bool) -> str:  # noqa: FBT001  # as the store calls it
        repeats.append(is_repeat)
        end = next(left)
        if isinstance(end, Exception):
            raise end
        return end

    return repeats, attempt


def test_a_write_that_succeeds_runs_once(rests: list[float]) -> None:
    repeats, attempt = given_attempt("done")

    assert settled_write(attempt) == "done"
    assert (repeats, rests) == ([False], [])


def test_an_unknown_commit_is_repeated_as_a_repeat_also_through_an_outage() -> None:
    repeats, attempt = given_attempt(UNKNOWN, AWAY, UNKNOWN, "done")

    assert settled_write(attempt) == "done"
    assert repeats == [False, True, True, True]


def test_a_store_that_is_away_before_anything_was_sent_is_told_at_once(rests: list[float]) -> None:
    repeats, attempt = given_attempt(AWAY)

    with pytest.raises(StoreUnavailable, match="away"):
        settled_write(attempt)
    assert (repeats, rests) == ([False], [])


def test_when_patience_ends_nobody_knows(rests: list[float]) -> None:
    _, attempt = given_attempt(UNKNOWN, *[AWAY] * 1_000)

    with pytest.raises(CommitUnknown, match="broke"):
        settled_write(attempt, patience_s=3.0)
    assert 3.0 < sum(rests) < 4.0


@pytest.mark.parametrize(("ends", "told"), [((LOST,), LOST), ((UNKNOWN, LOST), UNKNOWN)])
def test_a_store_that_is_lost_is_not_asked_again(ends: tuple[Exception], told: Exception) -> None:
    repeats, attempt = given_attempt(*ends)

    with pytest.raises(type(told)) as caught:
        settled_write(attempt)
    assert caught.value is told
    assert len(repeats) == len(ends)


def test_an_outage_is_ridden_out_where_that_is_wanted() -> None:
    repeats, attempt = given_attempt(AWAY, AWAY, "done")

    assert until_settled(attempt, gives_up=lambda: False, rides_out=True) == "done"
    assert repeats == [False, False, False]


def test_an_unknown_commit_that_may_not_repeat_is_raised() -> None:
    repeats, attempt = given_attempt(AWAY, UNKNOWN)

    with pytest.raises(CommitUnknown):
        until_settled(attempt, gives_up=lambda: False, rides_out=True, repeats=False)
    assert repeats == [False, False]
