"""Presence: void the leases of workers whose process is seen to be gone.

`reap` handles their runs; nothing here touches a run.
"""

from __future__ import annotations

import json
from collections.abc import Collection

from rota.rules.presence import Absences, Sighting, absences
from rota.store.base import Tx


def sightings(tx: Tx) -> list[Sighting]:
    """All workers of all namespaces that have a lease and a process that can be seen."""
    return [
        Sighting(
            worker_id=str(row["id"]),
            presence=row["presence"],
            silent_ms=row["silent_ms"],
            missing_ms=row["missing_ms"],
            is_spared=bool(row["is_spared"]),
        )
        for row in tx.all("list_presences")
    ]


def give_up(tx: Tx, gone: Collection[str], *, is_certain: bool) -> Absences:
    """Note the missing workers and end the leases of the dead ones (rules.presence).

    A worker that has sent a heartbeat since is not touched.
    """
    verdict = absences(sightings(tx), gone, is_certain=is_certain)
    for statement, ids in (
        ("note_missing", verdict.missing),
        ("note_found", verdict.found),
        ("void_leases", verdict.dead),
    ):
        if ids:
            tx.execute(statement, ids=json.dumps(ids))
    return verdict
