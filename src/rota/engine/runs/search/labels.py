"""Labels on record: stored with a submit, read for views, changed, removed with their runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from rota.engine.locks import lock_name
from rota.errors import LeaseLost
from rota.ids import first_id
from rota.model.runs.labels import KnownLabel, Labels, LabelValue, StoredLabel
from rota.model.runs.run import Lease, NewRun, RunView
from rota.rules.runs.labels import check_count, is_same, kind_of, text_of, value_of
from rota.store.base import Tx


def store_labels(tx: Tx, runs: Sequence[NewRun], *, namespace: str) -> None:
    """Store the labels of new runs, in at most two statements; none if there are no labels.

    A run that repeats another one takes over its labels, unless it brings a label of that name.
    """
    own = [row for run in runs if run.labels for row in _rows(run.id, run.labels)]
    if own:
        tx.execute("insert_labels", batch=_encoded(own), namespace=namespace)
    copies = [{"run_id": run.id, "rerun_of": run.rerun_of} for run in runs if run.rerun_of]
    if copies:
        tx.execute("copy_labels", batch=_encoded(copies), namespace=namespace)


def labels_of(tx: Tx, run_ids: Collection[str], *, namespace: str) -> dict[str, Labels]:
    """Return the labels of runs by run id, sorted by name; runs without labels are left out."""
    if not run_ids:
        return {}
    rows = tx.all("labels_of_runs", ids=json.dumps(list(run_ids)), namespace=namespace)
    found: dict[str, Labels] = {}
    for row in sorted(rows, key=lambda row: str(row["name"])):
        labels = found.setdefault(str(row["run_id"]), {})
        labels[row["name"]] = value_of(row["kind"], row["value"])
    return found


def with_labels(tx: Tx, runs: Iterable[RunView], *, namespace: str) -> list[RunView]:
    """Return the views with their labels, read in one statement."""
    views = list(runs)
    labels = labels_of(tx, [run.id for run in views], namespace=namespace)
    return [
        msgspec.structs.replace(run, labels=labels[run.id]) if run.id in labels else run
        for run in views
    ]


class LabelChange(NamedTuple):
    """All labels of a run after a change, and whether it changed anything."""

    labels: Labels
    is_new: bool


def change_labels(
    tx: Tx, run_id: str, *, namespace: str, put: Mapping[str, LabelValue], remove: Collection[str]
) -> LabelChange:
    """Set and remove labels of a run in any state.

    The caller has checked that the run exists, and the labels with `read_changes`.
    """
    lock_name(tx, "labels", run_id, namespace=namespace)
    before = labels_of(tx, [run_id], namespace=namespace).get(run_id, {})
    now: Labels = {name: value for name, value in before.items() if name not in remove}
    now |= put
    check_count(now)
    changed = {
        name: value
        for name, value in put.items()
        if name not in before or not is_same(before[name], value)
    }
    if changed:
        tx.execute("put_labels", batch=_encoded(_rows(run_id, changed)), namespace=namespace)
    gone = [name for name in before if name not in now]
    if gone:
        tx.execute("remove_labels", run_id=run_id, namespace=namespace, names=json.dumps(gone))
    return LabelChange(dict(sorted(now.items())), is_new=bool(changed or gone))


def change_own_labels(
    tx: Tx, lease: Lease, *, namespace: str, put: Mapping[str, LabelValue], remove: Collection[str]
) -> Labels:
    """Change labels of a run that its handler holds; LeaseLost when another worker owns it."""
    at = {"run_id": lease.run_id, "fence": lease.fence, "namespace": namespace}
    if tx.one("guard_run", **at) is None:
        raise LeaseLost
    return change_labels(tx, lease.run_id, namespace=namespace, put=put, remove=remove).labels


def known_names(tx: Tx, *, namespace: str, limit: int) -> list[KnownLabel]:
    """Return the names of labels that runs have, in order."""
    rows = tx.all("known_label_names", namespace=namespace, limit=limit)
    return [KnownLabel(name=row["name"]) for row in rows[:limit]]


def known_values(tx: Tx, name: str, *, namespace: str, prefix: str, limit: int) -> list[KnownLabel]:
    """Return values that runs have under a name and that begin with a text, in order."""
    rows = tx.all("known_label_values", namespace=namespace, name=name, prefix=prefix, limit=limit)
    values = [row["value"] for row in rows if row["value"].startswith(prefix)]
    return [KnownLabel(name=name, value=value) for value in values[:limit]]


class LabelledPage(msgspec.Struct, frozen=True):
    """Some runs that have labels: the last one looked at, and those that are gone."""

    last: str | None
    gone: list[str]


def labels_without_runs(tx: Tx, *, after: str, older_than_ms: int, limit: int) -> LabelledPage:
    """Look at the next runs with labels that were submitted before a time."""
    rows = tx.all("labelled_runs_after", after=after, before=first_id(older_than_ms), limit=limit)
    gone = [str(row["run_id"]) for row in rows if not row["stands"]]
    return LabelledPage(str(rows[-1]["run_id"]) if rows else None, gone)


def forget_labels(tx: Tx, run_ids: Sequence[str]) -> int:
    """Remove the labels of runs that retention has removed; return how many."""
    return tx.execute("forget_labels", ids=json.dumps(list(run_ids)))


def _rows(run_id: str, labels: Labels) -> list[StoredLabel]:
    return [
        StoredLabel(run_id=run_id, name=name, kind=kind_of(value), value=text_of(value))
        for name, value in labels.items()
    ]


def _encoded(rows: Sequence[object]) -> str:
    return msgspec.json.encode(rows).decode()
