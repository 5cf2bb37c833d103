"""Group commit: callers that arrive together share one flush.

The first caller leads: it flushes what has gathered and answers all; callers that arrive meanwhile
are the next batch. Alone, a caller pays no thread hop; in a crowd, one commit serves all (measured
in ADR 2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from rota.errors import CommitUnknown

Ask = TypeVar("Ask")
Answer = TypeVar("Answer")


class _Waiting(Generic[Ask, Answer]):
    __slots__ = ("answer", "ask", "done", "leads", "turn")

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.answer: Answer | BaseException | None = None
        self.done = False
        self.leads = False
        self.turn = Lock()
        self.turn.acquire()


class GroupCommit(Generic[Ask, Answer]):
    """Batches concurrent asks; `flush` gets a list and returns an answer for each.

    An answer that is an exception is raised in its own caller only.
    """

    def __init__(
        self, flush: Callable[[list[Ask]], Sequence[Answer | BaseException]], *, limit: int = 500
    ) -> None:
        self._flush = flush
        self._limit = limit
        self._lock = Lock()
        self._leading = False
        self._waiting: list[_Waiting[Ask, Answer]] = []

    def __call__(self, ask: Ask) -> Answer:
        waiting: _Waiting[Ask, Answer] = _Waiting(ask)
        with self._lock:
            self._waiting.append(waiting)
            waiting.leads = is_first = not self._leading
            self._leading = True
        if not is_first:  # not `leads`: that may be set by now, with a turn that we have to take
            self._wait(waiting)
        if not waiting.done:
            self._lead()
        if isinstance(waiting.answer, BaseException):
            raise waiting.answer
        return waiting.answer  # type: ignore[return-value]  # set by the leader before `done`

    def _wait(self, mine: _Waiting[Ask, Answer]) -> None:
        try:
            mine.turn.acquire()
        except BaseException:  # Ctrl-C while waiting: the others must not wait for us
            with self._lock:
                if mine in self._waiting:
                    self._waiting.remove(mine)
                if mine.leads and not mine.done:
                    self._hand_over()
            raise

    def _lead(self) -> None:
        with self._lock:
            batch = self._waiting[: self._limit]
            del self._waiting[: self._limit]
        answers: Sequence[Answer | BaseException] | None = None
        try:
            answers = self._flush([each.ask for each in batch])
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            answers = [error] * len(batch)
        finally:  # also after Ctrl-C, which is for this caller alone
            if answers is None:
                answers = [_interrupted()] * len(batch)
            for each, answer in zip(batch, answers, strict=True):
                each.answer = answer
                each.done = True
                each.turn.release()
            with self._lock:
                self._hand_over()

    def _hand_over(self) -> None:
        """Name the next leader; the lock is held."""
        if not self._waiting:
            self._leading = False
            return
        heir = self._waiting[0]
        heir.leads = True
        heir.turn.release()


def _interrupted() -> CommitUnknown:
    return CommitUnknown("the write was interrupted; whether it took place is not known")
