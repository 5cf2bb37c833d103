"""Bugs in who gets a run, when, and in which order."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

CLAIM = "store/sql/runs/claim.sql"
T_CLAIM = "tests/contract/runs/test_claim.py::"
T_HOLDS = "tests/contract/admission/test_holds.py::"
T_LANES = "tests/contract/admission/test_lanes.py::"
T_LOCKS = "tests/contract/runs/test_claim_locks.py::"
T_PROMOTE = "tests/contract/runs/test_promote.py::"
T_REAP = "tests/contract/workers/test_reap.py::"

CLAIMING = (
    Sabotage(
        name="claim without the row lock (PostgreSQL)",
        breaks="Two workers that claim at the same moment get the same run.",
        edits=(Edit(path=CLAIM, within="claim_runs", old="{sql:skip_locked}"),),
        caught_by=(T_LOCKS + "test_two_claims_at_once_never_share_a_run",),
        on_postgres=True,
    ),
    Sabotage(
        name="claim without skip locked (PostgreSQL)",
        breaks="Workers queue up behind each other's claims.",
        edits=(
            Edit(path=CLAIM, within="claim_runs", old="{sql:skip_locked}", new="{sql:lock}"),
            Edit(
                path=CLAIM,
                within="claim_runs",
                old="select id\n          from rota.run\n",
                new="select id\n          from rota.run as run\n",
            ),
        ),
        caught_by=(T_LOCKS + "test_a_claim_does_not_wait_for_another",),
        on_postgres=True,
    ),
    Sabotage(
        name="claim without the state guard",
        breaks="A run that is being carried out is handed to a second worker.",
        edits=(
            Edit(
                path=CLAIM,
                within="claim_runs",
                old="where {from:claim}",
                new="where state in ('queued', 'running')",
            ),
        ),
        caught_by=(T_CLAIM + "test_no_run_is_handed_out_twice[sqlite]",),
    ),
    Sabotage(
        name="claim does not grow the fence",
        breaks="The lease of a dead worker still opens the run of its successor.",
        edits=(Edit(path=CLAIM, within="claim_runs", old="fence = fence + 1", new="fence = 1"),),
        caught_by=(
            T_REAP + "test_the_reaped_worker_cannot_finish_the_run_of_its_successor[sqlite]",
        ),
    ),
    Sabotage(
        name="claim ignores paused queues",
        breaks="Runs of a queue that somebody paused are started.",
        edits=(Edit(path=CLAIM, within="claim_runs", old="and q.is_paused", new="and false"),),
        caught_by=(
            T_CLAIM + "test_nothing_of_a_paused_queue_is_claimed_until_it_is_resumed[sqlite]",
        ),
    ),
    Sabotage(
        name="claim ignores the order",
        breaks="Priorities and waiting times do not decide who is next.",
        edits=(Edit(path=CLAIM, within="claim_runs", old="order by rank, id", new="order by id"),),
        caught_by=(
            "tests/contract/runs/test_claim_order.py::test_a_claim_of_one_takes_the_best_rank[sqlite]",
        ),
    ),
    Sabotage(
        name="claim starts expired runs",
        breaks="A run that waited too long is started all the same.",
        edits=(Edit(path=CLAIM, within="claim_runs", old="or expires_at > {now}", new="or true"),),
        caught_by=(T_CLAIM + "test_an_expired_run_is_not_claimed[sqlite]",),
    ),
    Sabotage(
        name="claim looks into other namespaces",
        breaks="A worker of one team carries out the runs of another.",
        edits=(
            Edit(
                path=CLAIM,
                within="claim_runs",
                old="           and namespace = :namespace\n",
                new="           and (namespace = :namespace or true)\n",
            ),
        ),
        caught_by=(
            "tests/contract/identity/test_namespaces.py::test_a_claim_sees_its_own_namespace_only[sqlite]",
        ),
    ),
    Sabotage(
        name="claim from the front reads lanes",
        breaks="Runs that cannot start are read at each claim, a million of them if there are.",
        edits=(
            Edit(
                path=CLAIM,
                within="claim_runs",
                old="           and {columns:in_front}\n",
                new="           and rank is not null\n",
            ),
        ),
        caught_by=(
            T_LANES + "test_a_run_that_moved_to_a_lane_is_not_claimed_from_the_front[sqlite]",
        ),
    ),
    Sabotage(
        name="claim never looks into lanes",
        breaks="A run that was moved out of the way is never started.",
        edits=(
            Edit(
                path="engine/runs/claim.py",
                within="_claim_from_lanes",
                old="in request.lanes.items():",
                new="in ():",
            ),
        ),
        caught_by=(T_LANES + "test_a_worker_that_knows_the_job_finds_its_lane[sqlite]",),
    ),
    Sabotage(
        name="lanes past the breaker",
        breaks="Runs of a job that its breaker holds back are started from their lane.",
        edits=(
            Edit(
                path="engine/runs/claim.py",
                within="_claim_from_lanes",
                old="for job in job_names if job not in held_back]",
                new="for job in job_names]",
            ),
        ),
        caught_by=(T_LANES + "test_the_breaker_of_a_job_holds_its_lane[sqlite]",),
    ),
    Sabotage(
        name="lanes past the pause of their queue",
        breaks="Runs of a queue that somebody paused are started from a lane.",
        edits=(Edit(path=CLAIM, within="pick_runs", old="and q.is_paused", new="and false"),),
        caught_by=(T_LANES + "test_a_paused_queue_gives_nothing_from_its_lanes[sqlite]",),
    ),
    Sabotage(
        name="lanes come last",
        breaks="A run that was moved out of the way waits for all that came after it.",
        edits=(
            Edit(
                path="engine/runs/claim.py",
                within="_order",
                old="rank_in_order(row[-1])",
                new="row[-1]",
            ),
        ),
        caught_by=(T_LANES + "test_wherever_runs_wait_they_are_claimed_in_their_order[sqlite-0]",),
    ),
    Sabotage(
        name="lanes without skip locked (PostgreSQL)",
        breaks="Workers queue up behind each other's claims from a lane.",
        edits=(Edit(path=CLAIM, within="pick_runs", old="{sql:skip_locked}"),),
        caught_by=(T_LOCKS + "test_a_claim_from_a_lane_does_not_wait_for_another",),
        on_postgres=True,
    ),
    Sabotage(
        name="full graphs are claimed",
        breaks="Runs of a graph that has as many as it may are claimed and put back one by one.",
        edits=(
            Edit(
                path="engine/admission/graph_runs.py",
                within="leave_full_graphs",
                old="claim_request.leave_out(job)",
                new="pass",
            ),
        ),
        caught_by=(T_LANES + "test_a_claim_leaves_runs_of_such_a_graph_where_they_are[sqlite]",),
    ),
    Sabotage(
        name="claims that do not know the quota",
        breaks="A namespace runs more at once than its quota allows.",
        edits=(
            Edit(
                path="engine/admission/quotas.py",
                within="narrow_to_quota",
                old="min(claim_request.limit, room)",
                new="claim_request.limit",
            ),
        ),
        caught_by=(T_HOLDS + "test_a_claim_does_not_start_what_is_held[sqlite-quota]",),
    ),
    Sabotage(
        name="claims that do not hold back",
        breaks="Runs of a job start beside those that they depend on.",
        edits=(
            Edit(
                path="engine/admission/admit.py",
                within="hold_back",
                old="if concerned:",
                new="if not concerned:",
            ),
        ),
        caught_by=(T_HOLDS + "test_a_claim_does_not_start_what_is_held[sqlite-dependencies]",),
    ),
    Sabotage(
        name="what is freed wakes nobody and stays pending",
        breaks="Runs wait for ever for what has ended.",
        edits=(
            Edit(
                path="engine/admission/release.py",
                within="release",
                old="if runs:",
                new="if not runs:",
            ),
        ),
        caught_by=(
            T_HOLDS + "test_a_run_starts_once_its_hold_is_released[sqlite-dependencies]",
            T_HOLDS + "test_a_run_starts_once_its_hold_is_released[sqlite-graph-pause]",
            T_HOLDS + "test_a_run_starts_once_its_hold_is_released[sqlite-overlap]",
        ),
    ),
    Sabotage(
        name="why does not ask the list",
        breaks="Nobody is told what a run waits for.",
        edits=(
            Edit(
                path="engine/insight/why.py",
                within="_why_held",
                old="next((reasons for reasons in answers if reasons), [])",
                new="next((reasons for reasons in answers if not reasons), [])",
            ),
        ),
        caught_by=(T_HOLDS + "test_why_tells_of_a_run_that_is_held[sqlite-graph-pause]",),
    ),
    Sabotage(
        name="promote before the time",
        breaks="Delayed runs and retries start at once.",
        edits=(
            Edit(
                path="store/sql/runs/submit.sql",
                within="promote_runs",
                old="and ready_at <= {now}",
            ),
        ),
        caught_by=(
            T_PROMOTE + "test_a_run_is_promoted_when_its_time_has_come_and_not_before[sqlite]",
        ),
    ),
)
