"""The combiner: right answers to the right callers, whoever leads, whatever breaks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain

import pytest

from rota.errors import StoreUnavailable
from rota.store.group_commit import GroupCommit


class Flusher:
    """Doubles what it is asked; can be held, and remembers its batches."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.entered = threading.Event()
        self.free = threading.Event()
        self.free.set()

    def __call__(self, asks: list[int]) -> Sequence[int | BaseException]:
        self.batches.append(asks)
        self.entered.set()
        assert self.free.wait(20)
        return [2 * ask if ask >= 0 else ValueError(f"no {ask}") for ask in asks]

    def hold(self) -> None:
        self.entered.clear()
        self.free.clear()


def start(act: Callable[[], int]) -> tuple[threading.Thread, Future[int]]:
    future: Future[int] = Future()

    def run() -> None:
        try:
            future.set_result(act())
        except BaseException as error:  # noqa: BLE001  # raised where the answer is asked for
            future.set_exception(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, future


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def waiting(combiner: GroupCommit[int, int]) -> int:
    return len(combiner._waiting)


def test_a_single_caller_gets_its_answer_on_its_own_thread() -> None:
    threads: list[int] = []

    def flush(asks: list[int]) -> list[int]:
        threads.append(threading.get_ident())
        return asks

    assert GroupCommit(flush)(7) == 7
    assert threads == [threading.get_ident()]


def test_sixteen_threads_get_their_own_answers() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush)

    def ask(first: int) -> bool:
        return all(combiner(n) == 2 * n for n in range(first, first + 500))

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(ask, range(0, 16_000, 1_000)))

    assert sorted(chain(*flush.batches)) == sorted(
        n for first in range(0, 16_000, 1_000) for n in range(first, first + 500)
    )
    assert (combiner._waiting, combiner._leading) == ([], False)


def test_callers_that_arrive_during_a_flush_share_the_next_in_order() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush, limit=3)
    flush.hold()
    futures = [start(lambda: combiner(0))[1]]
    assert flush.entered.wait(20)
    for n in range(1, 6):
        futures.append(start(lambda n=n: combiner(n))[1])  # type: ignore[misc]  # bound on purpose
        until(lambda n=n: waiting(combiner) == n)  # type: ignore[misc]  # bound on purpose

    flush.free.set()

    assert [future.result(20) for future in futures] == [0, 2, 4, 6, 8, 10]
    assert flush.batches == [[0], [1, 2, 3], [4, 5]]


def test_an_error_reaches_its_own_caller_only() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush)
    flush.hold()
    futures = [start(lambda: combiner(0))[1]]
    assert flush.entered.wait(20)
    futures += [start(lambda n=n: combiner(n))[1] for n in (1, -1, 2)]  # type: ignore[misc]  # bound on purpose
    until(lambda: waiting(combiner) == 3)

    flush.free.set()

    with pytest.raises(ValueError, match="no -1"):
        futures[2].result(20)
    assert [futures[n].result(20) for n in (0, 1, 3)] == [0, 2, 4]


def test_a_flush_that_breaks_tells_everybody_and_the_next_works() -> None:
    broken = threading.Event()
    broken.set()
    flush = Flusher()

    def maybe(asks: list[int]) -> Sequence[int | BaseException]:
        answers = flush(asks)
        if broken.is_set():
            raise OSError("disk full")
        return answers

    combiner: GroupCommit[int, int] = GroupCommit(maybe)
    flush.hold()
    futures = [start(lambda: combiner(0))[1]]
    assert flush.entered.wait(20)
    futures += [start(lambda: combiner(1))[1] for _ in range(3)]
    until(lambda: waiting(combiner) == 3)
    flush.free.set()

    for future in futures:
        with pytest.raises(OSError, match="disk full"):
            future.result(20)
    broken.clear()
    assert combiner(4) == 8


def test_ctrl_c_in_the_leader_is_for_the_leader_alone() -> None:
    flush = Flusher()
    gate = threading.Event()

    def interrupted_once(asks: list[int]) -> Sequence[int | BaseException]:
        if 0 in asks:
            flush.entered.set()
            assert gate.wait(20)
            raise KeyboardInterrupt
        return flush(asks)

    combiner: GroupCommit[int, int] = GroupCommit(interrupted_once)
    flush.entered.clear()
    leader = start(lambda: combiner(0))[1]
    assert flush.entered.wait(20)
    follower = start(lambda: combiner(3))[1]
    until(lambda: waiting(combiner) == 1)
    gate.set()

    with pytest.raises(KeyboardInterrupt):
        leader.result(20)
    assert follower.result(20) == 6


def test_writers_of_an_interrupted_flush_get_commit_unknown() -> None:
    flush = Flusher()

    def interrupted(asks: list[int]) -> Sequence[int | BaseException]:
        answers = flush(asks)
        if 1 in asks:
            raise KeyboardInterrupt
        return answers

    combiner: GroupCommit[int, int] = GroupCommit(interrupted)
    flush.hold()
    first = start(lambda: combiner(0))[1]
    assert flush.entered.wait(20)
    heir = start(lambda: combiner(1))[1]
    until(lambda: waiting(combiner) == 1)
    sharer = start(lambda: combiner(2))[1]
    until(lambda: waiting(combiner) == 2)
    flush.free.set()

    assert first.result(20) == 0
    with pytest.raises(KeyboardInterrupt):
        heir.result(20)
    with pytest.raises(StoreUnavailable, match="not known"):
        sharer.result(20)
    assert combiner(5) == 10


