"""Alerts of monitors: one incident while a monitor is down, and a word when it is up again."""

from __future__ import annotations

from rota.engine.monitors.definitions import pause_monitor
from rota.store.base import Store
from tests.contract.alerts.builders import (
    facts,
    given_rule,
    messages,
    open_incidents,
    titles,
    watch,
)
from tests.contract.builders import HOME, Clock
from tests.contract.monitors.builders import HOUR_MS, MINUTE_MS, given_monitor, ping


def test_a_missing_ping_is_told_once_and_so_is_the_next_ping(store: Store, clock: Clock) -> None:
    given_rule(store, on=("monitor.down",))
    given_monitor(store)
    ping(store)
    clock.advance(HOUR_MS + 10 * MINUTE_MS - 1)
    assert watch(store) == 0

    clock.advance(1)

    assert [watch(store), watch(store)] == [1, 0]
    ping(store)
    assert [watch(store), watch(store)] == [1, 0]
    title = "Monitor backup has not pinged in time"
    assert titles(store) == [title, f"Over: {title}"]
    incident = facts(messages(store)[0])["incidents"][0]
    assert "came at 2027-01-15T08:00:00.000Z: `rota monitors show backup`" in incident["advice"]
    assert open_incidents(store) == []


def test_a_failure_a_hung_run_and_an_exit_status_are_told(store: Store, clock: Clock) -> None:
    given_rule(store, on=("monitor.down",))
    for name in ("failing", "hanging", "exiting"):
        given_monitor(store, name)
    ping(store, "fail", "failing")
    ping(store, "start", "hanging")
    ping(store, "fail", "exiting", exit_status=2)
    clock.advance(10 * MINUTE_MS)

    watch(store)

    assert sorted(titles(store)) == [
        "Monitor exiting ended with exit status 2",
        "Monitor failing failed",
        "Monitor hanging has started and not ended in time",
    ]


def test_a_paused_monitor_is_no_news(store: Store, clock: Clock) -> None:
    given_rule(store, on=("monitor.down",))
    given_monitor(store)
    ping(store, "fail")
    store.write(lambda tx: pause_monitor(tx, "backup", namespace=HOME, who="bob", note=None))
    clock.advance(HOUR_MS)

    assert watch(store) == 0
