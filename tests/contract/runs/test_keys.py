"""Idempotency keys: the same key is the same run within its window, and no other payload."""

from __future__ import annotations

import msgspec
import pytest

from rota.errors import UnknownRun
from rota.model.runs.run import Submitted
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import (
    Clock,
    claim_one,
    claim_some,
    finish_with,
    look,
    new_run,
    state_of,
    submit_all,
)

WINDOW_MS = 1_000


def test_the_same_key_and_arguments_answer_the_run_that_has_it(store: Store, worker: str) -> None:
    first, again = new_run(key="k"), new_run(key="k")
    submit_all(store, [first])

    answers = submit_all(store, [again])

    assert answers == [Submitted(id=first.id, is_new=False)]
    assert [lease.run_id for lease in claim_some(store, worker)] == [first.id]


def test_the_same_key_with_other_arguments_is_refused(store: Store, worker: str) -> None:
    first, other = new_run(key="k"), new_run(key="k", args='{"a":1}')
    submit_all(store, [first])

    answers = submit_all(store, [other])

    assert answers == [Submitted(id=first.id, is_new=False, refused=True)]
    assert len(claim_some(store, worker)) == 1


def test_the_answer_is_the_same_after_the_run_has_ended(store: Store, worker: str) -> None:
    first = new_run(key="k")
    submit_all(store, [first])
    finish_with(store, claim_one(store, worker))

    answers = submit_all(store, [new_run(key="k")])

    assert answers == [Submitted(id=first.id, is_new=False)]
    assert state_of(store, first.id) is State.SUCCESS


def test_a_key_is_free_again_when_its_window_has_passed(store: Store, clock: Clock) -> None:
    first = new_run(key="k", key_window_ms=WINDOW_MS)
    second, third = new_run(key="k", args='{"a":1}'), new_run(key="k", args='{"a":1}')
    submit_all(store, [first])

    clock.advance(WINDOW_MS - 1)
    early = submit_all(store, [second])
    clock.advance(1)
    answers = submit_all(store, [second]) + submit_all(store, [third])

    assert early == [Submitted(id=first.id, is_new=False, refused=True)]
    assert answers == [Submitted(id=second.id), Submitted(id=second.id, is_new=False)]


def test_a_key_twice_in_one_batch_belongs_to_the_first(store: Store, worker: str) -> None:
    first, same, other = new_run(key="k"), new_run(key="k"), new_run(key="k", args='{"a":1}')
    plain = new_run()

    answers = submit_all(store, [first, same, other, plain])

    assert answers == [
        Submitted(id=first.id),
        Submitted(id=first.id, is_new=False),
        Submitted(id=first.id, is_new=False, refused=True),
        Submitted(id=plain.id),
    ]
    assert {lease.run_id for lease in claim_some(store, worker)} == {first.id, plain.id}


def test_each_job_and_each_namespace_has_keys_of_its_own(store: Store) -> None:
    runs = [new_run(key="k"), new_run(key="k", job="mail")]
    elsewhere = new_run(key="k")

    answers = submit_all(store, runs) + submit_all(store, [elsewhere], namespace="b")

    assert answers == [Submitted(id=run.id) for run in (*runs, elsewhere)]


def test_a_refused_run_is_nowhere(store: Store) -> None:
    other = new_run(key="k", args='{"a":1}')
    submit_all(store, [new_run(key="k")])

    submit_all(store, [other])

    try:
        found = look(store, other.id)
    except UnknownRun:
        return
    raise AssertionError(found)


def test_a_client_that_sends_its_run_again_gets_it_again(store: Store, worker: str) -> None:
    run = new_run(key="k")
    submit_all(store, [run])

    answers = submit_all(store, [run])

    assert [(answer.id, answer.refused) for answer in answers] == [(run.id, False)]
    assert len(claim_some(store, worker)) == 1


BIG = "x" * 100_000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":{"x":1,"y":[2]},"b":2}', '{"b":2,"a":{"y":[2],"x":1}}'),
        ('{"a":2}', '{"a":2.0}'),
        ('{"a":"é"}', '{"a":"\\u00e9"}'),
        (f'{{"a":1,"b":"{BIG}"}}', f'{{"b":"{BIG}","a":1}}'),
    ],
    ids=["order", "number", "letter", "large"],
)
def test_the_same_arguments_are_the_same_however_they_are_written(
    store: Store, worker: str, one: str, other: str
) -> None:
    first, again, third = (new_run(key="k", args=text) for text in (one, other, other))
    submit_all(store, [first])

    early = submit_all(store, [again])
    finish_with(store, claim_one(store, worker))
    late = submit_all(store, [third])

    assert early == late == [Submitted(id=first.id, is_new=False)]
    assert claim_some(store, worker) == []


def test_the_same_arguments_in_one_batch_are_the_same_however_they_are_written(
    store: Store,
) -> None:
    first, same, other = (
        new_run(key="k", args=text) for text in ('{"a":1,"b":2}', '{"b":2,"a":1}', '{"a":1,"b":3}')
    )

    answers = submit_all(store, [first, same, other])

    assert answers == [
        Submitted(id=first.id),
        Submitted(id=first.id, is_new=False),
        Submitted(id=first.id, is_new=False, refused=True),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ('{"a":1}', '{"a":true}'),
        ('{"a":0}', '{"a":false}'),
        ('{"a":[1,2]}', '{"a":[2,1]}'),
        ('{"a":1}', '{"a":"1"}'),
        ('{"a":1}', '{"a":1,"b":null}'),
        ('{"a":9007199254740993}', '{"a":9007199254740992.0}'),
    ],
)
def test_arguments_that_only_look_alike_are_refused(store: Store, one: str, other: str) -> None:
    first = new_run(key="k", args=one)
    submit_all(store, [first])

    answers = submit_all(store, [new_run(key="k", args=other)])

    assert answers == [Submitted(id=first.id, is_new=False, refused=True)]


def test_a_run_that_is_sent_again_with_other_arguments_is_not_its_own_proof(store: Store) -> None:
    first = new_run(key="k", args='{"a":1}')
    submit_all(store, [first])

    answers = submit_all(store, [msgspec.structs.replace(first, args='{"a":2}')])

    assert answers == [Submitted(id=first.id, is_new=False, refused=True)]
