"""What becomes of a run whose process died."""

from __future__ import annotations

import msgspec
import pytest

from rota.model.runs.run import Verdict
from rota.runtime.attempts.attempt import Attempt, Stopped, StopReason
from rota.runtime.dispatch.outcomes import judge
from rota.runtime.executors.endings import crashed
from rota.runtime.executors.outside_signals import came_with_our_end
from tests.support.calls import call_of
from tests.support.handlers import add


def verdict_on_crash(call: Attempt, *, was_alone: bool) -> Verdict:
    verdict = judge(call, crashed("its process was killed by SIGSEGV", was_alone=was_alone))
    assert verdict is not None
    return verdict


def test_the_death_of_a_process_of_its_own_counts_up_to_the_limit_of_the_job() -> None:
    verdict = verdict_on_crash(call_of(add), was_alone=True)

    assert (verdict.verb, verdict.kind, verdict.max_crashes) == ("reap", "crash", 3)
    assert verdict.reason == "its process was killed by SIGSEGV"


def test_a_process_that_others_had_used_proves_nothing() -> None:
    verdict = verdict_on_crash(call_of(add), was_alone=False)

    assert (verdict.verb, verdict.kind, verdict.max_crashes) == ("reap", "lost", 0)
    assert verdict.error is not None
    assert "other runs had used it before" in verdict.error


def test_a_child_that_was_told_to_end_with_its_worker_is_nobodys_fault() -> None:
    answers = iter([False, False, True])

    assert came_with_our_end(15, lambda: next(answers))
    assert not came_with_our_end(15, lambda: False)
    assert not came_with_our_end(11, lambda: True), "nobody sends SIGSEGV to a service"
    assert not came_with_our_end(None, lambda: True)


@pytest.mark.parametrize("why", ["drain", "cut_off", "held"])
def test_a_run_at_most_once_that_has_begun_is_never_given_back(why: StopReason) -> None:
    call = call_of(add)
    call.lease = msgspec.structs.replace(call.lease, at_most_once=True)

    before = judge(call, Stopped(why))
    call.started_s = 1.0
    after = judge(call, Stopped(why))

    assert before is not None
    assert after is not None
    assert (before.verb, after.verb) == ("release", "fail")
