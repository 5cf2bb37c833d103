"""Breakers in the hands of a program: see them, hold a job back, let it go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rota.app.who import whoami
from rota.engine.failures.breakers.control import breakers, close_breaker, open_breaker
from rota.engine.identity.audit_log import Actor
from rota.ids import new_id
from rota.model.breaker import BreakerView

if TYPE_CHECKING:
    from rota.app.app import App


class Breakers:
    """The breakers of one app's namespace; get it as `app.breakers`."""

    def __init__(self, app: App) -> None:
        self._app = app

    def list(self) -> list[BreakerView]:
        """Of all jobs that have one or are held back by hand, by job."""
        return self._app.store.read(lambda tx: breakers(tx, namespace=self._app.namespace))

    def open(self, job: str, *, note: str | None = None, who: str | None = None) -> None:
        """Hold back all runs of a job until somebody closes its breaker; what runs goes on."""
        by, namespace = _by(who), self._app.namespace
        self._app.store.write(
            lambda tx: open_breaker(tx, job, namespace=namespace, by=by, note=note)
        )

    def close(self, job: str, *, who: str | None = None) -> bool:
        """Let the runs of a job go, in their old order; False when they were not held."""
        by, namespace = _by(who), self._app.namespace
        return self._app.store.write(lambda tx: close_breaker(tx, job, namespace=namespace, by=by))


def _by(who: str | None) -> Actor:
    return Actor(act_id=new_id(), who=who or whoami())
