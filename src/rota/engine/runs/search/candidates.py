"""Candidates: the ids of runs that a label or an instant of a schedule leads to.

An index of labels, or the instants on record, tell the ids; the caller reads the rows by id and
applies its other filters. So no plan depends on how common a label is (ADR 52).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from rota.engine.runs.search.labels import labels_of
from rota.errors import BadInput
from rota.model.runs.labels import LabelCondition
from rota.rules.runs.labels import matches, value_of
from rota.store.base import Row, Tx

CHUNK = 1_000
"""The ids that are read at once."""
FEW = 5_000
"""The most runs of the instants of one question."""
LAST_MS = 253_402_300_800_000
"""The end of the year 9999."""


class InstantRange(NamedTuple):
    """The instants of schedules that runs are for; the end is not among them."""

    since: int | None
    until: int | None

    @property
    def is_given(self) -> bool:
        return self != (None, None)


class CandidateIds(NamedTuple):
    """Some ids, the newest first, and the id below which the next part goes on; None at the end."""

    ids: list[str]
    rest: str | None
    read: int
    """The runs that were looked at for them."""


def labelled(
    tx: Tx, conditions: Sequence[LabelCondition], *, namespace: str, before: str | None, first: int
) -> Iterator[CandidateIds]:
    """Yield the runs that meet all conditions, the newest first, in parts of limited reading.

    The rarest label that has to be equal to a value leads; the other conditions are checked on what
    it leads to.
    """
    leads = [each for each in conditions if each.comparison == "="] or list(conditions[:1])
    size = min(first, CHUNK)
    looks = [(each, _look(tx, each, namespace, before, size)) for each in leads]
    lead, rows = min(looks, key=lambda look: (len(look[1]) == size, _last(look[1]) or ""))
    others = [each for each in conditions if each is not lead]
    while True:
        ids = [str(row["run_id"]) for row in rows if _meets(lead, row)]
        rest = _last(rows) if len(rows) == size else None
        yield CandidateIds(_meeting(tx, ids, others, namespace=namespace), rest, len(rows))
        if rest is None:
            return
        size = CHUNK
        rows = _look(tx, lead, namespace, rest, size)


def fired(
    tx: Tx,
    conditions: Sequence[LabelCondition],
    *,
    namespace: str,
    schedule: str | None,
    times: InstantRange,
    before: str | None,
) -> list[str]:
    """Return the runs that schedules have started for these instants, with the runs repeating them.

    BadInput if they are too many to be sorted.
    """
    rows = tx.all(
        "fired_for",
        namespace=namespace,
        schedule=schedule,
        from_at=times.since or 0,
        to_at=LAST_MS if times.until is None else times.until,
        most=FEW + 1,
    )
    found = {str(row["run_id"]) for row in rows}
    fresh: Collection[str] = found
    while fresh and len(found) <= FEW:
        again = tx.all("reruns_of", ids=json.dumps(sorted(fresh)))
        fresh = {str(row["id"]) for row in again} - found
        found |= fresh
    if len(found) > FEW:
        raise BadInput(
            f"more than {FEW:,} runs are for these instants; give a shorter time, or a schedule"
        )
    ids = sorted((each for each in found if before is None or each < before), reverse=True)
    return _meeting(tx, ids, conditions, namespace=namespace)


def _look(
    tx: Tx, condition: LabelCondition, namespace: str, before: str | None, limit: int
) -> list[Row]:
    at = {"namespace": namespace, "name": condition.name, "before": before, "limit": limit}
    if condition.comparison == "=":
        return tx.all("labelled_by_value", value=condition.value, **at)
    return tx.all("labelled_by_name", **at)


def _last(rows: Sequence[Row]) -> str | None:
    return str(rows[-1]["run_id"]) if rows else None


def _meets(condition: LabelCondition, row: Row) -> bool:
    return matches([condition], {row["name"]: value_of(row["kind"], row["value"])})


def _meeting(
    tx: Tx, ids: list[str], conditions: Sequence[LabelCondition], *, namespace: str
) -> list[str]:
    """Return those of the runs whose labels meet the conditions, in the same order."""
    if not conditions:
        return ids
    labels = labels_of(tx, ids, namespace=namespace)
    return [run_id for run_id in ids if matches(conditions, labels.get(run_id, {}))]
