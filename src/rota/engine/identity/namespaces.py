"""Namespaces on record: created, given quotas, removed when nothing is left in them."""

from __future__ import annotations

from rota.engine.wakeup_keys import windows_key
from rota.errors import NotAllowed, QuotaExceeded, UnknownNamespace
from rota.model.identity.credentials import Namespace, Quotas
from rota.model.view import view_of
from rota.store.base import Row, Tx

HOME = "default"
"""The namespace that exists whether it is on record or not."""


def put_namespace(tx: Tx, name: str, quotas: Quotas, *, note: str = "") -> Namespace:
    """Create a namespace, or give the existing one other quotas."""
    tx.execute(
        "put_namespace",
        name=name,
        note=note,
        max_queued=quotas.queued,
        max_running=quotas.running,
        max_rate=quotas.rate,
        max_payload=quotas.payload,
    )
    tx.notify((windows_key(name),))
    return find_namespace(tx, name)


def find_namespace(tx: Tx, name: str) -> Namespace:
    """Return a namespace. Raises UnknownNamespace if it was never created."""
    row = tx.one("find_namespace", name=name)
    if row is not None:
        return _view(row)
    if name == HOME:
        return Namespace(name=HOME, note="", quotas=Quotas(), created_at=None)
    raise UnknownNamespace(name)


def namespaces(tx: Tx) -> list[Namespace]:
    """Return all namespaces on record, by name."""
    return [_view(row) for row in tx.all("list_namespaces")]


def remove_namespace(tx: Tx, name: str) -> None:
    """Remove a namespace without jobs, schedules, live runs or tokens; retention prunes history."""
    find_namespace(tx, name)
    row = tx.one("namespace_in_use", name=name)
    if row is not None and row["is_used"]:
        raise NotAllowed(
            f"namespace {name} still has jobs, schedules, live runs or tokens; remove them first"
        )
    tx.execute("delete_namespace", name=name)


def check_room(tx: Tx, name: str, *, more: int, quotas: Quotas) -> None:
    """Check that `more` runs may wait; raises QuotaExceeded if not."""
    if quotas.queued is None:
        return
    row = tx.one("count_waiting", namespace=name, limit=quotas.queued + 1)
    waiting = 0 if row is None else int(row["runs"])
    if waiting + more > quotas.queued:
        raise QuotaExceeded(
            f"{min(waiting, quotas.queued)} of {quotas.queued} runs that may wait in namespace "
            f"{name} are waiting; {more} more do not fit",
            retry_after_s=1.0,
        )


def _view(row: Row) -> Namespace:
    quotas = Quotas(
        queued=row["max_queued"],
        running=row["max_running"],
        rate=row["max_rate"],
        payload=row["max_payload"],
    )
    return view_of(Namespace, row, quotas=quotas)
