"""Labels of runs: stored with the submit, kept by reruns, changed, removed with their runs."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.failures.redrive import RedrivePair, RedriveRequest, redrive
from rota.engine.prune import Retention, prune
from rota.engine.runs.bulk import rerun_all
from rota.engine.runs.rerun import rerun
from rota.engine.runs.search.labels import (
    change_labels,
    change_own_labels,
    known_names,
    known_values,
    labels_of,
)
from rota.engine.runs.submit import submit
from rota.errors import BadOption, LeaseLost
from rota.ids import new_id
from rota.model.runs.labels import MOST_LABELS, Labels
from rota.model.states import State
from rota.runtime.chores.labels import LabelSweeper
from rota.store.base import Store, Tx
from tests.contract.builders import (
    ERROR,
    HOME,
    Clock,
    claim_some,
    finish_all,
    given_lease,
    given_run,
    given_state,
    new_run,
    submit_all,
    verdict,
)

MIXED: Labels = {"amount": 12, "ratio": 0.5, "team": "billing", "urgent": True}
KEPT = Retention(success_ms=1_000, failure_ms=2_000)


def labels(store: Store, run_id: str, *, namespace: str = HOME) -> Labels:
    return store.read(lambda tx: labels_of(tx, [run_id], namespace=namespace)).get(run_id, {})


def change(store: Store, run_id: str, put: dict[str, Any], remove: tuple[str, ...] = ()) -> Labels:
    def work(tx: Tx) -> Labels:
        return change_labels(tx, run_id, namespace=HOME, put=put, remove=remove).labels

    return store.write(work)


def given_ended(store: Store, worker: str, **fields: Any) -> str:
    """The id of a run that has failed."""
    run_id = given_run(store, **fields)
    lease = next(each for each in claim_some(store, worker) if each.run_id == run_id)
    finish_all(store, [verdict(lease, "fail", kind="error", error=ERROR)])
    return run_id


def statements(store: Store, run: Any) -> list[str]:
    """The names of the statements of a submit."""
    names: list[str] = []

    def work(tx: Tx) -> None:
        execute = tx.execute

        def noted(name: str, **params: Any) -> int:
            names.append(name)
            return execute(name, **params)

        tx.execute = noted  # type: ignore[method-assign,assignment]
        run(tx)

    store.write(work)
    return names


def test_labels_keep_the_kinds_of_their_values(store: Store) -> None:
    run_id = given_run(store, labels=MIXED)

    assert labels(store, run_id) == MIXED
    assert [type(each) for each in labels(store, run_id).values()] == [int, float, str, bool]


def test_labels_of_another_namespace_are_not_read(store: Store) -> None:
    run_id = given_run(store, labels=MIXED)

    assert labels(store, run_id, namespace="other") == {}


def test_labels_stay_when_the_run_ends(store: Store, worker: str) -> None:
    assert labels(store, given_ended(store, worker, labels=MIXED)) == MIXED


def test_many_labelled_runs_are_submitted_in_two_statements(store: Store) -> None:
    plain = [new_run() for _ in range(50)]
    labelled = [new_run(labels=MIXED) for _ in range(50)]

    assert statements(store, lambda tx: submit(tx, plain, namespace=HOME)) == ["insert_runs"]
    assert statements(store, lambda tx: submit(tx, labelled, namespace=HOME)) == [
        "insert_runs",
        "insert_labels",
    ]
    assert labels(store, labelled[49].id) == MIXED


def test_a_run_whose_key_is_taken_adds_no_labels(store: Store) -> None:
    first = given_run(store, key="k", labels={"team": "billing"})
    second = submit_all(store, [new_run(key="k", labels={"team": "other"})])[0]

    assert second.id == first
    assert labels(store, first) == {"team": "billing"}


def test_a_rerun_keeps_the_labels(store: Store, worker: str) -> None:
    old, fresh = given_ended(store, worker, labels=MIXED), new_id()

    store.write(lambda tx: rerun(tx, old, namespace=HOME, new_id=fresh, who="me"))

    assert labels(store, fresh) == MIXED


def test_bulk_reruns_keep_the_labels(store: Store, worker: str) -> None:
    old = [given_ended(store, worker, labels={"n": n}) for n in range(3)]
    pairs = [RedrivePair(run_id, new_id()) for run_id in old]

    store.write(lambda tx: rerun_all(tx, pairs, namespace=HOME, who="me"))

    assert [labels(store, pair.rerun_id) for pair in pairs] == [{"n": n} for n in range(3)]


def test_labels_of_a_run_are_changed_in_any_state(store: Store) -> None:
    for state in sorted(State, key=lambda state: state is State.QUEUED):
        run_id = given_state(store, state)
        change(store, run_id, {"team": "billing", "amount": 12})

        now = change(store, run_id, {"amount": "many"}, ("team", "absent"))

        assert now == labels(store, run_id) == {"amount": "many"}


def test_true_is_not_one_and_the_same_again_is_no_change(store: Store) -> None:
    run_id = given_run(store, labels={"n": 1})

    def is_new(value: Any) -> bool:
        at: dict[str, Any] = {"namespace": HOME, "put": {"n": value}, "remove": ()}
        return store.write(lambda tx: change_labels(tx, run_id, **at)).is_new

    assert [is_new(value) for value in (1, True, True)] == [False, True, False]
    assert labels(store, run_id)["n"] is True


def test_a_run_gets_no_more_labels_than_allowed(store: Store) -> None:
    run_id = given_run(store, labels={f"l{n}": n for n in range(MOST_LABELS)})

    with pytest.raises(BadOption, match="33 labels"):
        change(store, run_id, {"more": 1})
    change(store, run_id, {"more": 1}, ("l0",))

    assert len(labels(store, run_id)) == MOST_LABELS


def test_a_handler_that_lost_its_run_cannot_label_it(store: Store, worker: str) -> None:
    lease = given_lease(store, worker_id=worker)
    finish_all(store, [verdict(lease, "release")])

    def work(tx: Tx) -> Labels:
        return change_own_labels(tx, lease, namespace=HOME, put={"a": 1}, remove=())

    with pytest.raises(LeaseLost):
        store.write(work)
    assert labels(store, lease.run_id) == {}


def test_names_and_values_are_known_in_order_and_bounded(store: Store) -> None:
    for n in range(5):
        given_run(store, labels={"customer": f"c{n}", "team": "a"})
    given_run(store, labels={"hidden": 1}, namespace="other")

    def values(prefix: str, limit: int) -> list[str | None]:
        found = store.read(
            lambda tx: known_values(tx, "customer", namespace=HOME, prefix=prefix, limit=limit)
        )
        return [each.value for each in found]

    names = store.read(lambda tx: known_names(tx, namespace=HOME, limit=10))
    assert [each.name for each in names] == ["customer", "team"]
    assert values("", 3) == ["c0", "c1", "c2"]
    assert values("c3", 3) == ["c3"]
    assert values("d", 3) == []


def test_labels_go_with_their_runs(store: Store, worker: str, clock: Clock) -> None:
    gone = given_ended(store, worker, labels=MIXED)
    clock.advance(KEPT.failure_ms + 1)
    kept = given_ended(store, worker, labels=MIXED)
    waits = given_run(store, labels=MIXED)
    store.write(lambda tx: prune(tx, KEPT, limit=100))
    clock.advance(10**12)  # ids of tests are of the day of the test

    LabelSweeper(store, KEPT).batch()

    assert labels(store, gone) == {}
    assert labels(store, kept) == labels(store, waits) == MIXED


def test_redriven_runs_keep_their_labels(store: Store, worker: str) -> None:
    old, fresh = given_ended(store, worker, labels=MIXED), new_id()
    pairs = [RedrivePair(old, fresh)]

    store.write(lambda tx: redrive(tx, pairs, RedriveRequest(), namespace=HOME, who="me"))

    assert labels(store, fresh) == MIXED
