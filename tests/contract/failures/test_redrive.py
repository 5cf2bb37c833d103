"""Redrive and discard: each letter once, linked, recorded, and safe to ask for twice."""

from __future__ import annotations

from rota.engine.identity.audit_chain import seal
from rota.engine.identity.audit_log import acts
from rota.engine.jobs.definitions import define
from rota.engine.prune import DAY_MS, Retention, prune
from rota.model.jobs.spec import JobSpec, PythonTarget
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    START_MS,
    Clock,
    claim_some,
    counts,
    finish_with,
    given_worker,
    look,
    run_sql,
)
from tests.contract.failures.dead_letter_builders import (
    ask_to_discard,
    ask_to_redrive,
    asking,
    discard_all,
    error_text,
    given_dead,
    letter_of,
    redrive_all,
)
from tests.contract.schedules.builders import given_job


def test_a_letter_is_run_again_as_a_new_run_that_is_linked(store: Store, clock: Clock) -> None:
    old = given_dead(store, args='{"a":1}', priority=5, policy='{"timeout_ms":5}', version=4)
    before = look(store, old)
    clock.advance(7)

    (answer,) = redrive_all(store, [old])

    fresh, letter = look(store, answer.rerun_id), letter_of(store, old)
    assert answer.is_new
    assert (fresh.state, fresh.rerun_of, fresh.attempt) == (State.QUEUED, old, 0)
    assert (fresh.args, fresh.priority, fresh.policy) == ('{"a":1}', 5, '{"timeout_ms":5}')
    assert fresh.version == 4
    assert (letter.state, letter.rerun_id) == ("redriven", answer.rerun_id)
    assert letter.acted_at is not None
    assert (letter.acted_by, letter.acted_at.ms) == ("ann@desk", START_MS + 7)
    assert look(store, old) == before


def test_a_letter_is_redriven_once_and_the_second_asker_hears_of_the_first(store: Store) -> None:
    old = given_dead(store)
    (first,) = ask_to_redrive(store, [old])

    (second,) = ask_to_redrive(store, [old])

    assert (second.rerun_id, second.is_new) == (first.rerun_id, False)
    assert counts(store) == {State.FAILED: 1, State.QUEUED: 1}
    assert len(store.read(lambda tx: acts(tx, namespace=HOME))) == 1


def test_a_redrive_that_is_sent_twice_is_one_run_and_one_act(store: Store) -> None:
    runs, caller = [given_dead(store) for _ in range(3)], asking()

    answers = [ask_to_redrive(store, runs, caller=caller) for _ in range(2)]

    assert answers[0] == answers[1]
    assert all(answer.is_new for answer in answers[0])
    assert counts(store)[State.QUEUED] == 3
    assert len(store.read(lambda tx: acts(tx, namespace=HOME))) == 1


def test_the_new_run_goes_by_the_current_definition(store: Store) -> None:
    old = given_dead(store, version=1)
    for timeout_ms in (1, 2):
        spec = JobSpec(name="noop", target=PythonTarget(ref="m:f"), timeout_ms=timeout_ms)
        store.write(lambda tx, spec=spec: define(tx, spec, namespace=HOME))  # type: ignore[misc]

    (answer,) = redrive_all(store, [old])

    assert look(store, answer.rerun_id).version == 2


def test_edited_arguments_are_those_of_the_new_run(store: Store) -> None:
    old = given_dead(store, args='{"a":1}')

    (answer,) = redrive_all(store, [old], args='{"a":2}')

    assert look(store, answer.rerun_id).args == '{"a":2}'
    assert look(store, old).args == '{"a":1}'


def test_a_rate_spreads_the_starts_on_disk(store: Store) -> None:
    runs = [given_dead(store) for _ in range(4)]

    first = redrive_all(store, runs[:2], gap_ms=100.0)
    second = redrive_all(store, runs[2:], gap_ms=100.0, first=2)

    starts = [look(store, answer.rerun_id).ready_at.ms - START_MS for answer in (*first, *second)]
    assert starts == [0, 100, 200, 300]
    assert counts(store) == {State.FAILED: 4, State.QUEUED: 1, State.SCHEDULED: 3}


