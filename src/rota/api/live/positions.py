"""What people and deploys changed: told in one word, so that whoever shows it asks again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from rota.api.live.client import LiveClient
from rota.api.live.documents import Changed, event
from rota.engine.jobs.changes import DefinitionMark, definition_mark, newest_acts
from rota.store.base import Tx

SPARE = 50
"""Acts before those that are new, read again: clocks of their ids differ."""
MOST = 500
"""New acts of one look; of more nobody asks what they were."""
OF_RUNS = frozenset({"submit", "trigger job", "sign in"})
"""Acts that leave all definitions as they were; most acts are such."""


class Marked(NamedTuple):
    """How far the changes of a namespace are known."""

    mark: DefinitionMark
    acts: frozenset[str]
    """Ids of the newest."""
    is_defined: bool = False
    """Something else than runs was changed since the look before."""


Marks = Mapping[str, Marked]


def look(tx: Tx, namespaces: Collection[str], before: Marks) -> Marks:
    """One statement for each namespace, and one more where somebody did something."""
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
    """To those who want to hear of changes in their namespace."""
    for client in clients:
        known, found = before.get(client.namespace), now.get(client.namespace)
        if not client.topics.changes or known is None or found is None or known.mark == found.mark:
            continue
        told = Changed(only_acts=not found.is_defined)
        client.put(("changed", told.only_acts), floor, event("changed", told))
