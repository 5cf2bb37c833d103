"""The nouns of an App, each with its verbs; a Client has them too."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from rota.handles.nouns import SharedNouns

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.run import Run
    from rota.handles.backend import Backend
    from rota.handles.schedules.schedules import Schedules
    from rota.rules.jobs.signature import Signature

# ruff: noqa: PLC0415  # each is imported for those who ask for it: importing an App stays quick


class Nouns(SharedNouns):
    """The handles of an App, each made at its first use."""

    @property
    def _whole(self) -> App:
        return cast("App", self)

    @cached_property
    def backend(self) -> Backend:
        """The backend, which makes each operation a transaction of the store."""
        from rota.handles.store_backend import StoreBackend
        from rota.operations.tools import Tools

        tools = Tools(signature=self._own_signature)
        return StoreBackend(lambda: self._whole.store, self._whole.namespace, tools)

    def _own_signature(self, job: str) -> Signature | None:
        own = self._whole.everything.get(job)
        return None if own is None else own.signature

    @cached_property
    def schedules(self) -> Schedules[Run[Any]]:
        """Schedules: make, change, pause, preview, start by hand, backfill."""
        from rota.app.jobs.fitting import fit_of
        from rota.handles.schedules.schedules import Schedules

        return Schedules(self.backend, run=self._whole.run, fit=fit_of(self._whole))
