"""The checker of the chaos run sees every lie: a good story passes, each doctored one does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chaos.calllog import Logged
from chaos.checker import INVARIANTS, check
from chaos.facts import Begun, Ended, Facts, Policy, Tried, Written

POLICIES = {
    "effect": Policy(limit=2, delay_ms=300, is_transactional=True),
    "receipt": Policy(limit=2, delay_ms=300, has_receipt=True),
    "flaky": Policy(limit=3, delay_ms=300),
    "once": Policy(limit=0, delay_ms=300, at_most_once=True),
}


def ended(run_id: str, job: str, number: int, **facts: Any) -> Ended:
    said: dict[str, Any] = {
        "state": "success",
        "attempt": 1,
        "failures": 0,
        "crashes": 0,
        "fence": 1,
        "started_ms": 1000,
        "finished_ms": 1100,
    }
    return Ended(run_id=run_id, job=job, number=number, **said | facts)


def tried(run_id: str, number: int, **facts: Any) -> Tried:
    said: dict[str, Any] = {
        "fence": number,
        "kind": "error",
        "worker_id": "w",
        "started_ms": number * 1000,
        "ended_ms": number * 1000 + 100,
    }
    return Tried(run_id=run_id, number=number, **said | facts)


def submitted(run_id: str, number: int, **facts: Any) -> Logged:
    said: dict[str, Any] = {"client": 0, "turn": 0, "op": "submit", "answer": "ok"}
    return Logged(**said | {"ids": (run_id,), "numbers": (number,), "answered_ms": 900} | facts)


def cancelled(run_id: str, **facts: Any) -> Logged:
    said: dict[str, Any] = {"client": 0, "turn": 0, "op": "cancel", "answer": "ok"}
    return Logged(**said | {"ids": (run_id,), "state": "cancelled", "answered_ms": 1500} | facts)


EFFECT = ended("e", "effect", 1, key="k")
RECEIPT = ended("r", "receipt", 2)
FLAKY = ended("f", "flaky", 3, attempt=3, failures=1, crashes=1, fence=3, planned_failures=1)
FLAKY = replace(FLAKY, started_ms=3000, finished_ms=3100)
ONCE = ended("o", "once", 4)
STOPPED = ended("c", "effect", 5, state="cancelled", attempt=0, fence=0, started_ms=None)
GOOD = Facts(
    policies=POLICIES,
    ended=[EFFECT, RECEIPT, FLAKY, ONCE, STOPPED],
    tried=[tried("f", 1), tried("f", 2, kind="lost")],
    effects=[Written(run_id="e", fence=1, number=1)],
    receipts=[Written(run_id="r", fence=1, number=2)],
    begun=[Begun(run_id=run, fence=1, attempt=1) for run in "erfo"],
    calls=[
        submitted("e", 1, key="k"),
        submitted("e", 1, key="k", op="repeat"),
        submitted("", 9, key="k", op="conflict", answer="refused", ids=()),
        submitted("r", 2),
        submitted("f", 3, answer="unknown", ids=()),
        submitted("o", 4),
        submitted("c", 5),
        cancelled("c"),
    ],
    seen={"e": ("success", 1, 1100)},
    looks=3,
    sessions={"chaos-1": 16},
    drain_ms=100,
    drain_limit_ms=1000,
)


def with_end(old: Ended, **changes: Any) -> dict[str, Any]:
    return {"ended": [replace(old, **changes) if e is old else e for e in GOOD.ended]}


def with_more(field: str, *more: Any) -> dict[str, Any]:
    return {field: [*getattr(GOOD, field), *more]}


def test_a_good_story_breaks_no_promise_and_every_invariant_had_something_to_check() -> None:
    found = check(GOOD)

    assert {number: each.violations for number, each in found.items() if each.violations} == {}
    assert all(each.checked for each in found.values())


DOCTORED: list[tuple[str, str, dict[str, Any]]] = [
    ("S1", "twice in history", with_more("ended", EFFECT)),
    ("S1", "live after its end", {"live": ["e"]}),
    ("S1", "an end that changed", {"seen": {"e": ("failed", 1, 1100)}}),
    ("S1", "an end that vanished", {"seen": {"x": ("success", 1, 1100)}}),
    ("S2", "an acknowledged run is gone", {"ended": [e for e in GOOD.ended if e is not ONCE]}),
    ("S2", "the run holds other arguments", with_end(ONCE, number=44)),
    ("S3", "a run that nobody asked for", with_more("ended", ended("x", "once", 77))),
    (
        "S3",
        "a run of a submit that failed",
        {"calls": [*GOOD.calls[:-3], submitted("o", 4, answer="fail", ids=()), *GOOD.calls[-2:]]},
    ),
    ("S3", "two runs of one submit", with_more("ended", ended("x", "once", 4))),
    ("S4", "no effect of a success", {"effects": []}),
    ("S4", "two effects", with_more("effects", *GOOD.effects)),
    (
        "S4",
        "an effect of a cancelled run",
        with_more("effects", Written(run_id="c", fence=1, number=5)),
    ),
    ("S4", "an effect of no run", with_more("effects", Written(run_id="x", fence=1, number=5))),
    ("S4r", "no row beside the receipt", {"receipts": []}),
    ("S4r", "two rows beside the receipt", with_more("receipts", *GOOD.receipts)),
    ("S5", "an effect of an older fence", with_end(EFFECT, fence=2)),
    (
        "S5",
        "two attempts under one fence",
        {"tried": [tried("f", 1), tried("f", 2, kind="lost", fence=1)]},
    ),
    (
        "S5",
        "an attempt after the last fence",
        {"tried": [tried("f", 1), tried("f", 2, kind="lost", fence=9)]},
    ),
    ("S5", "a body began twice under a fence", with_more("begun", GOOD.begun[0])),
    ("S5", "a body began after the end", with_more("begun", Begun(run_id="e", fence=2, attempt=2))),
    ("S6", "a gap", {"tried": [tried("f", 2, kind="lost"), tried("f", 3)]}),
    ("S6", "an attempt is missing", {"tried": [tried("f", 1)]}),
    (
        "S6",
        "two attempts at once",
        {"tried": [tried("f", 1, ended_ms=2500), tried("f", 2, kind="lost")]},
    ),
    ("S7", "a failure is not counted", with_end(FLAKY, failures=0)),
    (
        "S7",
        "more errors than retries",
        with_end(EFFECT, attempt=5, failures=4, fence=5, started_ms=9000)
        | with_more("tried", *(tried("e", n) for n in (1, 2, 3, 4))),
    ),
    (
        "S7",
        "more crashes than the cap",
        with_end(EFFECT, attempt=5, crashes=4, fence=5, started_ms=9000)
        | with_more("tried", *(tried("e", n, kind="crash") for n in (1, 2, 3, 4))),
    ),
    (
        "S7",
        "a retry before its time",
        {"tried": [tried("f", 1, ended_ms=1900), tried("f", 2, kind="lost")]},
    ),
    ("S7", "a success that was meant to fail", with_end(FLAKY, planned_failures=3)),
    ("S7", "a failure that was not meant", with_end(FLAKY, planned_failures=0)),
    ("S11", "two runs for a key", with_more("calls", submitted("x", 1, key="k"))),
    ("S11", "a key on two runs", with_more("ended", ended("x", "effect", 1, key="k"))),
    ("S11", "another payload was taken", with_more("calls", submitted("e", 9, key="k"))),
    (
        "S11",
        "refused without a reason",
        {"calls": [submitted("e", 1, key="k"), submitted("e", 1, key="k", answer="refused")]},
    ),
    ("S15", "an attempt after the cancel", with_end(STOPPED, started_ms=1600)),
    (
        "S15",
        "another attempt after a cancel that found one running",
        with_more("calls", cancelled("f", state="running", answered_ms=2050)),
    ),
    ("S15", "a cancelled run that ended otherwise", with_end(STOPPED, state="failed")),
    (
        "S15",
        "an effect after the cancel",
        with_more("calls", cancelled("e", state="running")),
    ),
    ("S16", "a second start", with_more("begun", Begun(run_id="o", fence=2, attempt=2))),
    ("S16", "a success without a start", {"begun": [b for b in GOOD.begun if b.run_id != "o"]}),
    ("S18", "a run without a waker", {"stuck": ["x"]}),
    ("L1", "a run that never ended", {"live": ["x"]}),
    ("L1", "it took too long", {"drain_ms": 1001}),
    ("L2", "more connections than are promised", {"sessions": {"chaos-1": 17}}),
]


@pytest.mark.parametrize(("number", "lie", "changes"), DOCTORED, ids=[each[1] for each in DOCTORED])
def test_a_doctored_story_is_flagged(number: str, lie: str, changes: dict[str, Any]) -> None:
    found = check(replace(GOOD, **changes))

    assert found[number].violations


def test_a_prefetched_run_may_begin_before_its_worker_hears_of_the_cancel() -> None:
    """It was claimed before; the answer `running` says that a worker was asked to stop it."""
    facts = replace(GOOD, **with_more("calls", cancelled("f", state="running", answered_ms=900)))
    held = replace(facts, **with_end(FLAKY, state="cancelled", attempt=1, crashes=0))
    held = replace(held, tried=[tried("f", 1)])

    assert check(held)["S15"].violations == ()
    assert check(facts)["S15"].violations, "two more attempts"


def test_every_invariant_has_a_doctored_story() -> None:
    assert {number for number, _, _ in DOCTORED} == {each.number for each in INVARIANTS}
