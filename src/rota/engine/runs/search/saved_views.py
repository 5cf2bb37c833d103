"""Saved views on record."""

from __future__ import annotations

import msgspec

from rota.engine.locks import lock_name
from rota.engine.values.stored_text import read
from rota.errors import BadOption, UnknownView
from rota.model.runs.saved_view import SavedFilter, SavedView
from rota.model.view import view_of
from rota.store.base import Row, Tx

MOST_VIEWS = 1_000
_filter = msgspec.json.Decoder(SavedFilter)


def saved_views(tx: Tx, *, namespace: str) -> list[SavedView]:
    """Return all saved views of a namespace, by name."""
    return [_view(row) for row in tx.all("load_saved_views", namespace=namespace)]


def saved_view(tx: Tx, name: str, *, namespace: str) -> SavedView:
    """Return one saved view; UnknownView if there is none of that name."""
    row = tx.one("find_saved_view", name=name, namespace=namespace)
    if row is None:
        raise UnknownView(name)
    return _view(row)


def put_saved_view(
    tx: Tx, name: str, wanted: SavedFilter, *, namespace: str, note: str, who: str
) -> None:
    """Store this view, in place of any other of this name; BadOption above the limit."""
    lock_name(tx, "saved view", "", namespace=namespace)
    others = tx.all("count_saved_views", namespace=namespace, name=name)[0]["views"]
    if others >= MOST_VIEWS:
        raise BadOption(f"namespace {namespace} has {others} saved views; remove one first")
    tx.execute(
        "put_saved_view",
        namespace=namespace,
        name=name,
        filter=msgspec.json.encode(wanted).decode(),
        note=note,
        who=who,
    )


def remove_saved_view(tx: Tx, name: str, *, namespace: str) -> None:
    """Remove a saved view; UnknownView if there is none of that name."""
    if not tx.execute("delete_saved_view", name=name, namespace=namespace):
        raise UnknownView(name)


def _view(row: Row) -> SavedView:
    return view_of(SavedView, row, filter=read(_filter, row["filter"], f"view {row['name']}"))
