"""Operations on saved views: list them, create or change one, remove one."""

from __future__ import annotations

import msgspec

from rota.engine.runs.search import saved_views as engine
from rota.errors import BadOption, UnknownView
from rota.model.runs.saved_view import SavedFilter, SavedView
from rota.model.schedules.definitions import Removed
from rota.model.view import Body, Page
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads
from rota.operations.runs.run_search import check_filter
from rota.rules.text.names import check_name
from rota.store.base import Tx

LONGEST_NOTE = 500


class WantedFilter(SavedFilter, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which runs; what is left out does not matter."""


class SavedViewBody(Body):
    """Which runs a view shows."""

    filter: WantedFilter
    note: str = ""


@reads("/views")
def list_views(tx: Tx, caller: Caller) -> Page[SavedView]:
    """All saved views of the list of runs, by name."""
    found = engine.saved_views(tx, namespace=caller.namespace)
    return Page(items=[_offered(each, caller) for each in found])


@reads("/views/{name}")
def show_view(tx: Tx, caller: Caller, name: str) -> SavedView:
    """A saved view."""
    return _offered(engine.saved_view(tx, name, namespace=caller.namespace), caller)


def _before(tx: Tx, caller: Caller, name: str, *_: object, **__: object) -> SavedView | None:
    try:
        return show_view.function(tx, caller, name)
    except UnknownView:
        return None


@changes("PUT", "/views/{name}", verb="put view", before=_before)
def put_view(tx: Tx, caller: Caller, name: str, body: SavedViewBody) -> SavedView:
    """Create or change a saved view; everybody in the namespace has it."""
    check_name("view", name)
    old = _before(tx, caller, name)
    wanted = check_filter(SavedFilter(**msgspec.structs.asdict(body.filter)))
    if len(body.note) > LONGEST_NOTE:
        raise BadOption(f"note: it has more than {LONGEST_NOTE} characters")
    if old is not None and (old.filter, old.note) == (wanted, body.note):
        nothing_changed(tx, caller)
        return old
    at = {"namespace": caller.namespace, "who": caller.actor.who}
    engine.put_saved_view(tx, name, wanted, note=body.note, **at)
    return show_view.function(tx, caller, name)


@changes("DELETE", "/views/{name}", verb="remove view", before=_before)
def remove_view(tx: Tx, caller: Caller, name: str) -> Removed:
    """Remove a saved view."""
    engine.remove_saved_view(tx, name, namespace=caller.namespace)
    return Removed(name=name)


def _offered(view: SavedView, caller: Caller) -> SavedView:
    return msgspec.structs.replace(view, verbs=caller.may("edit", "delete"))
