"""Changes that people make straight in the store: each with its act, as a server does it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from rota.engine.identity.audit_log import Actor, record
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.store.base import Tx

if TYPE_CHECKING:
    from rota.app.app import App

T = TypeVar("T")


def act(
    app: App,
    verb: str,
    subject: str,
    work: Callable[[Tx, str], T],
    *,
    who: str | None = None,
    detail: Mapping[str, Any] | None = None,
) -> T:
    """Do it and put it on record; what answers False has found nothing to do."""
    by = Actor(act_id=new_id(), who=who or whoami())
    told = {key: value for key, value in (detail or {}).items() if value is not None}

    def change(tx: Tx) -> T:
        done = work(tx, by.who)
        if done is not False:
            record(tx, by, namespace=app.namespace, verb=verb, subject=subject, detail=told)
        return done

    return app.store.write(change)
