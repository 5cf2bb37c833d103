"""Views of backfills for people, with their progress."""

from __future__ import annotations

from rota.errors import UnknownBackfill
from rota.ids import is_id
from rota.model.schedules.backfill import BackfillView
from rota.model.view import view_of
from rota.store.base import Row, Tx


def show_backfill(tx: Tx, backfill_id: str, *, namespace: str) -> BackfillView:
    """The progress of a backfill; UnknownBackfill when there is none of that id."""
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
    """A page of backfills, newest first; `before` is the last id of the page before."""
    at = {"namespace": namespace, "schedule": schedule}
    rows = tx.all("list_backfills", before=before, limit=limit, **at)
    return [_view(row) for row in rows]


def _view(row: Row) -> BackfillView:
    return view_of(
        BackfillView,
        row,
        order="newest" if row["newest_first"] else "oldest",
        parallel=row["parallel"] or None,
    )
