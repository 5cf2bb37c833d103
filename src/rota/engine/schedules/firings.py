"""Past firings: the outcomes of a schedule's instants, page by page."""

from __future__ import annotations

from typing import Annotated, NamedTuple

import msgspec

from rota.engine.schedules.rerun_instants import FAILED, mended
from rota.engine.schedules.views import show
from rota.model.schedules.firing import FiringView
from rota.model.view import view_of
from rota.store.base import Row, Tx

_NEVER = 2**62
_TEXT = r"^[^\x00]*$"


class FiringCursor(NamedTuple):
    """The start of a page: an instant may have several firings, even in one millisecond."""

    instant: Annotated[int, msgspec.Meta(ge=-_NEVER, le=_NEVER)]
    decided_at: Annotated[int, msgspec.Meta(ge=-_NEVER, le=_NEVER)] = 0
    kind: Annotated[str, msgspec.Meta(pattern=_TEXT)] = ""
    request: Annotated[str, msgspec.Meta(pattern=_TEXT)] = ""


class FiringPage(NamedTuple):
    """A page of firings, and the cursor of the next page; None at the end."""

    firings: list[FiringView]
    next: FiringCursor | None


def firings_of(
    tx: Tx, name: str, *, namespace: str, before: int | None = None, limit: int = 50
) -> list[FiringView]:
    """The firings of a schedule, newest first; with `before`, only of instants before it."""
    start = None if before is None else FiringCursor(before)
    return firing_page(tx, name, namespace=namespace, start=start, limit=limit).firings


def firing_page(
    tx: Tx, name: str, *, namespace: str, start: FiringCursor | None = None, limit: int = 50
) -> FiringPage:
    """A page of a schedule's firings, newest first, from the cursor of the page before."""
    schedule_id = show(tx, name, namespace=namespace).id
    place = (start or FiringCursor(_NEVER))._asdict()
    rows = tx.all("list_firings", schedule_id=schedule_id, limit=limit + 1, **place)
    has_more = len(rows) > limit
    failed = [str(row["run_id"]) for row in rows[:limit] if row["state"] in FAILED]
    again = mended(tx, failed) if failed else {}
    return FiringPage(
        firings=[_view(row, again.get(str(row["run_id"]))) for row in rows[:limit]],
        next=_place(rows[limit - 1]) if has_more else None,
    )


def _view(row: Row, rerun: Row | None) -> FiringView:
    run_id = row["run_id"] if rerun is None else rerun["id"]
    return view_of(
        FiringView,
        row,
        run_id=str(run_id) if run_id else None,
        state=row["state"] if rerun is None else rerun["state"],
    )


def _place(row: Row) -> FiringCursor:
    return FiringCursor(row["instant"], row["decided_at"], row["kind"], row["request"])
