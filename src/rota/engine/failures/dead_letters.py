"""Dead letters: read the runs that failed for good, alone or in groups with the same cause."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence

import msgspec

from rota.engine.runs.find import find
from rota.errors import NotAllowed, UnknownRun
from rota.ids import is_id
from rota.model.failures.dead_letter import LetterGroup, LetterState, LetterView
from rota.model.view import view_of
from rota.store.base import Tx


def groups(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    job: str | None = None,
    fingerprint: str | None = None,
    queues: Sequence[str] | None = None,
    acted: bool = False,
    since: int = 0,
    limit: int = 100,
) -> list[LetterGroup]:
    """Return the groups with the most open letters first; `acted` includes groups without any.

    Only letters from `since` on count.
    """
    versions: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for row in tx.all("list_group_versions", namespace=namespace, job=job):
        versions[row["job"], row["fingerprint"]].append(row["version"])
    rows = tx.all(
        "list_groups",
        namespace=namespace,
        job=job,
        fingerprint=fingerprint,
        queues=_scope(queues),
        acted=acted,
        since=since,
        limit=limit,
    )
    return [
        view_of(
            LetterGroup,
            row,
            open=row["open_letters"],
            total=row["all_letters"],
            versions=tuple(versions[row["job"], row["fingerprint"]]),
        )
        for row in rows
    ]


def letters(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    *,
    namespace: str,
    state: LetterState | None = "open",
    job: str | None = None,
    fingerprint: str | None = None,
    queues: Sequence[str] | None = None,
    before: str | None = None,
    limit: int = 50,
) -> list[LetterView]:
    """Return the letters of the newest runs first; `before` is the last run of the page before."""
    rows = tx.all(
        "list_letters",
        namespace=namespace,
        state=state,
        job=job,
        fingerprint=fingerprint,
        queues=_scope(queues),
        before=before,
        limit=limit,
    )
    return [view_of(LetterView, row) for row in rows]


def find_letter(tx: Tx, run_id: str, *, namespace: str) -> LetterView:
    """Return the letter of a run; NotAllowed if it has none, UnknownRun if there is no run."""
    row = tx.one("find_letter", id=run_id, namespace=namespace) if is_id(run_id) else None
    if row is not None:
        return view_of(LetterView, row)
    run = find(tx, run_id, namespace=namespace)
    reason = f": {run.reason}" if run.reason else ""
    raise NotAllowed(f"run {run_id} is no dead letter, it is {run.state}{reason}")


def like(tx: Tx, part: str, *, namespace: str) -> str:
    """Return the one run with a letter whose id begins or ends with this; else raise UnknownRun."""
    bare = part.replace("%", "").replace("_", "")  # an id has neither; a pattern does
    rows = tx.all("letters_like", namespace=namespace, begins=f"{bare}%", ends=f"%{bare}", limit=2)
    if len(rows) != 1:
        raise UnknownRun(part)
    return str(rows[0]["run_id"])


class OpenGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The number of open letters in a group, and the job of the group."""

    count: int
    job: str | None


def open_group(
    tx: Tx, fingerprint: str, *, namespace: str, queues: Sequence[str] | None = None
) -> OpenGroup:
    """Return the open letters that a redrive or discard of the whole group would touch."""
    at = {"namespace": namespace, "queues": _scope(queues)}
    (row,) = tx.all("count_open", fingerprint=fingerprint, **at)
    return OpenGroup(count=row["letters"], job=row["job"])


def open_letters(  # noqa: PLR0913  # one filter each, all named
    tx: Tx,
    fingerprint: str,
    *,
    namespace: str,
    until: int,
    after: str | None,
    limit: int,
    queues: Sequence[str] | None = None,
) -> list[str]:
    """Return the next runs of a group's open letters that died until a moment, ordered by id."""
    rows = tx.all(
        "open_letters",
        namespace=namespace,
        fingerprint=fingerprint,
        queues=_scope(queues),
        until=until,
        after=after,
        limit=limit,
    )
    return [str(row["run_id"]) for row in rows]


def _scope(queues: Sequence[str] | None) -> str | None:
    """Return the queues as JSON, to read only runs of these; None for all queues."""
    return None if queues is None else json.dumps(list(queues))