def test_more_letters_than_fit_into_memory_at_once_keep_their_distance(store: Store) -> None:
    runs = [given_dead(store) for _ in range(120)]

    answers = redrive_all(store, runs, gap_ms=10.0)

    starts = [look(store, answer.rerun_id).ready_at.ms - START_MS for answer in answers]
    assert starts == list(range(0, 1200, 10))


def test_a_discarded_letter_is_not_redriven_and_a_redriven_one_not_discarded(
    store: Store,
) -> None:
    gone, driven = given_dead(store), given_dead(store)
    redrive_all(store, [driven])

    assert discard_all(store, [gone, driven]) == 1
    assert redrive_all(store, [gone]) == []

    assert (letter_of(store, gone).state, letter_of(store, driven).state) == (
        "discarded",
        "redriven",
    )
    assert letter_of(store, gone).rerun_id is None
    assert look(store, gone).state is State.FAILED


def test_a_letter_whose_run_is_gone_is_left_alone(store: Store) -> None:
    old = given_dead(store)
    run_sql(store.url, f"delete from rota.run_history where id = '{old}'")

    assert ask_to_redrive(store, [old]) == []
    assert letter_of(store, old).state == "open"
    assert store.read(lambda tx: acts(tx, namespace=HOME)) == []


def test_another_namespace_cannot_act(store: Store) -> None:
    old = given_dead(store)
    run_sql(store.url, "update rota.dead_letter set namespace = 'other'")

    assert redrive_all(store, [old]) == []
    assert discard_all(store, [old]) == 0


def test_a_redriven_run_that_fails_again_is_a_letter_of_the_same_group(store: Store) -> None:
    old = given_dead(store)
    (answer,) = redrive_all(store, [old])

    (lease,) = claim_some(store, given_worker(store))
    finish_with(store, lease, "fail", kind="error", error=error_text(), reason="again")

    again = letter_of(store, answer.rerun_id)
    assert again.fingerprint == letter_of(store, old).fingerprint
    assert again.state == "open"


def test_each_act_tells_who_did_what_when_and_why(store: Store, clock: Clock) -> None:
    first, second = given_dead(store), given_dead(store)

    given_job(store)
    ask_to_redrive(store, [first], args={}, reason="fixed")
    clock.advance(3)
    ask_to_discard(store, [second], caller=asking("bob@desk"))
    found = store.read(lambda tx: acts(tx, namespace=HOME))

    assert [(act.who, act.verb, act.at.ms) for act in found] == [
        ("bob@desk", "discard", START_MS + 3),
        ("ann@desk", "redrive", START_MS),
    ]
    assert found[1].subject == f"run {first}"
    assert found[1].detail == {"letters": 1, "runs": [first], "args": "edited", "why": "fixed"}
    assert found[0].detail == {"letters": 1, "runs": [second]}


def test_acts_are_filtered_paged_and_of_one_namespace(store: Store) -> None:
    for who in ("ann", "bob", "ann"):
        ask_to_discard(store, [given_dead(store)], caller=asking(who))

    of_ann = store.read(lambda tx: acts(tx, namespace=HOME, who="ann"))
    newest = store.read(lambda tx: acts(tx, namespace=HOME, limit=1))
    rest = store.read(lambda tx: acts(tx, namespace=HOME, before=newest[0].id))

    assert [len(of_ann), len(newest), len(rest)] == [2, 1, 2]
    assert store.read(lambda tx: acts(tx, namespace=HOME, verb="redrive")) == []
    assert store.read(lambda tx: acts(tx, namespace="other")) == []


def test_a_discard_that_is_sent_twice_answers_the_same_and_is_one_act(store: Store) -> None:
    old, caller = given_dead(store), asking()

    assert [ask_to_discard(store, [old], caller=caller) for _ in range(2)] == [1, 1]

    assert len(store.read(lambda tx: acts(tx, namespace=HOME))) == 1


def test_acts_are_kept_longer_than_letters(store: Store, clock: Clock) -> None:
    ask_to_discard(store, [given_dead(store)])
    store.write(seal)

    def kept_after(ms: int) -> int:
        clock.advance(ms)
        store.write(lambda tx: prune(tx, Retention(), limit=10))
        return len(store.read(lambda tx: acts(tx, namespace=HOME)))

    assert [kept_after(90 * DAY_MS), kept_after(1)] == [1, 0]
