"""The outbox of messages: one process sends each, again after a failure, and at last no more."""

from __future__ import annotations

from rota.engine.alerts.messages import (
    FIRST_WAIT_MS,
    MOST_TRIES,
    alert_work,
    deliveries,
    message_failed,
    message_sent,
    take_message,
    wait_after,
)
from rota.engine.alerts.rules import remove_channel
from rota.engine.prune import DAY_MS, Retention, prune
from rota.store.base import Store
from tests.contract.alerts.builders import given_channel, given_rule, messages, watch
from tests.contract.builders import HOME, Clock
from tests.contract.failures.dead_letter_builders import given_dead


def given_message(store: Store) -> None:
    given_channel(store)
    given_rule(store)
    given_dead(store)
    watch(store)


def take(store: Store) -> list[bool]:
    return [
        store.write(lambda tx, each=each: take_message(tx, each))  # type: ignore[misc]
        for each in messages(store)
    ]


def test_of_two_processes_one_sends(store: Store) -> None:
    given_message(store)
    (message,) = messages(store)

    taken = [store.write(lambda tx: take_message(tx, message)) for _ in range(2)]

    assert taken == [True, False]


def test_a_message_whose_sender_died_is_sent_by_another(store: Store, clock: Clock) -> None:
    given_message(store)
    assert take(store) == [True]
    assert messages(store) == []

    clock.advance(FIRST_WAIT_MS)

    assert take(store) == [True]


def test_a_message_that_was_sent_is_not_sent_again(store: Store, clock: Clock) -> None:
    given_message(store)
    (message,) = messages(store)
    store.write(lambda tx: take_message(tx, message))

    store.write(lambda tx: message_sent(tx, message))

    clock.advance(DAY_MS)
    assert messages(store) == []
    assert store.read(alert_work).wait_ms is None
    assert store.read(lambda tx: deliveries(tx, namespace=HOME))["ops"].sent_at is not None


def test_a_failure_is_shown_and_tried_again_until_it_is_given_up(
    store: Store, clock: Clock
) -> None:
    given_message(store)
    for tries in range(MOST_TRIES):
        (message,) = messages(store)
        assert message.tries == tries
        store.write(lambda tx, message=message: take_message(tx, message))  # type: ignore[misc]
        store.write(lambda tx, message=message: message_failed(tx, message, "it is down"))  # type: ignore[misc]
        clock.advance(wait_after(tries))

    assert messages(store) == []
    sent = store.read(lambda tx: deliveries(tx, namespace=HOME))["ops"]
    assert (sent.waiting, sent.error) == (0, "it is down")


def test_a_message_to_a_channel_that_is_gone_says_so(store: Store) -> None:
    given_message(store)

    store.write(lambda tx: remove_channel(tx, "ops", namespace=HOME))

    assert [each.spec for each in messages(store)] == [None]


def test_old_messages_and_incidents_are_pruned(store: Store, clock: Clock) -> None:
    given_message(store)
    (message,) = messages(store)
    store.write(lambda tx: take_message(tx, message))
    store.write(lambda tx: message_sent(tx, message))
    given_rule(store, enabled=False)
    watch(store)
    clock.advance(40 * DAY_MS)

    store.write(lambda tx: prune(tx, Retention(), limit=100))

    rows = [*store.read(lambda tx: tx.all("list_alert_messages", **EVERYTHING))]
    closed = {"state": None, "rule": None, "job": None, "before": None}
    incidents = store.read(lambda tx: tx.all("list_incidents", namespace=HOME, limit=10, **closed))
    assert (rows, [*incidents]) == ([], [])


EVERYTHING = {"namespace": HOME, "channel": None, "state": None, "before": None, "limit": 10}
