"""Effects in doubt: a person settles them, and who does the work again goes on with the ledger."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from rota.engine.graphs.control import Part, rerun_graph
from rota.engine.identity.audit_log import acts
from rota.engine.runs.effects.in_doubt import doubts, effects, settle_doubt
from rota.engine.runs.effects.ledger import Intent, intend
from rota.engine.runs.rerun import rerun
from rota.errors import NotAllowed, UnknownEffect, UnknownRun
from rota.ids import new_id
from rota.model.graphs.graph import Map, Node
from rota.model.runs.run import Lease
from rota.model.values.effect import EffectView
from rota.operations.runs.effects import SettleBody, settle_effect
from rota.rules.runs.effect_keys import effect_key
from rota.store.base import Store
from tests.contract.builders import (
    HOME,
    cancel_run,
    claim_one,
    finish_with,
    given_lease,
    given_worker,
    run_sql,
)
from tests.contract.failures.dead_letter_builders import fail_for_good, redrive_all
from tests.contract.graphs.builders import Flow, graph, node
from tests.contract.identity.builders import caller
from tests.contract.runs.effects_table import desk_of
from tests.contract.store.interleaved import held_open, is_held_up, start

NAME = "charge"


def settled(store: Store, run_id: str, result: str | None, *, name: str = NAME) -> EffectView:
    return store.write(
        lambda tx: settle_doubt(tx, run_id, name, namespace=HOME, who="ann@desk", result=result)
    )


def ledger(store: Store, run_id: str) -> list[EffectView]:
    return store.read(lambda tx: effects(tx, run_id, namespace=HOME))


def in_doubt(store: Store, **filters: Any) -> list[tuple[str, str]]:
    found = store.read(lambda tx: doubts(tx, namespace=HOME, **filters))
    return [(each.run_id, each.name) for each in found]


def given_parked(store: Store, **fields: Any) -> str:
    """A run that has failed and left its call in doubt."""
    lease = given_lease(store, **fields)
    desk_of(store).intend(lease, NAME)
    fail_for_good(store, lease, "in doubt")
    return lease.run_id


def given_redriven(store: Store, run_id: str) -> Lease:
    redrive_all(store, [run_id])
    return claim_one(store, given_worker(store))


def given_rerun(store: Store, run_id: str) -> Lease:
    store.write(lambda tx: rerun(tx, run_id, namespace=HOME, new_id=new_id(), who="ann"))
    return claim_one(store, given_worker(store))


def intends(store: Store, lease: Lease) -> Intent:
    return desk_of(store).intend(lease, NAME)


@pytest.mark.parametrize("again", [given_redriven, given_rerun])
def test_a_run_that_repeats_another_keeps_the_key_of_a_call_in_doubt(
    store: Store, again: Any
) -> None:
    old = given_parked(store)

    intent = intends(store, again(store, old))

    assert (intent.is_new, intent.is_settled, intent.key_run) == (False, False, old)


@pytest.mark.parametrize("again", [given_redriven, given_rerun])
def test_what_a_person_said_was_done_is_given_without_a_call(store: Store, again: Any) -> None:
    old = given_parked(store)
    view = settled(store, old, '{"receipt":7}')

    intent = intends(store, again(store, old))

    assert (view.state, view.result, view.decided_by) == ("done", '{"receipt":7}', "ann@desk")
    assert (intent.is_new, intent.is_settled, intent.result) == (False, True, '{"receipt":7}')


@pytest.mark.parametrize("again", [given_redriven, given_rerun])
def test_what_a_person_said_was_not_done_is_done_with_the_same_key(
    store: Store, again: Any
) -> None:
    old = given_parked(store)
    assert settled(store, old, None).state == "not_done"

    lease = again(store, old)
    first, second = intends(store, lease), intends(store, lease)

    assert (first.is_new, first.key_run) == (True, old)
    assert (second.is_new, second.is_settled, second.key_run) == (False, False, old)


def test_the_key_is_that_of_the_first_run_however_often_it_is_repeated(store: Store) -> None:
    first = given_parked(store)
    second = given_redriven(store, first)
    fail_for_good(store, second, "before it came to the call")
    third = given_redriven(store, second.run_id)
    assert intends(store, third).key_run == first
    fail_for_good(store, third, "in doubt")

    fourth = given_rerun(store, third.run_id)

    assert intends(store, fourth).key_run == first
    (view,) = ledger(store, fourth.run_id)
    assert view.idempotency_key == effect_key(first, view.job, NAME)
    assert (view.state, ledger(store, first)[0].state) == ("under_way", "taken_up")
    assert ledger(store, first)[0].taken_by == third.run_id


def test_a_result_of_a_failed_run_is_known_to_who_repeats_it(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, NAME)
    services.settle(lease, NAME, "7")
    fail_for_good(store, lease, "something else")

    intent = intends(store, given_redriven(store, lease.run_id))

    assert (intent.is_settled, intent.result, intent.key_run) == (True, "7", lease.run_id)


def test_a_run_that_succeeded_is_done_anew_with_a_new_key(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, NAME)
    services.settle(lease, NAME, "7")
    finish_with(store, lease)

    intent = intends(store, given_rerun(store, lease.run_id))

    assert (intent.is_new, intent.key_run) == (True, None)


def test_a_doubt_of_a_run_that_succeeded_is_none_the_less_one(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, NAME)
    finish_with(store, lease)

    assert intends(store, given_rerun(store, lease.run_id)).key_run == lease.run_id


def test_the_second_rerun_goes_on_with_what_the_first_one_found(store: Store) -> None:
    old = given_parked(store)
    first = given_rerun(store, old)
    intends(store, first)
    desk_of(store).settle(first, NAME, "7")
    finish_with(store, first)

    second = given_rerun(store, old)

    assert intends(store, second).result == "7"


def test_the_key_stays_when_a_repeated_call_is_retracted(store: Store) -> None:
    old = given_parked(store)
    lease = given_redriven(store, old)
    intends(store, lease)
    desk_of(store).retract(lease, NAME)

    again = intends(store, lease)

    assert (again.is_new, again.key_run) == (True, old)


def test_a_decision_between_attempts_counts_for_the_next_one(store: Store) -> None:
    lease = given_lease(store)
    intends(store, lease)
    finish_with(store, lease, "retry")
    settled(store, lease.run_id, None)
    assert in_doubt(store) == []
    run_sql(store.url, "update rota.run set state = 'queued', rank = 1")

    fresh = claim_one(store, given_worker(store))

    assert intends(store, fresh).is_new
    assert not intends(store, fresh).is_new


def test_a_person_may_change_their_mind_until_the_call_is_made(store: Store) -> None:
    old = given_parked(store)
    settled(store, old, None)

    assert settled(store, old, "1").state == "done"
    with pytest.raises(NotAllowed, match=r"was settled by ann@desk: it is done"):
        settled(store, old, None)


def test_nobody_settles_what_a_running_attempt_may_be_doing(store: Store) -> None:
    lease = given_lease(store)
    intends(store, lease)

    with pytest.raises(NotAllowed, match="may be making the call 'charge' right now"):
        settled(store, lease.run_id, "1")
    assert ledger(store, lease.run_id)[0].state == "under_way"
    assert in_doubt(store) == []


def test_an_effect_that_the_handler_settled_stays_settled(store: Store) -> None:
    services, lease = desk_of(store), given_lease(store)
    services.intend(lease, NAME)
    services.settle(lease, NAME, "1")
    fail_for_good(store, lease, "later")

    with pytest.raises(NotAllowed, match="was settled by its handler"):
        settled(store, lease.run_id, None)


def test_an_effect_that_a_later_run_took_up_is_settled_there(store: Store) -> None:
    old = given_parked(store)
    fresh = given_redriven(store, old)
    intends(store, fresh)

    with pytest.raises(NotAllowed, match=f"run {fresh.run_id} does this work again"):
        settled(store, old, "1")
    fail_for_good(store, fresh, "in doubt")
    assert in_doubt(store) == [(fresh.run_id, NAME)]
    assert settled(store, fresh.run_id, "1").state == "done"


@pytest.mark.postgres
def test_who_takes_it_up_waits_for_who_settles_it(postgres_store: Store) -> None:
    store = postgres_store
    old = given_parked(store)
    lease = given_redriven(store, old)

    with held_open(
        store, lambda tx: settle_doubt(tx, old, NAME, namespace=HOME, who="ann", result="7")
    ):
        later = start(lambda: intends(store, lease))
        assert is_held_up(store.url, later)

    intent = later.result(30)
    assert isinstance(intent, Intent)
    assert intent.result == "7"


@pytest.mark.postgres
def test_settling_an_effect_waits_for_its_taking_up(postgres_store: Store) -> None:
    store = postgres_store
    old = given_parked(store)
    lease = given_redriven(store, old)

    with held_open(store, lambda tx: intend(tx, lease, NAME, namespace=HOME)):
        later = start(lambda: settled(store, old, "7"))
        assert is_held_up(store.url, later)

    with pytest.raises(NotAllowed, match="does this work again"):
        later.result(30)


def test_a_decision_is_on_record_once(store: Store) -> None:
    old, asker = given_parked(store), caller("ann@desk")
    body = SettleBody(done=True, result=7, reason="the bank says so")

    first, again = (
        store.write(lambda tx: settle_effect(tx, asker, old, NAME, body)) for _ in range(2)
    )

    (act,) = store.read(lambda tx: acts(tx, namespace=HOME))
    assert replace(first, verbs=()) == replace(again, verbs=())
    assert first.state == "done"
    assert (act.verb, act.subject, act.who) == ("settle effect", old, "ann@desk")
    assert act.detail == {"effect": NAME, "outcome": "done", "why": "the bank says so"}


def test_effects_and_runs_that_are_not_there_are_named(store: Store) -> None:
    old = given_parked(store)

    with pytest.raises(UnknownEffect, match="no effect named 'mail'; it has charge"):
        settled(store, old, None, name="mail")
    with pytest.raises(UnknownRun):
        settled(store, new_id(), None)
    with pytest.raises(UnknownRun):
        store.write(
            lambda tx: settle_doubt(tx, old, NAME, namespace="other", who="ann", result=None)
        )


def test_doubts_are_listed_by_job_and_queue_and_the_newest_first(store: Store) -> None:
    one, two = given_parked(store), given_parked(store)
    slow = f"update rota.run_history set job = 'mail', queue = 'slow' where id = '{two}'"
    run_sql(store.url, slow)
    cancelled = given_lease(store)
    intends(store, cancelled)
    cancel_run(store, cancelled.run_id)
    finish_with(store, cancelled, "abort")

    assert sorted(in_doubt(store)) == sorted((each, NAME) for each in (one, two, cancelled.run_id))
    assert in_doubt(store, job="mail") == [(two, NAME)]
    assert in_doubt(store, queues=["slow"]) == [(two, NAME)]
    assert len(in_doubt(store, limit=1)) == 1
    assert store.read(lambda tx: doubts(tx, namespace="other")) == []


def test_a_node_goes_on_with_what_its_run_before_left(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("pay"), node("mail", "pay")]))
    run = flow.start()
    (lease,) = flow.claim()
    intends(store, lease)
    flow.end(run, "pay", "fail")

    fresh = rerun_part(store, run, "failed")
    (again,) = flow.claim()

    assert again.parent_id == fresh
    assert intends(store, again).key_run == lease.run_id


def test_a_graph_that_tries_again_keeps_the_key_of_its_node(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("pay")], retries=1))
    run = flow.start()
    (lease,) = flow.claim()
    intends(store, lease)
    flow.end(run, "pay", "fail")

    (again,) = flow.claim()

    assert again.run_id != lease.run_id
    assert intends(store, again).key_run == lease.run_id


def test_an_item_goes_on_only_with_what_was_done_for_the_same_arguments(store: Store) -> None:
    nodes = [node("list"), Node(name="pay", job="work", map=Map(over={"$ref": "list"}, into="x"))]
    flow = Flow(store, given_worker(store), graph(nodes))
    run = flow.start()
    flow.claim()
    flow.end(run, "list", result=["a", "b"])
    leases = {lease.item: lease for lease in flow.claim()}
    for lease in leases.values():
        intends(store, lease)
    flow.end_all(run, {("pay", item): ("fail", None) for item in (0, 1)})

    fresh = rerun_part(store, run, "all")
    flow.claim()
    flow.end(fresh, "list", result=["a", "c"])
    again = {lease.item: intends(store, lease) for lease in flow.claim()}

    assert again[0].key_run == leases[0].run_id
    assert (again[1].is_new, again[1].key_run) == (True, None)


def given_redriven_graph(store: Store, run: str) -> None:
    redrive_all(store, [run])


def given_rerun_graph(store: Store, run: str) -> None:
    rerun_part(store, run, "all")


@pytest.mark.parametrize("again", [given_redriven_graph, given_rerun_graph])
def test_a_node_that_had_succeeded_in_a_graph_that_failed_keeps_its_ledger(
    store: Store, again: Any
) -> None:
    flow = Flow(store, given_worker(store), graph([node("pay"), node("ship", "pay")]))
    run = flow.start()
    (lease,) = flow.claim()
    intends(store, lease)
    desk_of(store).settle(lease, NAME, '"paid"')
    flow.end(run, "pay")
    flow.claim()
    flow.end(run, "ship", "fail")

    again(store, run)
    (repeated,) = flow.claim()

    assert repeated.run_id != lease.run_id
    found = intends(store, repeated)
    assert (found.is_settled, found.result, found.key_run) == (True, '"paid"', lease.run_id)


def test_a_node_of_a_graph_that_succeeded_is_done_anew_with_a_new_key(store: Store) -> None:
    flow = Flow(store, given_worker(store), graph([node("pay")]))
    run = flow.start()
    (lease,) = flow.claim()
    intends(store, lease)
    desk_of(store).settle(lease, NAME, '"paid"')
    flow.end(run, "pay")

    rerun_part(store, run, "all")
    (repeated,) = flow.claim()

    found = intends(store, repeated)
    assert (found.is_new, found.key_run) == (True, None)


def test_items_that_had_succeeded_in_a_graph_that_failed_keep_their_own_ledgers(
    store: Store,
) -> None:
    nodes = [
        Node(name="pay", job="work", map=Map(over=["a", "b"], into="x")),
        node("ship", "pay"),
    ]
    flow = Flow(store, given_worker(store), graph(nodes))
    run = flow.start()
    leases = {lease.item: lease for lease in flow.claim()}
    for item, lease in leases.items():
        intends(store, lease)
        desk_of(store).settle(lease, NAME, str(item))
    flow.end_all(run, {("pay", item): ("succeed", None) for item in (0, 1)})
    flow.claim()
    flow.end(run, "ship", "fail")

    redrive_all(store, [run])
    again = {lease.item: intends(store, lease) for lease in flow.claim()}

    assert {item: (each.is_settled, each.result) for item, each in again.items()} == {
        0: (True, "0"),
        1: (True, "1"),
    }
    assert [again[item].key_run for item in (0, 1)] == [leases[item].run_id for item in (0, 1)]


def rerun_part(store: Store, run: str, part: Part) -> str:
    fresh = new_id()
    store.write(lambda tx: rerun_graph(tx, run, namespace=HOME, new_id=fresh, who="ann", part=part))
    return fresh
