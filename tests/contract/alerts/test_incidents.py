"""Incidents of failed runs: opened once, told once, reminded of, and closed when it is over."""

from __future__ import annotations

from rota.engine.alerts.incidents import look, store_plans
from rota.rules.alerts.plan import DIGEST_MS, FORGOTTEN_MS, SETTLED_MS
from rota.store.base import Store
from tests.contract.alerts.builders import (
    facts,
    given_rule,
    messages,
    open_incidents,
    titles,
    watch,
)
from tests.contract.builders import Clock, finish_with, given_lease
from tests.contract.failures.dead_letter_builders import given_dead

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


def test_without_rules_a_look_finds_nothing(store: Store) -> None:
    given_dead(store)

    assert watch(store) == 0


def test_a_run_that_failed_for_good_is_told_once(store: Store, clock: Clock) -> None:
    given_rule(store)
    run_id = given_dead(store, "the disk is full", job="backup")

    assert [watch(store), watch(store)] == [1, 0]

    (message,) = messages(store)
    assert message.title == "backup failed: ValueError: the disk is full"
    (incident,) = facts(message)["incidents"]
    assert (incident["job"], incident["runId"]) == ("backup", run_id)
    clock.advance(MINUTE_MS)
    assert watch(store) == 0


def test_more_failures_of_a_job_are_one_incident(store: Store, clock: Clock) -> None:
    given_rule(store)
    given_dead(store, "one", job="backup")
    watch(store)
    clock.advance(1_000)
    given_dead(store, "another", job="backup")

    assert watch(store) == 0
    assert len(open_incidents(store)) == 1


def test_jobs_have_an_incident_each(store: Store) -> None:
    given_rule(store)
    for job in ("backup", "charge"):
        given_dead(store, job=job)

    assert watch(store) == 2
    assert {each["subject"] for each in open_incidents(store)} == {"backup", "charge"}


def test_a_rule_for_some_jobs_leaves_others_alone(store: Store) -> None:
    given_rule(store, jobs=("mail.*",))
    for job in ("mail.welcome", "charge"):
        given_dead(store, job=job)

    watch(store)

    assert [each["job"] for each in open_incidents(store)] == ["mail.welcome"]


def test_failures_below_the_threshold_are_not_told(store: Store, clock: Clock) -> None:
    given_rule(store, after=3, window="10m")
    given_dead(store, job="flaky")
    given_dead(store, job="flaky")
    assert watch(store) == 0

    clock.advance(9 * MINUTE_MS)
    given_dead(store, job="flaky")

    assert watch(store) == 1


def test_people_are_reminded_while_a_job_goes_on_failing(store: Store, clock: Clock) -> None:
    given_rule(store, repeat="1h")
    given_dead(store, "broken", job="backup")
    watch(store)
    clock.advance(2 * HOUR_MS)
    assert watch(store) == 0, "nothing new has failed"

    given_dead(store, "broken", job="backup")

    assert watch(store) == 1
    assert titles(store)[-1] == "Still: backup failed: ValueError: broken"


def test_a_job_has_recovered_when_a_later_run_succeeds_and_it_stays_so(
    store: Store, clock: Clock
) -> None:
    given_rule(store)
    given_dead(store, "broken", job="backup")
    watch(store)
    clock.advance(1_000)
    finish_with(store, given_lease(store, job="backup"), "succeed")
    assert watch(store) == 0, "it may fail again at once"

    clock.advance(SETTLED_MS)

    assert watch(store) == 1
    assert titles(store)[-1] == "Over: backup failed: ValueError: broken"
    assert open_incidents(store) == []
    assert watch(store, sweeps=True) == 0, "the same failure opens no second incident"


def test_a_job_that_fails_now_and_then_has_one_incident(store: Store, clock: Clock) -> None:
    given_rule(store, repeat=None)
    told = 0
    for _ in range(5):
        given_dead(store, job="flaky")
        told += watch(store)
        clock.advance(MINUTE_MS)
        finish_with(store, given_lease(store, job="flaky"), "succeed")
        told += watch(store)

    assert told == 1


def test_an_old_incident_is_forgotten_without_a_word(store: Store, clock: Clock) -> None:
    given_rule(store)
    given_dead(store)
    watch(store)

    clock.advance(FORGOTTEN_MS)

    assert watch(store) == 0
    assert open_incidents(store) == []


def test_a_new_cause_is_told_and_an_old_one_is_not(store: Store, clock: Clock) -> None:
    given_dead(store, "connection refused", job="backup")
    clock.advance(2 * HOUR_MS)
    given_rule(store, on=("cause.new",))
    given_dead(store, "connection refused", job="backup")
    given_dead(store, "the disk is full", job="backup")

    watch(store)

    assert titles(store) == ["backup fails with a new error: ValueError: the disk is full"]


def test_many_incidents_at_once_are_one_message(store: Store, clock: Clock) -> None:
    given_rule(store, at_most=10)
    for number in range(30):
        given_dead(store, job=f"job-{number}")

    assert watch(store) == 1

    (message,) = messages(store)
    assert message.title == "30 alerts of the rule night"
    assert (len(facts(message)["incidents"]), facts(message)["more"]) == (20, 10)
    given_dead(store, job="one-more")
    assert watch(store) == 1, "the digest was one message of ten"
    clock.advance(DIGEST_MS)


def test_a_rule_that_has_used_up_its_messages_loses_none(store: Store, clock: Clock) -> None:
    given_rule(store, at_most=2)
    for job in ("a", "b"):
        given_dead(store, job=job)
    assert watch(store) == 2
    clock.advance(1_000)
    for job in ("c", "d"):
        given_dead(store, job=job)
    assert watch(store) == 0

    clock.advance(DIGEST_MS)

    assert watch(store) == 1
    assert titles(store)[-1] == "2 alerts of the rule night"
    assert all(each["messages"] == 1 for each in open_incidents(store))


def test_of_two_processes_one_tells(store: Store) -> None:
    given_rule(store)
    given_dead(store)
    first, second = (store.read(look) for _ in range(2))

    told = [store.write(lambda tx, each=each: store_plans(tx, each)) for each in (first, second)]  # type: ignore[misc]

    assert told == [1, 0]
    assert len(messages(store)) == 1


def test_of_two_processes_one_reminds(store: Store, clock: Clock) -> None:
    given_rule(store, repeat="1h")
    given_dead(store)
    watch(store)
    clock.advance(2 * HOUR_MS)
    given_dead(store)
    first, second = (store.read(look) for _ in range(2))

    told = [store.write(lambda tx, each=each: store_plans(tx, each)) for each in (first, second)]  # type: ignore[misc]

    assert told == [1, 0]


def test_each_channel_of_a_rule_has_its_own_message(store: Store) -> None:
    given_rule(store, to=("ops", "boss"))
    given_dead(store)

    assert watch(store) == 2
    assert sorted(each.channel for each in messages(store)) == ["boss", "ops"]


def test_a_disabled_rule_closes_its_incidents_without_a_word(store: Store) -> None:
    given_rule(store)
    given_dead(store)
    watch(store)

    given_rule(store, enabled=False)

    assert watch(store) == 0
    assert open_incidents(store) == []
