"""Pages of the audit: those that look for some acts read so far and no further, and go on."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest

from rota.engine.identity import audit_log as module
from rota.engine.identity.audit_log import Actor, act_page, acts, record
from rota.ids import new_id
from rota.store.base import Store
from tests.contract.builders import HOME, Clock


def given_acts(store: Store, whos: str, *, namespace: str = HOME) -> list[str]:
    """One for each letter, oldest first; who did it is the letter."""
    ids = [new_id() for _ in whos]

    def make(tx: Any) -> None:
        for act_id, who in zip(ids, whos, strict=True):
            by = Actor(act_id=act_id, who=who)
            record(tx, by, namespace=namespace, verb=f"verb {who}", subject=who, detail={})

    store.write(make)
    return ids


def walk(store: Store, **wanted: Any) -> list[list[str]]:
    """Who, page by page, until there is no next one."""
    pages: list[list[str]] = []
    before: str | None = None
    while True:
        at = {"namespace": HOME, "before": before, **wanted}
        page = store.read(lambda tx, at=at: act_page(tx, **at))  # type: ignore[misc]
        pages.append([act.who for act in page.acts])
        before = page.next
        if before is None:
            return pages


@pytest.mark.parametrize("wanted", [{"who": "a"}, {"verb": "verb a"}, {"subject": "a"}])
def test_rare_ones_are_found_over_pages_that_may_be_empty(
    store: Store, monkeypatch: pytest.MonkeyPatch, wanted: dict[str, str]
) -> None:
    monkeypatch.setattr(module, "READ", 4)
    given_acts(store, "abbbbbbbbbabbbba")
    given_acts(store, "aaaa", namespace="other")

    pages = walk(store, limit=2, **wanted)

    assert list(chain(*pages)) == ["a", "a", "a"]
    assert [] in pages
    assert len(pages) <= 5
    whole = store.read(lambda tx: acts(tx, namespace=HOME, limit=2, **wanted))
    assert [act.who for act in whole] == ["a", "a"]
    assert len(store.read(lambda tx: acts(tx, namespace=HOME, limit=9, **wanted))) == 3


def test_no_act_is_missed_or_told_twice_whatever_the_sizes(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = given_acts(store, "abacabadabacaba")
    for read in (1, 2, 3, 7, 14, 15, 16):
        monkeypatch.setattr(module, "READ", read)
        for limit in (1, 2, 8, 50):
            assert list(chain(*walk(store, limit=limit, who="a"))) == ["a"] * 8, (read, limit)
    assert len(list(chain(*walk(store, limit=4)))) == len(made)


def test_old_audit_entries_are_not_read(
    store: Store, monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    monkeypatch.setattr(module, "READ", 2)
    given_acts(store, "aaaaaaaa")
    clock.advance(3 * module.CLOCKS_MS)
    since = clock.ms
    given_acts(store, "ab")

    assert walk(store, limit=2, since=since) == [["b", "a"], []]


def test_without_a_filter_a_page_is_full(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "READ", 1)
    given_acts(store, "abcde")

    assert walk(store, limit=3) == [["e", "d", "c"], ["b", "a"]]


def test_a_text_is_found_in_who_verb_subject_and_details_whatever_its_case(store: Store) -> None:
    def make(tx: Any) -> None:
        for who, verb, subject, detail in (
            ("token:Ada", "pause queue", "mail", {}),
            ("token:bo", "create token", "x", {"name": "of Ada"}),
            ("token:bo", "pause queue", "ada's", {}),
            ("token:bo", "adapt", "mail", {}),
            ("token:bo", "pause queue", "mail", {"note": "100%"}),
        ):
            by = Actor(act_id=new_id(), who=who)
            record(tx, by, namespace=HOME, verb=verb, subject=subject, detail=detail)

    store.write(make)

    assert len(list(chain(*walk(store, text="ADA")))) == 4
    assert len(list(chain(*walk(store, text="0%")))) == 1
    assert len(list(chain(*walk(store, text="%")))) == 1
    assert list(chain(*walk(store, text="ada", verb="pause queue", who="token:Ada"))) == [
        "token:Ada"
    ]
