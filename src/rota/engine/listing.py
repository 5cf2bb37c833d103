"""Listing: pages of runs by a text that people type, or by the error that ended them.

A text is the beginning of an id, its last part as commands show it, a key, or a part of the name
of a job. What runs were given is not looked into: no index knows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from rota.engine.inspect import runs, view_of
from rota.errors import BadInput
from rota.model.run import RunView
from rota.model.states import State
from rota.store.base import Tx

LONGEST = 200
FEW_JOBS = 10
"""Each is asked for by the index of its runs; beyond, runs of all jobs are gone through."""
RECENT = 1_000
"""An end of an id is looked for among so many of the newest runs."""
FIRST_BATCH, LARGEST_BATCH = 500, 10_000
LOWEST, HIGHEST = "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"
_BEGINNING = re.compile(r"[0-9a-f]{6,8}(-[0-9a-f-]{0,27})?")
_END = re.compile(r"[0-9a-f]{8,12}")

Ids = Callable[[str, int], list[str]]
"""Ids below one, the newest first, up to so many."""


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs; what is None does not matter."""

    namespace: str
    state: State | None = None
    job: str | None = None
    queue: str | None = None
    queues: tuple[str, ...] | None = None
    schedule: str | None = None
    parent: str | None = None
    since: int | None = None
    until: int | None = None

    def asked(self) -> dict[str, Any]:
        """As statements want it."""
        facts = {name: getattr(self, name) for name in self.__struct_fields__}
        facts["state"] = self.state and str(self.state)
        facts["queues"] = None if self.queues is None else json.dumps(self.queues)
        return facts | {"jobs": None}


def listed(  # what, by which words, and which page of it
    tx: Tx,
    wanted: Wanted,
    *,
    text: str | None = None,
    error: str | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[RunView]:
    """The newest first; `before` is the last id of the page before."""
    for each in (text, error):
        if each is not None and not 0 < len(each) <= LONGEST:
            raise BadInput(f"a text to look for has 1 to {LONGEST} characters")
    if error is not None:
        return _of_error(tx, wanted, error, text=text, before=before, limit=limit)
    if text is None:
        return runs(tx, before=before, limit=limit, **msgspec.structs.asdict(wanted))
    found = {
        run.id: run for part in _parts(tx, wanted, text, before, limit) for run in part[:limit]
    }
    return [found[run_id] for run_id in sorted(found, reverse=True)][:limit]


def _of_error(
    tx: Tx, wanted: Wanted, error: str, *, text: str | None, before: str | None, limit: int
) -> list[RunView]:
    if wanted.state not in (None, State.FAILED):
        return []

    def ids(below: str, most: int) -> list[str]:
        at = {"namespace": wanted.namespace, "error": error, "before": below, "limit": most}
        return [str(row["id"]) for row in tx.all("ids_of_error", **at)]

    return _gather(tx, ids, wanted, before, limit, is_fit=lambda run: _fits(run, text))


def _fits(run: RunView, text: str | None) -> bool:
    if text is None:
        return True
    is_named = text.casefold() in run.job.casefold()
    return is_named or text == run.key or run.id.startswith(text) or run.id.endswith(text)


def _parts(
    tx: Tx, wanted: Wanted, text: str, before: str | None, limit: int
) -> Iterator[list[RunView]]:
    """What each meaning of the text finds, a page of each."""
    at = {"namespace": wanted.namespace}
    names = [row["name"] for row in tx.all("job_names", **at)]
    keyed = tx.all("runs_of_key", jobs=json.dumps(names), key=text, limit=limit, **at)
    ids = [str(row["id"]) for row in keyed]
    if _END.fullmatch(text):
        newest = tx.all("ids_from", first=LOWEST, before=HIGHEST, limit=RECENT, **at)
        ids += [str(row["id"]) for row in newest if str(row["id"]).endswith(text)]
    kept = sorted((each for each in set(ids) if each < (before or HIGHEST)), reverse=True)
    yield _these(tx, wanted, kept)
    if _BEGINNING.fullmatch(text):
        yield _gather(tx, _beginning_with(tx, wanted, text), wanted, before, limit)
    fitting = [name for name in names if text.casefold() in name.casefold()]
    yield _of_jobs(tx, wanted, fitting, before, limit)


def _beginning_with(tx: Tx, wanted: Wanted, text: str) -> Ids:
    first, last = text + LOWEST[len(text) :], text + HIGHEST[len(text) :]

    def ids(below: str, most: int) -> list[str]:
        at = {"namespace": wanted.namespace, "first": first, "limit": most}
        found = [str(row["id"]) for row in tx.all("ids_from", before=min(below, last), **at)]
        # The bound is left out above, and may be an id.
        return [last, *found] if last < below else found

    return ids


def _of_jobs(
    tx: Tx, wanted: Wanted, names: list[str], before: str | None, limit: int
) -> list[RunView]:
    if wanted.job is not None:
        names = [name for name in names if name == wanted.job]
    at = msgspec.structs.asdict(wanted) | {"before": before, "limit": limit}
    if len(names) > FEW_JOBS:
        return runs(tx, jobs=names, **at)
    found = [run for name in names for run in runs(tx, **at | {"job": name})]
    return sorted(found, key=lambda run: run.id, reverse=True)


def _gather(
    tx: Tx,
    ids: Ids,
    wanted: Wanted,
    before: str | None,
    limit: int,
    *,
    is_fit: Callable[[RunView], bool] = lambda _: True,
) -> list[RunView]:
    """Of the runs with these ids the newest that fit, in batches that grow."""
    found: list[RunView] = []
    below, size = before or HIGHEST, max(limit, FIRST_BATCH)
    while len(found) < limit:
        batch = ids(below, size)
        found += filter(is_fit, _these(tx, wanted, batch))
        if len(batch) < size:
            break
        below, size = batch[-1], min(2 * size, LARGEST_BATCH)
    return found[:limit]


def _these(tx: Tx, wanted: Wanted, ids: list[str]) -> list[RunView]:
    if not ids:
        return []
    asked = wanted.asked() | {"ids": json.dumps(ids)}
    rows = [row for name in ("list_these", "list_these_ended") for row in tx.all(name, **asked)]
    return sorted(map(view_of, rows), key=lambda run: run.id, reverse=True)
