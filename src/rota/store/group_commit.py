"""Group commit: callers that arrive together share one flush.

The first caller leads: it flushes what has gathered and answers all; callers that arrive meanwhile
are the next batch. Alone, a caller pays no thread hop; in a crowd, one commit serves all (measured
in ADR 2). Callers that must not wait get a future; a thread that they name leads for them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from threading import Lock
from typing import Generic, TypeVar

from rota.errors import CommitUnknown

Ask = TypeVar("Ask")
Answer = TypeVar("Answer")


Work = Callable[[], None]


class _Waiting(Generic[Ask, Answer]):
    """An ask of a thread, which sleeps until it is answered or has to lead."""

    __slots__ = ("answer", "ask", "done", "leads", "turn")

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.answer: Answer | BaseException | None = None
        self.done = False
        self.leads = False
        self.turn = Lock()
        self.turn.acquire()

    def begins(self) -> bool:
        """Whether the answer is still wanted; from now on it comes."""
        return True

    def wake(self) -> None:
        """Tell that the ask is answered, or has to lead."""
        self.turn.release()


class _Later(_Waiting[Ask, Answer]):
    """An ask whose answer goes to a future; `lead` has another thread lead for it."""

    __slots__ = ("_lead", "future")

    def __init__(self, ask: Ask, lead: Callable[[], object]) -> None:
        super().__init__(ask)
        self._lead = lead
        self.future: Future[Answer] = Future()

    def begins(self) -> bool:
        return self.future.set_running_or_notify_cancel()

    def wake(self) -> None:
        if not self.done:
            self._lead()
        elif isinstance(self.answer, BaseException):
            self.future.set_exception(self.answer)
        else:
            self.future.set_result(self.answer)  # type: ignore[arg-type]  # set before `done`


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

    def later(self, ask: Ask, start: Callable[[Work], object]) -> Future[Answer]:
        """Return a future of the answer; it can be cancelled until its flush begins.

        `start` does some work in another thread.
        """
        waiting: _Later[Ask, Answer] = _Later(ask, lambda: start(self._lead))
        with self._lock:
            self._waiting.append(waiting)
            is_first = not self._leading
            self._leading = True
        if is_first:
            waiting.wake()
        return waiting.future

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
            batch = [each for each in self._waiting[: self._limit] if each.begins()]
            del self._waiting[: self._limit]
        answers: Sequence[Answer | BaseException] | None = None
        try:
            answers = self._flush([each.ask for each in batch]) if batch else ()
        except Exception as error:  # noqa: BLE001  # everybody in the batch must be answered
            answers = [error] * len(batch)
        finally:  # also after Ctrl-C, which is for this caller alone
            if answers is None:
                answers = [_interrupted()] * len(batch)
            for each, answer in zip(batch, answers, strict=True):
                each.answer = answer
                each.done = True
                each.wake()
            with self._lock:
                self._hand_over()

    def _hand_over(self) -> None:
        """Name the next leader; the lock is held."""
        if not self._waiting:
            self._leading = False
            return
        heir = self._waiting[0]
        heir.leads = True
        heir.wake()


def _interrupted() -> CommitUnknown:
    return CommitUnknown("the write was interrupted; whether it took place is not known")
