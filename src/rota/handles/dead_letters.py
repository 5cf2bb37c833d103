"""Handles for dead letters: list them, redrive or discard one, many or a group."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from rota.errors import BadInput
from rota.handles.backend import Backend
from rota.handles.pages import all_items
from rota.model.failures.dead_letter import LetterGroup, LetterState, LetterView, Redriven
from rota.operations.failures import letter_choice
from rota.operations.failures.dead_letters import (
    RedriveBody,
    discard_letters,
    list_letter_groups,
    list_letters,
    redrive_letters,
    show_letter,
)
from rota.operations.failures.letter_choice import (
    LetterProgress,
    LettersBody,
    check_one_job,
    refuse,
)

Told = Callable[[int], None]


def _tell_nobody(letters: int) -> None:
    del letters


class DeadLetters:
    """Runs that failed for good: retries used up, quarantined, given up, lost, undecodable.

    Get them as `app.dead_letters` or `client.dead_letters`.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def groups(
        self,
        *,
        job: str | None = None,
        group: str | None = None,
        acted: bool = False,
        limit: int = 100,
    ) -> list[LetterGroup]:
        """Return letters by job and cause, most open first; `acted` includes finished groups.

        `group` is a fingerprint, for this group alone.
        """
        return self._backend.call(
            list_letter_groups, job=job, group=group, acted=acted, limit=limit
        ).items

    def letters(
        self,
        *,
        job: str | None = None,
        group: str | None = None,
        state: LetterState | None = "open",
        before: str | None = None,
        limit: int = 50,
    ) -> list[LetterView]:
        """Return letters, newest runs first; `group` is a fingerprint, `state=None` means all."""
        filters = {"job": job, "group": group, "letter_state": state}
        return all_items(self._backend, list_letters, start=before, limit=limit, **filters)

    def show(self, run_id: str) -> LetterView:
        """Return the letter of a run; NotAllowed when the run has none."""
        return self._backend.call(show_letter, run_id)

    def redrive(  # one choice each, all named
        self,
        *run_ids: str,
        group: str | None = None,
        args: Mapping[str, Any] | None = None,
        rate: str | None = None,
        who: str | None = None,
        why: str = "",
        told: Told | None = None,
    ) -> list[Redriven]:
        """Run letters, or the open ones of a group, again as new runs, each at most once.

        `args` replace the arguments of all of them and are checked as in a submit; a `rate` such as
        `10/s` spreads their starts, on disk at once. A letter that is redriven already answers the
        run it became; a discarded one raises NotAllowed and nothing is changed. Batches of 500 are
        committed one by one; `told` is called with the size of each.
        """
        backend, told = self._backend.acting_as(who), told or _tell_nobody
        arguments = None if args is None else dict(args)
        body = partial(RedriveBody, args=arguments, rate=rate, reason=why or None)
        redriven: list[Redriven] = []
        if _is_group(run_ids, group):
            cursor, is_first = None, True
            while is_first or cursor is not None:
                part = backend.call(redrive_letters, body(group=group, cursor=cursor))
                redriven += part.items
                told(len(part.items))
                cursor, is_first = part.next, False
            return redriven
        for ids in self._batches(run_ids, refused="discarded", is_one_job=args is not None):
            new = sum(each.is_new for each in redriven)
            further = LetterProgress(0, new, ids[0]).text() if new else None
            redriven += backend.call(redrive_letters, body(ids=ids, cursor=further)).items
            told(len(ids))
        return redriven

    def discard(
        self,
        *run_ids: str,
        group: str | None = None,
        who: str | None = None,
        why: str = "",
        told: Told | None = None,
    ) -> int:
        """Close letters that nobody will redrive; return how many were open.

        Their runs stay as they are until retention. A letter that is redriven raises NotAllowed and
        nothing is changed.
        """
        backend, told = self._backend.acting_as(who), told or _tell_nobody
        body = partial(LettersBody, reason=why or None)
        discarded = 0
        if _is_group(run_ids, group):
            while True:
                part = backend.call(discard_letters, body(group=group))
                discarded += part.discarded
                told(part.discarded)
                if not part.left or not part.discarded:
                    return discarded
        for ids in self._batches(run_ids, refused="redriven"):
            discarded += backend.call(discard_letters, body(ids=ids)).discarded
            told(len(ids))
        return discarded

    def _batches(
        self, run_ids: Sequence[str], *, refused: LetterState, is_one_job: bool = False
    ) -> Iterator[list[str]]:
        """Yield the runs in batches, one for each call.

        If a store needs several batches, all letters are checked before one is changed.
        """
        ids = list(dict.fromkeys(run_ids))
        size = letter_choice.AT_ONCE
        if len(ids) > size and self._backend.batch is None:
            letters = [self.show(run_id) for run_id in ids]
            for letter in letters:
                refuse(letter, refused)
            if is_one_job:
                check_one_job({letter.job for letter in letters})
        for at in range(0, len(ids), size):
            yield ids[at : at + size]


def _is_group(run_ids: Sequence[str], group: str | None) -> bool:
    if bool(run_ids) == (group is not None):
        raise BadInput("say which dead letters: some runs, or group= with a fingerprint")
    return group is not None
