"""Anchors: what was noted outside convicts whoever made the chain anew, cut it or emptied it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rota.engine.identity.audit_chain import heads, prune_acts, seal, verify
from rota.model.identity.audit import Anchor, ChainVerdict
from rota.rules.security.anchors import read_anchors
from rota.runtime.chores.anchors import Anchorer
from rota.runtime.options import WorkerOptions
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.identity.test_audit import act, given_chain, meddle, run_sql_raw

KEEP_MS = 90 * 86_400_000
KEY = "a key that nobody guesses"


def anchored(store: Store) -> Anchor:
    (found,) = [
        each for each in store.read(lambda tx: heads(tx, keep_ms=KEEP_MS)) if each.namespace == HOME
    ]
    return found


def given_anchors(store: Store) -> list[Anchor]:
    """Of acts 2, 4 and 6."""
    anchors = []
    for _ in range(3):
        given_chain(store, 2)
        anchors.append(anchored(store))
    return anchors


def check(store: Store, anchors: list[Anchor]) -> ChainVerdict:
    return store.read(lambda tx: verify(tx, namespace=HOME, anchors=anchors, limit=3))


def rechain(store: Store, url: str) -> None:
    """As an owner of the database who knows how it is done: all places are given anew."""
    run_sql_raw(url, "update rota.act set seq = null, hash = null")
    run_sql(url, "update rota.chain set seq = base_seq, hash = base_hash")
    store.write(seal)
    assert store.read(lambda tx: verify(tx, namespace=HOME)).is_good, "the chain alone looks good"


def test_the_chain_that_was_anchored_fits(store: Store) -> None:
    anchors = given_anchors(store)
    act(store)
    store.write(seal)

    found = check(store, [*anchors, anchors[0]])

    assert (found.is_good, found.acts, found.seq, found.anchors) == (True, 7, 7, 4)
    assert anchors[0].kept_until == anchors[0].at + KEEP_MS


def test_a_chain_that_was_made_anew_is_found_out(store: Store, empty_url: str) -> None:
    anchors = given_anchors(store)
    meddle(empty_url, "update rota.act set who = 'nobody' where seq = 3")
    rechain(store, empty_url)

    found = check(store, anchors)

    assert (found.is_good, found.seq, found.acts) == (False, 4, 3)
    assert found.says.startswith("act 4 is not the one that was anchored at 2027-")
    assert found.says.endswith("the chain was made anew after act 2")


def test_a_chain_that_is_another_from_its_beginning(store: Store, empty_url: str) -> None:
    anchors = given_anchors(store)
    meddle(empty_url, "update rota.act set who = 'nobody' where seq = 1")
    rechain(store, empty_url)

    assert "act 2 is not the one" in check(store, anchors).says
    assert "from its beginning" in check(store, anchors).says


def test_a_tail_that_was_cut_is_missed(store: Store, empty_url: str) -> None:
    anchors = given_anchors(store)
    meddle(empty_url, "delete from rota.act where seq > 4")
    (kept,) = [each.hash for each in anchors if each.seq == 4]
    run_sql(empty_url, f"update rota.chain set seq = 4, hash = '{kept}'")
    assert store.read(lambda tx: verify(tx, namespace=HOME)).is_good, "the chain alone looks good"

    found = check(store, anchors)

    assert (found.is_good, found.seq, found.anchors) == (False, 5, 2)
    assert found.says.startswith("act 5 is missing, and all after it: act 6 was anchored at")


def test_a_tail_that_was_cut_and_grown_again(store: Store, empty_url: str) -> None:
    anchors = given_anchors(store)
    meddle(empty_url, "delete from rota.act where seq > 4")
    (kept,) = [each.hash for each in anchors if each.seq == 4]
    run_sql(empty_url, f"update rota.chain set seq = 4, hash = '{kept}'")
    given_chain(store, 5)

    assert check(store, anchors).says.startswith("act 6 is not the one")


def test_a_chain_that_is_gone_is_missed(store: Store, empty_url: str) -> None:
    anchors = given_anchors(store)
    meddle(empty_url, "delete from rota.act")
    run_sql(empty_url, "delete from rota.chain")

    found = check(store, anchors)

    assert (found.is_good, found.seq) == (False, 1)
    assert found.says.startswith("act 1 is missing, and all after it")


def test_retention_may_remove_what_is_old(store: Store, clock: Clock) -> None:
    anchors = given_anchors(store)
    clock.advance(KEEP_MS + 1_000)
    given_chain(store, 1)
    store.write(lambda tx: prune_acts(tx, keep_ms=KEEP_MS, limit=10))

    found = check(store, anchors)

    assert (found.is_good, found.acts, found.anchors) == (True, 1, 3)
    other = Anchor(namespace=HOME, seq=6, hash="0" * 64, at=anchors[2].at)
    assert not check(store, [other]).is_good


def test_nobody_else_may_and_say_it_was_retention(store: Store, clock: Clock) -> None:
    anchors = given_anchors(store)
    clock.advance(1_000)
    given_chain(store, 1)
    store.write(lambda tx: prune_acts(tx, keep_ms=500, limit=10))
    assert store.read(lambda tx: verify(tx, namespace=HOME)).is_good, "the chain alone looks good"

    found = check(store, anchors)

    assert not found.is_good
    assert found.says.startswith("act 2 was removed, which had to stay until 20")


@pytest.fixture
def sink(tmp_path: Path) -> Path:
    return tmp_path / "anchors"


def anchorer(store: Store, sink: Path, **options: Any) -> Anchorer:
    return Anchorer(store, WorkerOptions(anchor=f"file://{sink}", **options))


def test_each_end_is_written_once_and_signed(store: Store, clock: Clock, sink: Path) -> None:
    service = anchorer(store, sink, anchor_key=KEY)
    service.tick()
    assert not sink.exists(), "nobody did anything yet"
    for count in (2, 2, 0):
        clock.advance(60_000)
        given_chain(store, count)
        act(store, namespace="other")
        store.write(seal)
        service.tick()
    clock.advance(60_000)
    service.tick()

    lines = [json.loads(line) for line in sink.read_text().splitlines()]
    assert [(each["namespace"], each["seq"]) for each in lines] == [
        *[("default", 2), ("other", 1)],
        *[("default", 4), ("other", 2)],
        ("other", 3),
    ]
    assert sink.stat().st_mode & 0o007 == 0
    anchors = read_anchors(sink.read_text(), "anchors", namespace=HOME, key=KEY)
    assert check(store, anchors).anchors == 2


def test_one_process_an_interval_does_it_for_all(store: Store, clock: Clock, sink: Path) -> None:
    given_chain(store)
    first, second = (anchorer(store, sink) for _ in range(2))

    first.tick()
    second.tick()
    assert len(sink.read_text().splitlines()) == 1
    clock.advance(60_000)
    second.tick()
    assert len(sink.read_text().splitlines()) == 2, "what others noted is not believed"


def test_a_sink_that_fails_is_tried_again(store: Store, sink: Path) -> None:
    given_chain(store)
    sink.mkdir()
    service = anchorer(store, sink)
    with pytest.raises(IsADirectoryError):
        service.tick()
    sink.rmdir()

    service.tick()

    assert '"seq":4' in sink.read_text()
