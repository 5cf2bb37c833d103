"""Bugs in who gets a run, when, and in which order."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

CLAIM = "store/sql/claim.sql"
T_CLAIM = "tests/contract/test_claim.py::"
T_LOCKS = "tests/contract/test_claim_locks.py::"
T_PROMOTE = "tests/contract/test_promote.py::"
T_REAP = "tests/contract/test_reap.py::"

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
            "tests/contract/test_claim_order.py::test_a_claim_of_one_takes_the_best_rank[sqlite]",
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
            "tests/contract/test_namespaces.py::test_a_claim_sees_its_own_namespace_only[sqlite]",
        ),
    ),
    Sabotage(
        name="promote before the time",
        breaks="Delayed runs and retries start at once.",
        edits=(
            Edit(
                path="store/sql/submit.sql",
                within="promote_runs",
                old="and ready_at <= {now}",
            ),
        ),
        caught_by=(
            T_PROMOTE + "test_a_run_is_promoted_when_its_time_has_come_and_not_before[sqlite]",
        ),
    ),
)
