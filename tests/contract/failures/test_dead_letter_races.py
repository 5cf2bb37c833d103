"""Races about dead letters: two people act on the same ones at once, each letter counts once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

import pytest

from rota.app import App
from rota.engine.identity.audit_log import acts
from rota.errors import BadInput, NotAllowed
from rota.model.failures.dead_letter import Redriven
from rota.model.states import State
from rota.operations.failures.dead_letters import discard_letters
from rota.operations.failures.letter_choice import LettersBody
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, counts, finish_with, given_lease, look
from tests.contract.failures.dead_letter_builders import (
    all_groups,
    all_letters,
    ask_to_discard,
    ask_to_redrive,
    asking,
    error_text,
    given_dead,
    letter_of,
    redrive_all,
)
from tests.contract.runs.test_races import other, repeated
from tests.contract.store.interleaved import await_lock_wait, held_open, start
from tests.support.races import at_once

__all__ = ["other"]

LETTERS = 40


@pytest.fixture
def apps(store: Store) -> Iterator[tuple[App, App]]:
    """Two programs on the store's database, by the clock of the host."""
    with App(store.url) as first, App(store.url) as second:
        yield first, second


@repeated
def test_two_who_redrive_the_same_letters_make_each_run_once(
    store: Store, other: Store, turn: int
) -> None:
    runs = [given_dead(store) for _ in range(LETTERS)]

    answers = at_once(
        lambda: redrive_all(store, runs), lambda: redrive_all(other, list(reversed(runs)))
    )

    made = Counter(each.run_id for some in answers for each in some if each.is_new)
    assert made == Counter(runs)
    assert counts(store) == {State.FAILED: LETTERS, State.QUEUED: LETTERS}
    told = [{each.run_id: each.rerun_id for each in some} for some in answers]
    assert told[0] == told[1]


@pytest.mark.parametrize("turn", range(3))
def test_two_who_redrive_the_same_group_make_each_run_once(
    store: Store, apps: tuple[App, App], monkeypatch: pytest.MonkeyPatch, turn: int
) -> None:
    monkeypatch.setattr("rota.operations.failures.letter_choice.AT_ONCE", 7)
    runs = [given_dead(store, f"order {n}") for n in range(LETTERS)]
    # Letters of the clock in the test's hand are in the future of the host's clock.
    monkeypatch.setattr("rota.operations.failures.dead_letters.now_ms", lambda _: 10**15 - 1)
    (group,) = all_groups(store)

    def redrive(app: App) -> list[Redriven]:
        try:
            return app.dead_letters.redrive(group=group.fingerprint)
        except BadInput:  # the other had redriven all of them before this one looked
            return []

    answers = at_once(*(lambda app=app: redrive(app) for app in apps))

    made = Counter(each.run_id for some in answers for each in some if each.is_new)
    assert made == Counter(runs)
    again = {look(store, letter.rerun_id or "").rerun_of for letter in all_letters(store)}
    assert again == set(runs)
    recorded = store.read(lambda tx: acts(tx, namespace=HOME))
    assert Counter(run for act in recorded for run in act.detail["runs"]) == Counter(runs)


@repeated
def test_exactly_one_of_redrive_and_discard_wins(store: Store, other: Store, turn: int) -> None:
    run_id = given_dead(store)

    def redriven() -> int:
        with suppress(NotAllowed):  # the other has won before this one looked
            return len(ask_to_redrive(store, [run_id]))
        return 0

    def discarded() -> int:
        with suppress(NotAllowed):
            return ask_to_discard(other, [run_id])
        return 0

    wins = at_once(redriven, discarded)

    assert sum(wins) == 1
    assert letter_of(store, run_id).state == ("discarded" if wins[1] else "redriven")
    assert len(store.read(lambda tx: acts(tx, namespace=HOME))) == 1


@repeated
def test_two_failures_of_one_lease_leave_one_letter(store: Store, other: Store, turn: int) -> None:
    lease = given_lease(store)

    at_once(
        lambda: finish_with(store, lease, "fail", error=error_text("a"), reason="a"),
        lambda: finish_with(other, lease, "fail", error=error_text("b"), reason="b"),
    )

    (letter,) = all_letters(store)
    assert letter.reason == look(store, lease.run_id).reason == letter.message


@pytest.mark.postgres
def test_a_discard_that_is_repeated_before_the_first_has_committed_answers_the_same(
    postgres_store: Store,
) -> None:
    runs, caller = [given_dead(postgres_store) for _ in range(3)], asking()

    def first(tx: Tx) -> None:
        discard_letters(tx, caller, LettersBody(ids=runs))

    with held_open(postgres_store, first):
        repeat = start(lambda: ask_to_discard(postgres_store, runs, caller=caller))
        await_lock_wait(postgres_store.url)

    assert repeat.result(20) == 3
    assert len(postgres_store.read(lambda tx: acts(tx, namespace=HOME))) == 1
