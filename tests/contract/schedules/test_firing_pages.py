"""Past firings page by page: none is lost or told twice where several have the same instant."""

from __future__ import annotations

from functools import partial

import pytest

from rota.engine.schedules.firings import FiringCursor, FiringPage, firing_page
from rota.model.schedules.firing import FiringView
from rota.store.base import Store, Tx
from tests.contract.builders import HOME, START_MS
from tests.contract.schedules.builders import HOUR, NAME, fired, given_schedule, trigger_now


def pages(store: Store, *, limit: int, start: FiringCursor | None = None) -> list[list[FiringView]]:
    found: list[list[FiringView]] = []
    while True:
        page = store.read(partial(look, start=start, limit=limit))
        found.append(page.firings)
        start = page.next
        if start is None:
            return found


def look(tx: Tx, *, start: FiringCursor | None, limit: int) -> FiringPage:
    return firing_page(tx, NAME, namespace=HOME, start=start, limit=limit)


@pytest.mark.parametrize("limit", [1, 2, 3, 50])
def test_firings_of_one_instant_and_millisecond_are_each_told_once(
    store: Store, limit: int
) -> None:
    given_schedule(store, overlap="allow")
    made = [
        trigger_now(store, request=f"{request}{hours}", instant=START_MS - hours * HOUR).run_id
        for hours in (2, 1)
        for request in ("b", "a", "c", "é")
    ]

    told = [each for page in pages(store, limit=limit) for each in page]

    assert sorted(str(each.run_id) for each in told) == sorted(map(str, made))
    assert told == fired(store)[::-1]
    assert [each.instant for each in told] == sorted((each.instant for each in told), reverse=True)


def test_pages_are_full_but_for_the_last_and_end_when_nothing_follows(store: Store) -> None:
    given_schedule(store)
    for hours in (1, 1, 1, 2):
        trigger_now(store, instant=START_MS - hours * HOUR)

    assert [len(page) for page in pages(store, limit=2)] == [2, 2]
    assert [len(page) for page in pages(store, limit=3)] == [3, 1]


def test_before_an_instant_there_is_nothing_of_it(store: Store) -> None:
    given_schedule(store)
    for hours in (1, 1, 2):
        trigger_now(store, instant=START_MS - hours * HOUR)

    (only,) = pages(store, limit=5, start=FiringCursor(START_MS - HOUR))

    assert [each.instant.ms for each in only] == [START_MS - 2 * HOUR]
