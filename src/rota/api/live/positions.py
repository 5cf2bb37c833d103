"""Changes by people and deploys: an event without details, so that clients fetch again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from rota.api.live.client import LiveClient
from rota.api.live.events import event
from rota.engine.jobs.changes import DefinitionMark, definition_mark, newest_acts
from rota.model.insight.live_events import ChangeEvent
from rota.store.base import Tx

SPARE = 50
"""Known audit entries that are read again: the clocks that made their ids differ."""
MOST = 500
"""The most new audit entries of one look; with more, their kinds are not examined."""
OF_RUNS = frozenset({"submit", "trigger job", "sign in"})
"""Verbs of audit entries that change no definition; most entries have one of these."""


class Marked(NamedTuple):
    """How far the changes of a namespace have been read."""

    mark: DefinitionMark
    acts: frozenset[str]
    """The ids of the newest audit entries."""
    is_defined: bool = False
    """Whether something else than runs has changed since the look before."""


Marks = Mapping[str, Marked]


def look(tx: Tx, namespaces: Collection[str], before: Marks) -> Marks:
    """Read each namespace with one statement; new audit entries cost one more."""
    return {name: _look_at(tx, name, before.get(name)) for name in namespaces}


def _look_at(tx: Tx, namespace: str, before: Marked | None) -> Marked:
    mark = definition_mark(tx, namespace=namespace)
    if before is not None and mark == before.mark:
        return before._replace(is_defined=False)
    fresh = MOST if before is None else mark.acts - before.mark.acts
    found = newest_acts(tx, namespace=namespace, limit=SPARE + min(max(fresh, 0), MOST))
    if before is None:
        return Marked(mark, frozenset(found))
    is_defined = (
        mark.rest != before.mark.rest
        or fresh > MOST
        or any(verb not in OF_RUNS for act, verb in found.items() if act not in before.acts)
    )
    return Marked(mark, frozenset(found), is_defined)


def tell(clients: Collection[LiveClient], before: Marks, now: Marks, *, floor: int) -> None:
    """Send an event to the clients that watch changes in their namespace."""
    for client in clients:
        known, found = before.get(client.namespace), now.get(client.namespace)
        if not client.topics.changes or known is None or found is None or known.mark == found.mark:
            continue
        told = ChangeEvent(only_acts=not found.is_defined)
        client.put(("changed", told.only_acts), floor, event("changed", told))
