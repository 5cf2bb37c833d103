"""Releases in the hands of a program: what the code of apps declared, and the way back."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from rota.app.declare import hand_of
from rota.engine.identity.audit_log import Actor
from rota.engine.jobs.declare import releases, use
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.release import Release

if TYPE_CHECKING:
    from rota.app.app import App


class Releases:
    """The releases of one app's namespace; get it as `app.releases`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self, *, app: str | None = None, limit: int = 50) -> builtins.list[Release]:
        """The newest first; of one app if its name is given."""
        namespace = self._app.namespace
        return self._app.store.read(
            lambda tx: releases(tx, namespace=namespace, app=app, limit=limit)
        )

    def use(self, number: int, *, who: str | None = None) -> Release:
        """Make what this release declared hold again; it gets a new number, the highest."""
        hand = hand_of(self._app, who)
        by = Actor(act_id=new_id(), who=who or whoami())
        return self._app.store.write(lambda tx: use(tx, number, hand, by))
