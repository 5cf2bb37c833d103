"""Detect changed definitions from what changes leave anyway; nothing is written for it."""

from __future__ import annotations

from typing import NamedTuple

from rota.store.base import Tx


class DefinitionMark(NamedTuple):
    """A mark that differs after every change of a namespace."""

    acts: int
    """The number of audit entries that there ever were."""
    rest: tuple[int, int]
    """The last release of code, and the turns of all breakers."""


def definition_mark(tx: Tx, *, namespace: str) -> DefinitionMark:
    """Return the mark of a namespace, with one small statement."""
    (row,) = tx.all("definition_mark", namespace=namespace)
    return DefinitionMark(int(row["acts"]), (int(row["release"]), int(row["turns"])))


def newest_acts(tx: Tx, *, namespace: str, limit: int) -> dict[str, str]:
    """Return the verbs of the newest audit entries by their ids."""
    rows = tx.all("newest_acts", namespace=namespace, limit=limit)
    return {str(row["id"]): row["verb"] for row in rows}
