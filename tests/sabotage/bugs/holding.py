"""Bugs in what a worker holds ready: who waits for it, and what people are told of it."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

HELD = "store/held_runs.py"
T_HELD = "tests/contract/runs/test_held.py::"
T_HOLDING = "tests/unit/workers/test_holding.py::"
T_RESERVE = "tests/unit/workers/test_prefetch.py::"

HOLDING = (
    Sabotage(
        name="held runs are kept",
        breaks="Slow runs wait at a worker that has no slot for them, and urgent ones behind them.",
        edits=(
            Edit(
                path="runtime/dispatch/give_back.py",
                within="PrefetchReturn.tick",
                old=" and self._reserve.is_hoard(not_begun, now_s)",
                new=" and False",
            ),
        ),
        caught_by=(
            T_HOLDING + "test_prefetched_runs_behind_busy_slots_are_given_back_without_an_attempt",
        ),
    ),
    Sabotage(
        name="a give-back burns an attempt",
        breaks="A run that nobody began has one attempt less.",
        edits=(
            Edit(
                path="runtime/dispatch/outcomes.py",
                within="_stopped",
                old='return _verdict(call, "release")',
                new='return _verdict(call, "reap", kind="lost")',
            ),
        ),
        caught_by=(
            T_HOLDING + "test_prefetched_runs_behind_busy_slots_are_given_back_without_an_attempt",
        ),
    ),
    Sabotage(
        name="no rest after a give-back",
        breaks="A worker claims and gives back the same runs again and again.",
        edits=(
            Edit(
                path="runtime/dispatch/prefetch.py",
                within="Prefetch.ahead",
                old=" or now_s < self._rests_until_s",
            ),
        ),
        caught_by=(
            T_RESERVE + "test_nothing_is_held_after_a_give_back_until_the_worker_has_rested",
        ),
    ),
    Sabotage(
        name="begin counted from the claim",
        breaks="A run of half a second is on record as twenty.",
        edits=(
            Edit(
                path=HELD,
                within="",
                old=" else run.started_at + coalesce(v.held_ms, 0) end",
                new=" else run.started_at end",
            ),
        ),
        caught_by=(
            T_HELD + "test_the_begin_of_a_handler_is_on_record_whoever_told_it_and_when[sqlite]",
        ),
    ),
    Sabotage(
        name="begin noted without the fence",
        breaks="A worker that lost a run moves the start of its successor.",
        edits=(
            Edit(
                path="store/sql/runs/finish.sql",
                within="note_begun",
                old="and run.fence = b.fence\n   and run.held_fence = b.fence",
                new="and true",
            ),
        ),
        caught_by=(T_HELD + "test_runs_given_back_keep_their_order_and_attempts[sqlite]",),
    ),
    Sabotage(
        name="held runs are shown to run",
        breaks="More runs are running than there are slots, all since a moment that is not true.",
        edits=(
            Edit(
                path=HELD,
                within="",
                old='"seen": "case when {columns:held} then {to:release} else state end"',
                new='"seen": "state"',
            ),
        ),
        caught_by=(T_HELD + "test_a_run_that_is_held_is_shown_to_wait_for_its_worker[sqlite]",),
    ),
    Sabotage(
        name="a pause is not for held runs",
        breaks="After a pause workers go on to begin what they hold ready.",
        edits=(
            Edit(
                path="engine/workers/heartbeat.py",
                within="changes",
                old='recalls=any(row["is_recalled"] for row in rows)',
                new="recalls=False",
            ),
        ),
        caught_by=(
            T_HELD
            + "test_a_prefetched_run_is_called_back_when_its_queue_or_job_stops[sqlite-queue]",
        ),
    ),
    Sabotage(
        name="a recall is not obeyed",
        breaks="After a pause workers go on to begin what they hold ready.",
        edits=(
            Edit(
                path="runtime/dispatch/give_back.py",
                within="PrefetchReturn.recall",
                old="self._give_back()",
                new="pass",
            ),
        ),
        caught_by=(T_HOLDING + "test_a_recall_gives_back_at_once_what_has_not_begun",),
    ),
)
