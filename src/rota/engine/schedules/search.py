"""Search for schedules: by a part of their name or by their job, with a bounded read."""

from __future__ import annotations

import json
from collections.abc import Collection

from rota.engine.runs.find import like
from rota.model.insight.search import ScheduleFound
from rota.store.base import Tx

LOOKED_AT = 5_000
"""The most names searched for a part of them, apart from names that begin with the text."""


def find_schedules(
    tx: Tx,
    text: str,
    *,
    namespace: str,
    jobs: Collection[str],
    reached: Collection[str] | None,
    limit: int,
) -> list[ScheduleFound]:
    """Schedules whose name matches the text, then those of `jobs`; only of jobs in `reached`."""
    at = {"namespace": namespace, "limit": limit}
    among = None if reached is None else json.dumps(sorted(reached))
    rows = []
    for first in ("", text):
        rows += tx.all(
            "search_schedules", first=first, text=like(text), most=LOOKED_AT, reached=among, **at
        )
    if jobs:
        rows += tx.all("schedules_of_jobs", jobs=json.dumps(sorted(jobs)), **at)
    by_name = {row["name"]: ScheduleFound(**row) for row in rows}
    return sorted(by_name.values(), key=lambda each: _rank(each, text))[:limit]


def _rank(each: ScheduleFound, text: str) -> tuple[bool, bool, bool, str]:
    name, searched = each.name.casefold(), text.casefold()
    return each.name != text, not name.startswith(searched), searched not in name, each.name