class SlowTurn:
    """A lock whose first wait ends with Ctrl-C, as a real one does on the main thread."""

    def __init__(self, real: threading.Lock) -> None:
        self._real = real

    def acquire(self) -> bool:
        raise KeyboardInterrupt

    def release(self) -> None:
        self._real.release()


@pytest.mark.parametrize("named_first", [False, True])
def test_ctrl_c_of_a_waiting_follower_does_not_stall_the_others(
    monkeypatch: pytest.MonkeyPatch, *, named_first: bool
) -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush)
    flush.hold()
    first = start(lambda: combiner(0))[1]
    assert flush.entered.wait(20)
    real_wait = combiner._wait
    reached, go = threading.Event(), threading.Event()

    def interrupted_wait(mine: object) -> None:
        if mine.ask == 1:  # type: ignore[attr-defined]  # the private noun of the combiner
            reached.set()
            assert go.wait(20)
            mine.turn = SlowTurn(mine.turn)  # type: ignore[attr-defined]
        real_wait(mine)  # type: ignore[arg-type]

    monkeypatch.setattr(combiner, "_wait", interrupted_wait)
    impatient = start(lambda: combiner(1))[1]
    assert reached.wait(20)
    other = start(lambda: combiner(2))[1]
    until(lambda: waiting(combiner) == 2)
    if named_first:
        flush.free.set()
        first.result(20)
        go.set()
    else:
        go.set()
        until(lambda: waiting(combiner) == 1)
        flush.free.set()

    with pytest.raises(KeyboardInterrupt):
        impatient.result(20)
    assert (first.result(20), other.result(20)) == (0, 4)
    assert combiner(6) == 12
    assert [1] not in flush.batches


class SlowToLeave:
    """A lock after which one thread does nothing for a while, as a busy machine may have it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.slow: threading.Thread | None = None
        self.left = threading.Event()
        self.goes_on = threading.Event()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        if threading.current_thread() is self.slow:
            self.slow = None
            self.left.set()
            assert self.goes_on.wait(20)


def test_one_who_is_to_lead_before_it_has_begun_to_wait_leads_and_the_next_too() -> None:
    flusher = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flusher)
    lock = SlowToLeave()
    combiner._lock = lock  # type: ignore[assignment]
    flusher.hold()
    first, one = start(lambda: combiner(1))
    assert flusher.entered.wait(20)
    begins = threading.Event()

    def late() -> int:
        lock.slow = threading.current_thread()
        begins.set()
        return combiner(2)

    _, two = start(late)
    assert begins.wait(20)
    assert lock.left.wait(20)
    flusher.free.set()
    first.join(20)  # it has handed over to one that is not waiting yet
    lock.goes_on.set()

    assert (one.result(20), two.result(20)) == (2, 4)
    assert start(lambda: combiner(3))[1].result(20) == 6


def test_an_answer_that_comes_later_leaves_its_caller_free() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush, limit=3)
    flush.hold()
    with ThreadPoolExecutor(1) as pool:
        futures = [combiner.later(n, pool.submit) for n in range(4)]
        assert flush.entered.wait(20)
        futures += [combiner.later(n, pool.submit) for n in (-1, 4)]
        sync = start(lambda: combiner(5))[1]
        until(lambda: waiting(combiner) + len(list(chain(*flush.batches))) == 7)
        flush.free.set()

        assert [futures[n].result(20) for n in (0, 1, 2, 3, 5)] == [0, 2, 4, 6, 8]
        assert sync.result(20) == 10
        with pytest.raises(ValueError, match="no -1"):
            futures[4].result(20)
    assert len(flush.batches) <= 4
    assert (combiner._waiting, combiner._leading) == ([], False)


def test_an_ask_that_is_cancelled_before_its_flush_is_not_made() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush)
    flush.hold()
    with ThreadPoolExecutor(1) as pool:
        first = combiner.later(0, pool.submit)
        assert flush.entered.wait(20)
        heir, other, last = (combiner.later(n, pool.submit) for n in (1, 2, 3))

        assert heir.cancel()
        assert last.cancel()
        assert not first.cancel()
        flush.free.set()

        assert (first.result(20), other.result(20)) == (0, 4)
        assert combiner(4) == 8
    assert flush.batches == [[0], [2], [4]]


def test_when_all_of_a_batch_are_cancelled_the_next_caller_leads() -> None:
    flush = Flusher()
    combiner: GroupCommit[int, int] = GroupCommit(flush)
    flush.hold()
    with ThreadPoolExecutor(1) as pool:
        first = combiner.later(0, pool.submit)
        assert flush.entered.wait(20)
        assert combiner.later(1, pool.submit).cancel()
        flush.free.set()

        assert first.result(20) == 0
        assert combiner.later(2, pool.submit).result(20) == 4
    assert flush.batches == [[0], [2]]
