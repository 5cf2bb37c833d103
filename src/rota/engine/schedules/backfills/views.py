"""Backfills as people see them: how far they are."""

from __future__ import annotations

from typing import Literal

import msgspec

from rota.errors import UnknownBackfill
from rota.ids import is_id
from rota.store.base import Row, Tx

Reprocess = Literal["missing", "failed", "all"]
"""Which instants get a run: those without one, also those that failed, or all.

None of them while an earlier run of the same instant has not ended.
"""


class BackfillView(msgspec.Struct, frozen=True, kw_only=True):
    """A backfill as people see it."""

    id: str
    schedule: str | None
    from_at: int
    to_at: int
    reprocess: Reprocess
    newest_first: bool
    parallel: int | None
    """How many at once; None when it keeps to the overlap policy of its schedule."""
    state: Literal["active", "done", "cancelled", "error"]
    note: str | None
    total: int
    """Instants in its range; an estimate beyond a thousand."""
    seen: int
    started: int
    succeeded: int
    failed: int
    live: int
    created_at: int
    ended_at: int | None


def show_backfill(tx: Tx, backfill_id: str, *, namespace: str) -> BackfillView:
    """Its progress; UnknownBackfill when there is none of that id."""
    row = (
        tx.one("find_backfill", id=backfill_id, namespace=namespace) if is_id(backfill_id) else None
    )
    if row is None:
        raise UnknownBackfill(backfill_id)
    return _view(row)


def backfills(
    tx: Tx,
    *,
    namespace: str,
    schedule: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[BackfillView]:
    """The newest first; `before` is the last id of the page before."""
    at = {"namespace": namespace, "schedule": schedule}
    rows = tx.all("list_backfills", before=before, limit=limit, **at)
    return [_view(row) for row in rows]


def _view(row: Row) -> BackfillView:
    facts = {name: row[name] for name in BackfillView.__struct_fields__ if name != "id"}
    facts["newest_first"] = bool(facts["newest_first"])
    facts["parallel"] = facts["parallel"] or None
    return BackfillView(id=str(row["id"]), **facts)
