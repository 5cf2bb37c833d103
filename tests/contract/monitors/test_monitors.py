"""Monitors on record: what a ping, a person and the clock make of them."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.monitors import definitions as engine
from rota.engine.monitors.pings import find_ping, find_pinged, list_pings, record_ping
from rota.errors import UnknownMonitor, UnknownPing
from rota.model.monitors.monitor import KEPT_PINGS, PING_BODY_BYTES, PingFacts
from rota.rules.monitors.addresses import read_address
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.monitors.builders import (
    HOUR_MS,
    KEY,
    MINUTE_MS,
    given_monitor,
    ping,
    pinged,
    seen,
)

RID = "5bf66975-d4c7-4bf5-bcc8-b8d8a82ea278"


def test_a_monitor_goes_from_new_to_up_to_late_to_down_and_up(store: Store, clock: Clock) -> None:
    given_monitor(store)
    states = [seen(store).state, ping(store).state]
    for ms in (HOUR_MS, 10 * MINUTE_MS):
        clock.advance(ms)
        states.append(seen(store).state)
    missing = seen(store)
    states.append(ping(store).state)

    assert states == ["new", "up", "late", "down", "up"]
    assert missing.reason == "It has not pinged in time."
    assert missing.down_at is not None
    assert missing.down_at.ms == clock.ms


def test_a_run_is_timed_from_its_start_to_its_end(store: Store, clock: Clock) -> None:
    given_monitor(store)
    started = ping(store, "start", rid=RID)
    clock.advance(MINUTE_MS)

    ended = ping(store, rid=RID, exit_status=0)

    assert (started.state, ended.state) == ("started", "up")
    assert ended.last_duration_ms == MINUTE_MS
    assert [(each.kind, each.duration_ms) for each in ended.recent] == [
        ("start", None),
        ("success", MINUTE_MS),
    ]


def test_runs_that_overlap_are_timed_apart(store: Store, clock: Clock) -> None:
    given_monitor(store)
    other = RID.replace("5", "6")
    ping(store, "start", rid=RID)
    clock.advance(MINUTE_MS)
    ping(store, "start", rid=other)
    clock.advance(MINUTE_MS)

    assert ping(store, rid=RID).last_duration_ms == 2 * MINUTE_MS
    assert ping(store, rid=other).last_duration_ms == MINUTE_MS


def test_an_exit_status_is_told(store: Store) -> None:
    given_monitor(store)

    down = ping(store, "fail", exit_status=3)

    assert (down.state, down.reason) == ("down", "It ended with exit status 3.")
    assert down.recent[-1].exit_status == 3


def test_the_newest_hundred_pings_are_kept(store: Store) -> None:
    given_monitor(store)
    for _ in range(KEPT_PINGS + 5):
        ping(store)

    found = store.read(lambda tx: list_pings(tx, "backup", namespace=HOME, before=None, limit=500))

    assert [found[0].number, found[-1].number, len(found)] == [105, 6, KEPT_PINGS]
    assert seen(store).pings == 105
    assert len(seen(store).recent) == engine.RECENT
    with pytest.raises(UnknownPing):
        store.read(lambda tx: find_ping(tx, "backup", 5, namespace=HOME))


def test_what_was_sent_along_is_kept_with_its_ping(store: Store) -> None:
    given_monitor(store)
    ping(store, "log", body="the disk is full\n", size=17, agent="curl/8", address="10.0.0.1")
    ping(store, "log", body="x", size=PING_BODY_BYTES + 1)

    first, second = (
        store.read(lambda tx, n=number: find_ping(tx, "backup", n, namespace=HOME))  # type: ignore[misc]
        for number in (1, 2)
    )

    assert (first.body, first.is_cut, first.agent) == ("the disk is full\n", False, "curl/8")
    assert second.is_cut


def test_the_same_definition_again_changes_nothing(store: Store) -> None:
    assert [given_monitor(store), given_monitor(store)] == [True, False]


def test_a_new_definition_keeps_the_address_and_the_pings(store: Store, clock: Clock) -> None:
    given_monitor(store)
    up = ping(store)

    given_monitor(store, every="5m", grace="1m")

    changed = seen(store)
    assert (changed.path, changed.pings, changed.state) == (up.path, 1, "up")
    clock.advance(6 * MINUTE_MS)
    assert seen(store).state == "down"


def test_nothing_is_expected_while_a_monitor_is_paused(store: Store, clock: Clock) -> None:
    given_monitor(store)
    ping(store, "fail")
    at = {"namespace": HOME, "who": "bob"}
    pauses = [
        store.write(lambda tx: engine.pause_monitor(tx, "backup", note="moving", **at))
        for _ in range(2)
    ]
    clock.advance(100 * HOUR_MS)
    held = seen(store)
    given_monitor(store, every="2h")
    still = seen(store)

    resumes = [store.write(lambda tx: engine.resume_monitor(tx, "backup", **at)) for _ in range(2)]

    assert (held.state, held.reason) == ("paused", "Paused by bob: moving")
    assert (still.state, still.reason) == ("paused", "Paused by bob: moving")
    assert (pauses, resumes) == ([True, False], [True, False])
    assert (seen(store).state, seen(store).reason) == ("new", None)


def test_a_pause_for_people_outlives_pings(store: Store) -> None:
    given_monitor(store, manual_resume=True)
    at: dict[str, Any] = {"namespace": HOME, "who": "bob", "note": None}
    store.write(lambda tx: engine.pause_monitor(tx, "backup", **at))

    assert ping(store).state == "paused"
    assert seen(store).pings == 1


def test_each_address_leads_to_its_monitor_and_an_old_one_nowhere(store: Store) -> None:
    given_monitor(store)
    given_monitor(store, "other")
    old = read_address(seen(store).path.removeprefix("/ping/"))
    by_name = store.read(lambda tx: find_pinged(tx, read_address(f"{KEY}/other/start")))

    store.write(
        lambda tx: engine.rotate_monitor(
            tx, "backup", namespace=HOME, who="bob", new_ping_id=lambda: RID
        )
    )

    assert by_name == pinged(store, "other")
    assert store.read(lambda tx: find_pinged(tx, old)) is None
    assert store.read(lambda tx: find_pinged(tx, read_address(RID))) == pinged(store)


def test_a_new_ping_key_replaces_the_old_one(store: Store) -> None:
    given_monitor(store)
    new = KEY[::-1]

    store.write(lambda tx: engine.rotate_ping_key(tx, new, namespace=HOME))

    assert store.read(lambda tx: find_pinged(tx, read_address(f"{KEY}/backup"))) is None
    assert seen(store).slug_path == f"/ping/{new}/backup"


def test_monitors_of_another_namespace_are_not_seen(store: Store) -> None:
    given_monitor(store, namespace="other")

    with pytest.raises(UnknownMonitor):
        seen(store)
    assert pinged(store, namespace="other").namespace == "other"
    assert store.read(lambda tx: find_pinged(tx, read_address(f"{KEY}/backup"))) is None


def test_a_monitor_that_is_removed_takes_its_pings_along(store: Store) -> None:
    given_monitor(store)
    ping(store)
    to = pinged(store)

    store.write(lambda tx: engine.remove_monitor(tx, "backup", namespace=HOME))

    assert not store.write(lambda tx: record_ping(tx, to, PingFacts(kind="success")))
    given_monitor(store)
    assert seen(store).recent == ()


def test_a_definition_of_a_newer_version_still_takes_pings(store: Store) -> None:
    given_monitor(store)
    to = pinged(store)
    run_sql(store.url, "update rota.monitor set spec = '{\"moon\": true}'")

    assert store.write(lambda tx: record_ping(tx, to, PingFacts(kind="fail")))
    assert "cannot be read" in seen(store).description
