"""Dead letters behind a server: look at them, redrive or discard one, many or a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec

from rota.client.documents import Answer, Page
from rota.clock import to_ms
from rota.engine.failures.dead_letters import LetterGroup, LetterState, LetterView
from rota.engine.failures.redrive import Redriven
from rota.errors import BadInput

if TYPE_CHECKING:
    from rota.client.client import Client

BATCH = 500
"""Letters of one request, which is one transaction."""


class _Group(Answer):
    group: str
    job: str
    error_type: str
    message: str
    reason: str | None
    open: int
    total: int
    first_at: datetime
    last_at: datetime
    versions: tuple[int, ...]


class _Letter(Answer):
    run_id: str = msgspec.field(name="executionId")
    job: str
    version: int
    group: str
    error_type: str
    message: str
    reason: str | None
    died_at: datetime
    state: LetterState
    acted_at: datetime | None
    acted_by: str | None
    rerun_id: str | None


class _Redriven(Answer):
    run_id: str = msgspec.field(name="executionId")
    rerun_id: str
    is_new: bool


class _RedrivenMany(Answer):
    items: list[_Redriven]
    next: str | None = None


class _Discarded(Answer):
    discarded: int
    left: int = 0


class ServedLetters:
    """Runs that failed for good."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def groups(
        self, *, job: str | None = None, acted: bool = False, limit: int = 100
    ) -> list[LetterGroup]:
        """Letters by job and cause, most open ones first; `acted` includes finished groups."""
        page = self._client.line.get(
            "/dead-letters/groups",
            Page[_Group],
            {"jobId": job, "acted": "true" if acted else None, "limit": limit},
        )
        return [_group(each) for each in page.items]

    def letters(
        self,
        *,
        job: str | None = None,
        group: str | None = None,
        state: LetterState | None = "open",
        before: str | None = None,
        limit: int = 50,
    ) -> list[LetterView]:
        """Those of the newest runs first; `group` is a fingerprint, `state=None` means all."""
        filters = {"jobId": job, "group": group, "state": state}
        found = self._client.pages("/dead-letters", _Letter, filters, start=before, limit=limit)
        return [_letter(each) for each in found]

    def show(self, run_id: str) -> LetterView:
        """The letter of a run; NotAllowed when the run has none."""
        return _letter(self._client.line.get(f"/dead-letters/{run_id}", _Letter))

    def redrive(
        self,
        *run_ids: str,
        group: str | None = None,
        args: Mapping[str, Any] | None = None,
        rate: str | None = None,
        why: str = "",
    ) -> list[Redriven]:
        """Run letters again as new runs, each at most once whoever asks; open ones of a group.

        500 at a time are one transaction; a `rate` such as `10/s` spreads the starts of a group.
        What fails again meanwhile is left alone.
        """
        asked = {"args": args, "rate": rate, "reason": why or None}
        return [
            Redriven(run_id=each.run_id, rerun_id=each.rerun_id, is_new=each.is_new)
            for body in self._chosen(run_ids, group, asked)
            for each in self._redrive(body)
        ]

    def discard(self, *run_ids: str, group: str | None = None, why: str = "") -> int:
        """Close letters that nobody will redrive; returns how many were open."""
        return sum(
            self._discard(body) for body in self._chosen(run_ids, group, {"reason": why or None})
        )

    def _redrive(self, body: dict[str, Any]) -> Iterator[_Redriven]:
        while True:
            done = self._client.line.post("/dead-letters/redrive", _RedrivenMany, body)
            yield from done.items
            if done.next is None:
                return
            body = body | {"cursor": done.next}

    def _discard(self, body: dict[str, Any]) -> int:
        gone = 0
        while True:
            done = self._client.line.post("/dead-letters/discard", _Discarded, body)
            gone += done.discarded
            if not done.left or not done.discarded:
                return gone

    @staticmethod
    def _chosen(
        run_ids: tuple[str, ...], group: str | None, asked: Mapping[str, Any]
    ) -> Iterator[dict[str, Any]]:
        if bool(run_ids) == (group is not None):
            raise BadInput("say which dead letters: some runs, or group= with a fingerprint")
        given = {name: value for name, value in asked.items() if value is not None}
        if group is not None:
            yield given | {"group": group}
            return
        once = tuple(dict.fromkeys(run_ids))
        for at in range(0, len(once), BATCH):
            yield given | {"ids": list(once[at : at + BATCH])}


def _group(group: _Group) -> LetterGroup:
    return LetterGroup(
        job=group.job,
        fingerprint=group.group,
        error_type=group.error_type,
        message=group.message,
        reason=group.reason,
        open=group.open,
        total=group.total,
        first_at=to_ms(group.first_at),
        last_at=to_ms(group.last_at),
        versions=group.versions,
    )


def _letter(letter: _Letter) -> LetterView:
    return LetterView(
        run_id=letter.run_id,
        job=letter.job,
        version=letter.version,
        fingerprint=letter.group,
        error_type=letter.error_type,
        message=letter.message,
        reason=letter.reason,
        died_at=to_ms(letter.died_at),
        state=letter.state,
        acted_at=None if letter.acted_at is None else to_ms(letter.acted_at),
        acted_by=letter.acted_by,
        rerun_id=letter.rerun_id,
    )
