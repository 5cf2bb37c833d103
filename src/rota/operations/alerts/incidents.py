"""Operations on alerts: list the incidents that rules have found, show one."""

from __future__ import annotations

from collections.abc import Sequence

from rota.engine.alerts.incidents import failed_runs_of, list_incidents
from rota.errors import UnknownAlert
from rota.ids import is_id
from rota.model.alerts.incident import IncidentState, IncidentView
from rota.model.view import Page, view_of
from rota.operations.caller import Caller
from rota.operations.operation import reads
from rota.operations.paging import PAGE, Limit, page_start
from rota.store.base import Row, Tx


@reads("/alerts")
def list_alerts(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    caller: Caller,
    *,
    status: IncidentState | None = None,
    rule: str | None = None,
    job: str | None = None,
    cursor: str | None = None,
    limit: Limit = PAGE,
) -> Page[IncidentView]:
    """Incidents that alert rules have found, the newest first."""
    rows = list_incidents(
        tx,
        namespace=caller.namespace,
        state=status,
        rule=rule,
        job=job,
        before=page_start(cursor),
        limit=limit,
    )
    items = [_view(tx, caller, row) for row in _visible(tx, caller, rows)]
    return Page(items=items, next=str(rows[-1]["id"]) if len(rows) == limit else None)


@reads("/alerts/{alert_id}")
def show_alert(tx: Tx, caller: Caller, alert_id: str) -> IncidentView:
    """One incident."""
    rows = (
        tx.all("find_incident", id=alert_id, namespace=caller.namespace) if is_id(alert_id) else []
    )
    for row in _visible(tx, caller, rows):
        return _view(tx, caller, row)
    raise UnknownAlert(alert_id)


def _visible(tx: Tx, caller: Caller, rows: Sequence[Row]) -> list[Row]:
    """Return incidents of the queues and jobs that the caller sees."""
    if caller.sees_all_queues:
        return list(rows)
    jobs = caller.visible_jobs(tx, {row["job"] for row in rows if row["job"] is not None})
    return [
        row
        for row in rows
        if (row["queue"] is not None and caller.sees(row["queue"])) or row["job"] in jobs
    ]


def _view(tx: Tx, caller: Caller, row: Row) -> IncidentView:
    return view_of(
        IncidentView,
        row,
        id=str(row["id"]),
        run_id=None if row["run_id"] is None else str(row["run_id"]),
        state="open" if row["closed_at"] is None else "closed",
        runs=failed_runs_of(tx, row, namespace=caller.namespace),
    )
