"""Search: runs by id, key, job or state, jobs and schedules by name, lines by their words."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from rota.engine.jobs.definitions import JobView, jobs
from rota.engine.logs import reached_lines
from rota.engine.logs import search as search_lines
from rota.engine.runs.find import find, now_ms
from rota.engine.runs.lists import page
from rota.engine.schedules.search import find_schedules
from rota.errors import BadInput, UnknownRun
from rota.model.identity.credentials import Credential
from rota.model.insight.search import JobFound, LineFound, RunFound, SearchResults
from rota.model.jobs.job import kind_of
from rota.model.logs.log import FoundLine
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.store.base import Row, Tx

_PART = re.compile(r"[0-9a-f]{6,8}(-[0-9a-f-]{0,27})?")
_END = re.compile(r"([0-9a-f-]{0,22}-)?[0-9a-f]{6,12}")
NEWEST = 200_000
"""The number of newest runs, live and ended each, among which the end of an id is found."""
LOWEST, HIGHEST = "0" * 8 + "-0000-0000-0000-" + "0" * 12, "f" * 8 + "-ffff-ffff-ffff-" + "f" * 12
LOGS_MS = 7 * 86_400_000


def search(
    tx: Tx, text: str, *, namespace: str, credential: Credential, limit: int
) -> SearchResults:
    """Return all matches in queues that the caller sees; up to `limit` of each kind."""
    reaches = credential.reaches
    visible = [each for each in jobs(tx, namespace=namespace) if reaches(each.spec.queue)]
    names = [each.name for each in visible]
    matching = [each for each in visible if text.casefold() in each.name.casefold()]
    matching.sort(key=lambda each: (each.name != text, each.name))
    runs_found = _runs(tx, text, names, namespace=namespace, limit=limit)
    return SearchResults(
        runs=[_run_found(each) for each in runs_found if reaches(each.queue)][:limit],
        jobs=[_job_found(each) for each in matching[:limit]],
        schedules=find_schedules(
            tx,
            text,
            namespace=namespace,
            jobs=[each.name for each in matching[:limit]],
            reached=None if credential.queues is None else names,
            limit=limit,
        ),
        logs=[
            _line_found(each)
            for each in _lines(tx, text, namespace=namespace, reaches=reaches, limit=limit)
        ],
    )


def _run_found(run: RunView) -> RunFound:
    return RunFound(
        run_id=run.id,
        job=run.job,
        status=run.state,
        queue=run.queue,
        key=run.key,
        created_at=run.created_at,
        finished_at=run.finished_at,
    )


def _job_found(job: JobView) -> JobFound:
    spec = job.spec
    return JobFound(job=job.name, kind=kind_of(spec), queue=spec.queue, version=job.version)


def _line_found(line: FoundLine) -> LineFound:
    return LineFound(run_id=line.run_id, job=line.job, at=line.at, level=line.level, text=line.text)


def _runs(tx: Tx, text: str, names: list[str], *, namespace: str, limit: int) -> list[RunView]:
    at = {"namespace": namespace, "limit": limit}
    ids = _ids(tx, text.lower(), at)
    rows = tx.all("runs_of_key", jobs=json.dumps(names), key=text, **at)
    ids += [str(row["id"]) for row in rows]
    runs_found = [run for run in (_find(tx, each, namespace) for each in dict.fromkeys(ids)) if run]
    if text in set(State):
        runs_found += page(tx, namespace=namespace, state=State(text), limit=limit).runs
    if text in names:
        runs_found += page(tx, namespace=namespace, job=text, limit=limit).runs
    return list({run.id: run for run in runs_found}.values())


def _ids(tx: Tx, part: str, at: dict[str, Any]) -> list[str]:
    """Return ids that begin with the part, and those of the newest runs that end with it."""
    rows: list[Row] = []
    if _PART.fullmatch(part):
        span = {"first": part + LOWEST[len(part) :], "last": part + HIGHEST[len(part) :]}
        for statement in ("ids_between", "ended_ids_between"):
            rows += tx.all(statement, **at, **span)
    if _END.fullmatch(part):
        for statement in ("ids_ending_in", "ended_ids_ending_in"):
            rows += tx.all(statement, **at, ending=f"%{part}", newest=NEWEST)
    return [str(row["id"]) for row in rows]


def _find(tx: Tx, run_id: str, namespace: str) -> RunView | None:
    """Return a run; None if it is gone, since a key outlives its run."""
    try:
        return find(tx, run_id, namespace=namespace)
    except UnknownRun:
        return None


def _lines(
    tx: Tx, text: str, *, namespace: str, reaches: Callable[[str], bool], limit: int
) -> list[FoundLine]:
    try:
        lines = search_lines(tx, text, namespace=namespace, since=now_ms(tx) - LOGS_MS, limit=limit)
    except BadInput:  # it has no word
        return []
    return reached_lines(tx, lines, namespace=namespace, reaches=reaches)
