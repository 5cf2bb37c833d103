"""Searches by label: what they find is what a plain look at all runs finds, page by page."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from rota.engine.runs import lists as run_lists
from rota.engine.runs.bulk import RunFilter, matching
from rota.engine.runs.search import candidates
from rota.engine.runs.search import pages as label_pages
from rota.engine.runs.search.pages import RunPage
from rota.errors import BadInput
from rota.model.runs.labels import Labels
from rota.rules.runs.argument_filters import parse_filters
from rota.rules.runs.labels import parse_conditions
from rota.store.base import Store, Tx
from tests.contract.builders import (
    HOME,
    claim_some,
    finish_all,
    given_run,
    new_run,
    submit_all,
    verdict,
)
from tests.contract.schedules.builders import given_job, given_schedule, trigger_now

TEAMS = ("billing", "ops", "12", "true")
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}


def some_labels(dice: random.Random) -> Labels:
    labels: Labels = {}
    if dice.random() < 0.7:
        labels["team"] = dice.choice(TEAMS)
    if dice.random() < 0.6:
        labels["amount"] = dice.choice([1, 2.5, 12, -3])
    if dice.random() < 0.3:
        labels["urgent"] = dice.random() < 0.5
    return labels


def some_conditions(dice: random.Random) -> list[str]:
    pool = [
        f"team={dice.choice(TEAMS)}",
        f"amount{dice.choice(list(SIGNS))}{dice.choice(['1', '2.5', '12', '-3', '100'])}",
        f"urgent={dice.choice(['true', 'false'])}",
        dice.choice(["team", "amount", "urgent", "absent"]),
    ]
    return dice.sample(pool, dice.randint(1, 3))


def holds(condition: str, labels: Labels) -> bool:
    """Say what a condition means in the plainest way: other than the code under test."""
    for sign in (">=", "<=", ">", "<", "="):
        name, found, value = condition.partition(sign)
        if found:
            break
    else:
        return condition in labels
    if name not in labels:
        return False
    label = labels[name]
    if name == "amount":
        return SIGNS[sign](label, float(value))
    return str(label).lower() == value


def search(tx: Tx, *, conditions: list[str], before: str | None, limit: int) -> RunPage:
    labels = parse_conditions(conditions)
    return run_lists.page(tx, namespace=HOME, labels=labels, before=before, limit=limit)


def found_by(store: Store, conditions: list[str], *, limit: int) -> list[str]:
    ids: list[str] = []
    before: str | None = None
    while True:
        page = store.read(partial(search, conditions=conditions, before=before, limit=limit))
        ids += [run.id for run in page.runs]
        before = page.next
        if before is None:
            return ids


@pytest.mark.parametrize("seed", range(3))
def test_a_search_finds_what_a_look_at_all_runs_finds(
    store: Store, worker: str, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    dice = random.Random(seed)
    monkeypatch.setattr(candidates, "CHUNK", dice.choice([1, 3, 1_000]))
    monkeypatch.setattr(label_pages, "FAR_BY_LABEL", dice.choice([1, 5, 20_000]))
    runs = {
        run.id: run.labels or {}
        for run in (new_run(labels=some_labels(dice) or None) for _ in range(60))
    }
    fresh = [new_run(id=run_id, labels=labels or None) for run_id, labels in runs.items()]
    submit_all(store, fresh)
    submit_all(store, [new_run(labels={"team": "billing"})], namespace="other")
    finish_all(store, [verdict(lease) for lease in claim_some(store, worker, limit=20)])

    for _ in range(25):
        conditions = some_conditions(dice)
        wanted = [
            run_id
            for run_id in sorted(runs, reverse=True)
            if all(holds(each, runs[run_id]) for each in conditions)
        ]
        assert found_by(store, conditions, limit=dice.choice([1, 7, 100])) == wanted, conditions


def test_the_rarest_label_leads(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_pages, "FAR_BY_LABEL", 1)
    monkeypatch.setattr(candidates, "CHUNK", 5)
    rare = given_run(store, labels={"team": "billing", "customer": "acme"})
    submit_all(store, [new_run(labels={"team": "billing"}) for _ in range(20)])

    page = store.read(
        lambda tx: run_lists.page(
            tx, namespace=HOME, labels=parse_conditions(["team=billing", "customer=acme"])
        )
    )

    assert [run.id for run in page.runs] == [rare]


def test_a_comparison_that_holds_for_none_reads_so_far_and_no_further(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(label_pages, "FAR_BY_LABEL", 4)
    monkeypatch.setattr(candidates, "CHUNK", 2)
    ids = [submit_all(store, [new_run(labels={"amount": n})])[0].id for n in range(9)]

    page = store.read(partial(search, conditions=["amount>99"], before=None, limit=5))

    assert (page.runs, page.next) == ([], sorted(ids)[-4])


def test_a_bulk_filter_takes_labels_arguments_and_instants(store: Store, worker: str) -> None:
    given_job(store)
    given_schedule(store, "1h", name="s")
    trigger_now(store, name="s")
    billing = given_run(store, labels={"team": "billing"}, args='{"n":1}')
    other = given_run(store, labels={"team": "billing"}, args='{"n":2}')

    def match(*, ended: bool = False, **fields: Any) -> list[str]:
        wanted = RunFilter(**fields)
        return store.read(lambda tx: matching(tx, wanted, namespace=HOME, ended=ended))

    team = parse_conditions(["team=billing"])
    assert match(labels=team) == [other, billing]
    assert match(labels=team, args=parse_filters(["n=1"])) == [billing]
    assert match(labels=team, ended=True) == []
    assert len(match(scheduled_since=1)) == 1


def test_instants_of_too_many_runs_are_refused(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidates, "FEW", 1)
    given_job(store)
    given_schedule(store, "1h", name="s")
    for request in "ab":
        trigger_now(store, name="s", request=request)

    with pytest.raises(BadInput, match="give a shorter time, or a schedule"):
        store.read(lambda tx: run_lists.page(tx, namespace=HOME, scheduled_since=0))
