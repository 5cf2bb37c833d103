"""Checks the promises that hold whatever process dies, with tables read past all of our code."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from tests.contract.builders import run_sql

MAX_CRASHES = 3
"""Most deaths of a process in which a run was alone."""
MAX_LOSSES = 10
"""Most workers that died while one run was the only suspect; others do not count."""
LONE_LOSS = '"type":"WorkerLostAlone"'
ATTEMPTS = "select run_id, number, fence, kind, error from rota.attempt order by fence"
ENDED = "select id, state, finished_at, fence, attempt, failures, crashes, reason, result"


class End(NamedTuple):
    """How a run ended, from its history row."""

    state: str
    finished_at: int
    fence: int
    attempt: int
    failures: int
    crashes: int
    reason: str | None
    result: str | None


class Tried(NamedTuple):
    """An attempt that did not succeed."""

    number: int
    fence: int
    kind: str
    error: str | None


def ends(url: str) -> dict[str, End]:
    """Return all ended runs; a run that ended twice breaks promise S1."""
    rows = run_sql(url, f"{ENDED} from rota.run_history")
    found = {str(row[0]): End(*row[1:]) for row in rows}
    assert len(found) == len(rows), "a run is twice in history"
    return found


class Witness:
    """Remembers every end that it saw; none may change or vanish."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._seen: dict[str, End] = {}

    def look(self) -> int:
        """Read the ends so far; return how many there are."""
        now = ends(self._url)
        changed = {run: end for run, end in self._seen.items() if now.get(run) != end}
        assert not changed, f"final states were overwritten: {changed}"
        self._seen = now
        return len(now)


def check_promises(url: str, acknowledged: Iterable[str]) -> dict[str, End]:
    """Fail unless S1, S2, S5, S6, S7 and S18 hold; return how runs ended."""
    ended = ends(url)
    live = {str(row[0]) for row in run_sql(url, "select id from rota.run")}
    lost = set(acknowledged) - live - ended.keys()
    assert not lost, f"S2: acknowledged runs are lost: {lost}"
    assert not live & ended.keys(), "S1: a run is both live and ended"
    tried = _attempts(url)
    for run, end in ended.items():
        _check_attempts(run, end, tried.get(run, []))
    assert not _stuck(url), f"S18: nothing would ever wake {_stuck(url)}"
    return ended


def _attempts(url: str) -> dict[str, list[Tried]]:
    found: dict[str, list[Tried]] = defaultdict(list)
    for row in run_sql(url, ATTEMPTS):
        found[str(row[0])].append(Tried(*row[1:]))
    return found


def _check_attempts(run: str, end: End, tried: list[Tried]) -> None:
    story = f"{run}: {end} after {tried}"
    # A success has only its history row; every other attempt has a row.
    rows = end.attempt - 1 if end.state == "success" else end.attempt
    assert [each.number for each in tried] == list(range(1, rows + 1)), f"S6: {story}"
    fences = [each.fence for each in tried] + [end.fence] * (end.state == "success")
    assert fences == sorted(set(fences)), f"S5: {story}"
    assert not fences or fences[-1] <= end.fence, f"S5: {story}"
    kinds = [each.kind for each in tried]
    errors = sum(kind in ("error", "timeout") for kind in kinds)
    crashes = sum(kind in ("crash", "lost") for kind in kinds)
    assert (errors, crashes) == (end.failures, end.crashes), f"S7: {story}"
    assert kinds.count("crash") <= MAX_CRASHES, f"S7: {story}"
    assert sum(LONE_LOSS in (each.error or "") for each in tried) <= MAX_LOSSES, f"S7: {story}"


def _stuck(url: str) -> list[tuple[Any, ...]]:
    """Return live runs without a due time, a place in a queue or a worker whose lease can end."""
    return run_sql(
        url,
        "select id, state, worker_id from rota.run where not ("
        " (state = 'scheduled' and ready_at is not null)"
        " or (state = 'queued' and rank is not null)"
        " or (state = 'running' and worker_id is not null))",
    )
