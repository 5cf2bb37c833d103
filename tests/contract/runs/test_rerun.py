"""Rerun: a new run with the old arguments; the old one keeps its end."""

from __future__ import annotations

import pytest

from rota.engine.identity.audit_log import acts
from rota.engine.runs.rerun import rerun
from rota.errors import NotAllowed, UnknownRun
from rota.ids import new_id
from rota.model.states import FINAL, LIVE, State
from rota.operations.runs.reruns import rerun_run
from rota.store.base import Store
from tests.contract.builders import (
    ERROR,
    HOME,
    claim_one,
    claim_some,
    finish_with,
    given_lease,
    given_state,
    look,
)
from tests.contract.failures.dead_letter_builders import (
    discard_all,
    given_dead,
    letter_of,
    redrive_all,
)
from tests.contract.identity.builders import caller


@pytest.mark.parametrize("state", sorted(FINAL))
def test_an_ended_run_is_run_again_as_a_new_run(store: Store, worker: str, state: State) -> None:
    old = given_state(store, state)
    before, fresh_id = look(store, old), new_id()

    store.write(lambda tx: rerun(tx, old, namespace=HOME, new_id=fresh_id, who="ann"))

    fresh = claim_one(store, worker)
    assert fresh.run_id == fresh_id
    assert look(store, fresh_id).rerun_of == old
    assert look(store, old) == before


def test_the_new_run_has_the_policies_of_the_old_and_budgets_of_its_own(store: Store) -> None:
    lease = given_lease(
        store, args='{"a":1}', priority=5, policy='{"timeout_ms":5}', version=4, key="k"
    )
    finish_with(store, lease, "fail", kind="error", error=ERROR)
    same, other = new_id(), new_id()

    store.write(lambda tx: rerun(tx, lease.run_id, namespace=HOME, new_id=same, who="ann"))
    store.write(
        lambda tx: rerun(tx, lease.run_id, namespace=HOME, new_id=other, who="ann", args='{"a":2}')
    )

    run = look(store, same)
    assert (run.args, run.priority, run.policy, run.version) == (
        '{"a":1}', 5, '{"timeout_ms":5}', 4,
    )  # fmt: skip
    assert (run.attempt, run.failures, run.fence, run.error, run.key) == (0, 0, 0, None, None)
    assert look(store, other).args == '{"a":2}'


@pytest.mark.parametrize("state", sorted(LIVE))
def test_a_run_that_has_not_ended_is_not_run_again(store: Store, state: State) -> None:
    run_id, fresh_id = given_state(store, state), new_id()

    with pytest.raises(NotAllowed, match=f"is {state}"):
        store.write(lambda tx: rerun(tx, run_id, namespace=HOME, new_id=fresh_id, who="ann"))

    with pytest.raises(UnknownRun):
        look(store, fresh_id)


def test_a_rerun_sent_twice_is_one_run(store: Store, worker: str) -> None:
    old, fresh_id = given_state(store, State.FAILED), new_id()

    for _ in range(2):
        store.write(lambda tx: rerun(tx, old, namespace=HOME, new_id=fresh_id, who="ann"))
    (lease,) = claim_some(store, worker)
    finish_with(store, lease)
    store.write(lambda tx: rerun(tx, old, namespace=HOME, new_id=fresh_id, who="ann"))

    assert claim_some(store, worker) == []


def test_a_rerun_closes_the_dead_letter_of_its_run_and_is_on_record(store: Store) -> None:
    old, asked = given_dead(store), caller("ann")
    done = [  # the second as a request whose answer was lost
        store.write(lambda tx: rerun_run(tx, asked, old)) for _ in range(2)
    ]
    (fresh_id,) = {each.run_id for each in done}

    letter = letter_of(store, old)
    (act,) = store.read(lambda tx: acts(tx, namespace=HOME))
    assert (letter.state, letter.rerun_id, letter.acted_by) == ("redriven", fresh_id, "ann")
    assert (act.verb, act.subject, act.who) == ("rerun", old, "ann")
    (redriven,) = redrive_all(store, [old])
    assert (redriven.rerun_id, redriven.is_new) == (fresh_id, False)


def test_a_letter_that_somebody_has_acted_on_stays_as_it_is(store: Store) -> None:
    redriven, discarded = given_dead(store), given_dead(store)
    (first,) = redrive_all(store, [redriven])
    discard_all(store, [discarded])
    for old in (redriven, discarded):
        store.write(lambda tx, old=old: rerun(tx, old, namespace=HOME, new_id=new_id(), who="ann"))  # type: ignore[misc]

    states = [letter_of(store, old).state for old in (redriven, discarded)]
    assert states == ["redriven", "discarded"]
    assert letter_of(store, redriven).rerun_id == first.rerun_id
    assert "rerun" not in [act.verb for act in store.read(lambda tx: acts(tx, namespace=HOME))]
