"""Handles for saved views: named filters of the list of runs."""

from __future__ import annotations

import builtins
from typing import Any

from rota.errors import UnknownView
from rota.handles.backend import Backend
from rota.handles.runs.search import saved_fields
from rota.model.runs.saved_view import SavedView
from rota.model.states import State
from rota.operations.runs.saved_views import (
    SavedViewBody,
    WantedFilter,
    list_views,
    put_view,
    remove_view,
    show_view,
)


class SavedViews:
    """The saved views of a namespace; get it as `app.views` or `client.views`."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def list(self) -> builtins.list[SavedView]:
        """Return all saved views, by name."""
        return self._backend.call(list_views).items

    def show(self, name: str) -> SavedView:
        """Return a saved view; UnknownView if there is none of that name."""
        return self._backend.call(show_view, name)

    def put(self, name: str, *, note: str = "", **filters: Any) -> SavedView:
        """Create or change a view; the filters are those of `runs()`.

        `app.views.put("late", state="failed", labels={"team": "billing"}, since="1d")`
        """
        fields = saved_fields({k: v for k, v in filters.items() if k not in _OWN})
        own = {name: filters[name] for name in _OWN if filters.get(name) is not None}
        if "state" in own:
            own["status"] = State(own.pop("state"))
        wanted = WantedFilter(**own, **_tuples(fields))
        return self._backend.call(put_view, name, SavedViewBody(filter=wanted, note=note))

    def remove(self, name: str) -> bool:
        """Remove a view; False when there was none of that name."""
        try:
            self._backend.call(remove_view, name)
        except UnknownView:
            return False
        return True


_OWN = ("state", "job", "queue")


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()}
