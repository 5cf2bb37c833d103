"""Submits to the store: submits of the same moment share a commit.

If the end of a commit is unknown, the store is asked for the ids of its runs; a commit is never
repeated blindly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rota.engine.runs.submit import submit
from rota.errors import DuplicateKey
from rota.handles.threads import awaitable
from rota.model.runs.run import NewRun, Submitted
from rota.model.values.artifact import LARGE
from rota.store.base import Tx
from rota.store.group_commit import GroupCommit
from rota.store.settled import settled_write

if TYPE_CHECKING:
    from rota.app.app import App

CHUNK = 1000
"""Runs per statement; a bigger submit is still one transaction."""


class Submits:
    """The submits of one app, from any thread."""

    def __init__(self, app: App) -> None:
        self._app = app
        self._commit: GroupCommit[Sequence[NewRun], list[Submitted]] = GroupCommit(self._flush)

    def record(self, runs: Sequence[NewRun]) -> list[Submitted]:
        """Record all runs or none, on disk on return; DuplicateKey if another call owns a key."""
        answers = self._commit(runs)
        return _granted(runs, answers)

    async def record_async(self, runs: Sequence[NewRun]) -> list[Submitted]:
        """Record as `record` does, in the same commits, while a thread of the app waits.

        Runs whose caller is cancelled before their commit begins are not recorded.
        """
        answers = self._commit.later(runs, self._app.threads.start)
        return _granted(runs, await awaitable(answers))

    def _flush(self, batches: list[Sequence[NewRun]]) -> Sequence[list[Submitted]]:
        is_one = len(batches) == 1
        runs = batches[0] if is_one else [run for batch in batches for run in batch]
        answers = settled_write(lambda is_repeat: self._insert(runs, is_repeat=is_repeat))
        if is_one:
            return [answers]
        each = iter(answers)
        return [[next(each) for _ in batch] for batch in batches]

    def _insert(self, runs: Sequence[NewRun], *, is_repeat: bool) -> list[Submitted]:
        namespace = self._app.namespace

        def insert(tx: Tx) -> list[Submitted]:
            answers: list[Submitted] = []
            for at in range(0, len(runs), CHUNK):
                chunk = runs[at : at + CHUNK]
                answers += submit(tx, chunk, namespace=namespace, is_repeat=is_repeat)
            return answers

        is_lone = not is_repeat and _is_one_statement(runs)
        return self._app.store.write(insert, lone=is_lone)


def _granted(runs: Sequence[NewRun], answers: list[Submitted]) -> list[Submitted]:
    for run, answer in zip(runs, answers, strict=True):
        if answer.refused:
            raise DuplicateKey(run.key or "", answer.id)
    return answers


def _is_one_statement(runs: Sequence[NewRun]) -> bool:
    for run in runs:  # a loop: a generator for each question is a call, and costs after a rest
        if run.key is not None or run.labels is not None or len(run.args) > LARGE:
            return False
    return len(runs) <= CHUNK
