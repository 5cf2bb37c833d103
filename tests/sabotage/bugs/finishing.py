"""Bugs in how attempts end: fences, guards, cancels, budgets."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

FINISH = "store/sql/runs/finish.sql"
SQLITE_FINISH = "store/sql/sqlite/finish.sql"
T_CANCEL = "tests/contract/runs/test_cancel.py::"
T_FINISH = "tests/contract/runs/test_finish.py::"
T_HEART = "tests/contract/workers/test_heartbeat.py::"
T_REAP = "tests/contract/workers/test_reap.py::"
T_WALK = "tests/contract/runs/test_transitions.py::"
OWN_STATES = T_WALK + "test_a_verb_acts_only_from_its_own_states"
WRONG_FENCE = T_WALK + "test_a_wrong_fence_changes_nothing_even_where_the_verb_is_allowed"
LOST_LEASE = T_FINISH + "test_a_worker_that_lost_its_lease_cannot_finish_the_run"

FENCE = "and run.fence = v.fence"
NO_FENCE = "and v.fence is not null"

FINISHING = (
    Sabotage(
        name="finish without the fence",
        breaks="A worker that lost its lease closes the attempt of its successor.",
        edits=(Edit(path=SQLITE_FINISH, within="close_runs", old=FENCE, new=NO_FENCE, times=2),),
        caught_by=(f"{LOST_LEASE}[sqlite-succeed]", f"{WRONG_FENCE}[sqlite-abort--1]"),
    ),
    Sabotage(
        name="finish without the fence (PostgreSQL)",
        breaks="A worker that lost its lease closes the attempt of its successor.",
        edits=(Edit(path=FINISH, within="close_runs", old=FENCE, new=NO_FENCE),),
        caught_by=(f"{LOST_LEASE}[postgres-succeed]",),
        on_postgres=True,
    ),
    Sabotage(
        name="finish without the state guard",
        breaks="A run that was given back and waits in its queue can be closed.",
        edits=(
            Edit(
                path=SQLITE_FINISH,
                within="close_runs",
                old="and {allowed:final}",
                new="and {becomes:final} is not null",
                times=2,
            ),
        ),
        caught_by=(f"{OWN_STATES}[sqlite-queued-succeed]",),
    ),
    Sabotage(
        name="retry without the fence",
        breaks="A late failure sends the attempt of another worker into its backoff.",
        edits=(Edit(path=FINISH, within="retry_runs", old=FENCE, new=NO_FENCE),),
        caught_by=(f"{LOST_LEASE}[sqlite-retry]",),
    ),
    Sabotage(
        name="release without the fence",
        breaks="A worker gives back a run that another one is carrying out.",
        edits=(Edit(path=FINISH, within="requeue_runs", old=FENCE, new=NO_FENCE),),
        caught_by=(f"{LOST_LEASE}[sqlite-release]",),
    ),
    Sabotage(
        name="give back without the state guard",
        breaks="A reaper counts a crash of a run that waits in its queue.",
        edits=(
            Edit(
                path=FINISH,
                within="requeue_runs",
                old="and {allowed:queued}",
                new="and {becomes:queued} is not null",
            ),
        ),
        caught_by=(f"{OWN_STATES}[sqlite-queued-reap]",),
    ),
    Sabotage(
        name="record without the fence",
        breaks="An attempt that was lost leaves a second record of its end.",
        edits=(Edit(path=FINISH, within="record_attempts", old=FENCE, new=NO_FENCE),),
        caught_by=(f"{WRONG_FENCE}[sqlite-fail-1]",),
    ),
    Sabotage(
        name="retry after a cancel",
        breaks="A run starts again although its cancel was acknowledged.",
        edits=(Edit(path=FINISH, within="retry_runs", old="and not run.cancel_requested"),),
        caught_by=(T_CANCEL + "test_no_attempt_follows_an_acknowledged_cancel[sqlite-retry]",),
    ),
    Sabotage(
        name="cancel is not told",
        breaks="A worker never hears that one of its runs should stop.",
        edits=(
            Edit(
                path="store/sql/workers/registry.sql",
                within="held_changes",
                old="or c.cancel_requested",
            ),
        ),
        caught_by=(T_CANCEL + "test_a_running_run_is_asked_and_its_worker_is_told[sqlite]",),
    ),
    Sabotage(
        name="release burns an attempt",
        breaks="A drain counts against the attempts of the runs it gives back.",
        edits=(
            Edit(
                path=FINISH,
                within="requeue_runs",
                old="case when v.verb = 'release' then 1 else 0 end",
                new="0",
            ),
        ),
        caught_by=(T_FINISH + "test_a_release_leaves_no_trace_but_the_fence[sqlite]",),
    ),
    Sabotage(
        name="a second delivery is a lost lease",
        breaks="A verdict whose answer got lost is taken for somebody else's.",
        edits=(
            Edit(path=FINISH, within="not_closed", old="where not exists (", new="where 1 in ("),
        ),
        caught_by=(T_FINISH + "test_the_same_verdict_sent_again_is_not_a_lost_lease[sqlite]",),
    ),
    Sabotage(
        name="progress without the fence",
        breaks="A worker that lost its lease overwrites the progress of its successor.",
        edits=(Edit(path=FINISH, within="note_progress", old="and run.fence = p.fence"),),
        caught_by=(T_HEART + "test_progress_of_a_lost_lease_is_dropped[sqlite]",),
    ),
    Sabotage(
        name="crash budget ignored",
        breaks="A run that kills its processes is tried for ever.",
        edits=(
            Edit(
                path="rules/failures/retry.py",
                within="quarantine",
                old="crashes < limit",
                new="crashes > 0",
            ),
        ),
        caught_by=(
            T_REAP + "test_a_run_that_was_alone_in_three_processes_that_died_is_given_up[sqlite]",
        ),
    ),
    Sabotage(
        name="crashes count although others shared the process",
        breaks="Deploys, kills and bad neighbours put innocent runs into quarantine.",
        edits=(
            Edit(
                path=FINISH,
                within="count_crashes",
                old="and kind = 'crash'",
                new="and kind in ('crash', 'lost')",
            ),
        ),
        caught_by=(
            T_REAP + "test_a_run_that_was_alone_in_three_processes_that_died_is_given_up[sqlite]",
        ),
    ),
    Sabotage(
        name="a run may kill its workers for ever",
        breaks="A program of one run kills the worker again and again, and all runs beside.",
        edits=(
            Edit(
                path="engine/workers/reap.py",
                within="take_back_of_dead",
                old="alone if len(alone) == 1 else ()",
                new="()",
            ),
        ),
        caught_by=(
            T_REAP + "test_a_run_whose_workers_die_while_it_alone_is_suspected_is_given_up[sqlite]",
        ),
    ),
    Sabotage(
        name="all suspects pay for the death of their worker",
        breaks="An innocent run is given up for the one beside it.",
        edits=(
            Edit(
                path="engine/workers/reap.py",
                within="take_back_of_dead",
                old="alone if len(alone) == 1 else ()",
                new="alone",
            ),
        ),
        caught_by=(T_REAP + "test_none_of_several_suspects_is_given_up_for_its_worker[sqlite]",),
    ),
    Sabotage(
        name="a server says how long a run waits",
        breaks="One header of a stranger parks a run for years.",
        edits=(
            Edit(
                path="rules/failures/retry.py",
                within="_as_asked",
                old="most_ms = longest_ms(policy)",
                new="most_ms = 10**400",
            ),
        ),
        caught_by=(
            "tests/unit/failures/test_retry.py::test_rt_06_without_a_cap_of_its_own_it_is_an_hour",
        ),
    ),
    Sabotage(
        name="at_most_once repeated after a crash",
        breaks="A job that must not run twice does when its worker dies.",
        edits=(
            Edit(
                path="rules/failures/retry.py",
                within="after_loss",
                old="if at_most_once:",
                new="if not at_most_once and at_most_once:",
            ),
        ),
        caught_by=(T_REAP + "test_an_at_most_once_run_is_lost_not_repeated[sqlite]",),
    ),
)
