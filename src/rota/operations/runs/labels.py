"""Operations on labels: change those of a run, and list the names and values that runs have."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from rota.engine.runs.search.labels import change_labels, known_names, known_values, labels_of
from rota.model.runs.labels import LONGEST_VALUE, KnownLabel, RunLabels
from rota.model.view import Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell
from rota.operations.paging import PAGE, Limit
from rota.operations.runs.visible import visible_run
from rota.rules.runs.labels import read_changes
from rota.store.base import Tx

Prefix = Annotated[str, msgspec.Meta(max_length=LONGEST_VALUE)]


@reads("/labels", may_be_old=True)
def list_labels(
    tx: Tx, caller: Caller, *, name: str | None = None, prefix: Prefix = "", limit: Limit = PAGE
) -> Page[KnownLabel]:
    """Names of labels that runs have; with `name` its values, with `prefix` those that begin so.

    A caller who sees some queues only is told none: they may be of other queues.
    """
    if not caller.sees_all_queues:
        return Page(items=[])
    at: dict[str, Any] = {"namespace": caller.namespace, "limit": limit}
    if name is None:
        return Page(items=known_names(tx, **at))
    return Page(items=known_values(tx, name, prefix=prefix, **at))


def _before(tx: Tx, caller: Caller, run_id: str, **_: object) -> RunLabels:
    visible_run(tx, caller, run_id)
    found = labels_of(tx, [run_id], namespace=caller.namespace)
    return RunLabels(run_id=run_id, labels=found.get(run_id, {}))


@changes("POST", "/runs/{run_id}/labels", verb="label run", subject="run_id", before=_before)
def label_run(
    tx: Tx,
    caller: Caller,
    run_id: str,
    *,
    labels: dict[str, Any],
    reason: str | None = None,  # noqa: ARG001  # for the record
) -> RunLabels:
    """Set labels of a run in any state; null removes one, and those not named stay."""
    run = visible_run(tx, caller, run_id)
    put, remove = read_changes("labels", labels)
    change = change_labels(tx, run_id, namespace=caller.namespace, put=put, remove=remove)
    if change.is_new:
        tell(tx, caller, job=run.job, labels=labels)
    else:
        nothing_changed(tx, caller)
    return RunLabels(run_id=run_id, labels=change.labels)
