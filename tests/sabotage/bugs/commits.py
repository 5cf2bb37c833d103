"""Bugs in what an answer promises: commits, groups, durability, waiting."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

SQLITE = "store/sqlite/store.py"
T_ANSWERS = "tests/integration/test_submit_answers.py::"
T_AWAITING = "tests/integration/test_awaiting.py::"
T_COMBINER = "tests/unit/store/test_group_commit.py::"
T_DURABLE = "tests/contract/store/test_durability.py::"
T_RIDERS = "tests/contract/store/test_participants.py::"
T_SEEN = "tests/contract/store/test_answers.py::"
T_WITHIN = "tests/contract/runs/test_within_async.py::"
T_RESULTS = "tests/integration/test_worker_results.py::"

COMMITS = (
    Sabotage(
        name="acknowledge before the commit",
        breaks="A submit is answered while its transaction is still on its way.",
        edits=(
            Edit(
                path="app/jobs/submits.py",
                within="record",
                old="answers = self._commit(runs)",
                new=(
                    "__import__('threading').Thread(target=self._commit, args=(runs,)).start()\n"
                    "        answers = [Submitted(id=run.id) for run in runs]"
                ),
            ),
        ),
        caught_by=(T_ANSWERS + "test_a_submit_whose_commit_fails_is_told_so[sqlite]",),
    ),
    Sabotage(
        name="acknowledge an awaited submit before the commit",
        breaks="A coroutine is told that its run is recorded while the commit is still to come.",
        edits=(
            Edit(
                path="app/jobs/submits.py",
                within="record_async",
                old="await awaitable(answers)",
                new="[Submitted(id=run.id) for run in runs]",
            ),
        ),
        caught_by=(T_AWAITING + "test_the_loop_goes_on_while_the_store_is_busy[sqlite]",),
    ),
    Sabotage(
        name="within on a connection of asyncpg that commits by itself",
        breaks="A run exists although the transaction that it was meant for is rolled back.",
        edits=(
            Edit(
                path="store/foreign/async_connections.py",
                within="_Asyncpg.is_loose",
                old="return not self.is_begun()",
                new="return False",
            ),
        ),
        caught_by=(T_WITHIN + "test_a_connection_that_commits_by_itself_is_refused",),
        on_postgres=True,
    ),
    Sabotage(
        name="group commit answers early",
        breaks="A group is committed when the next one comes; a crash in between loses it.",
        edits=(
            Edit(path=SQLITE, within="_flush", old='execute("commit")', new='execute("select 1")'),
            Edit(
                path=SQLITE,
                within="_flush",
                old='self._writer.execute("begin immediate")',
                new=(
                    'self._writer.in_transaction and self._writer.execute("commit")\n'
                    '                self._writer.execute("begin immediate")'
                ),
            ),
        ),
        caught_by=(T_SEEN + "test_a_committed_write_is_seen_by_everybody[sqlite]",),
    ),
    Sabotage(
        name="a failed group tells its leader only",
        breaks="Callers that shared a commit that failed believe that theirs succeeded.",
        edits=(
            Edit(
                path="store/group_commit.py",
                within="_lead",
                old="answers = [error] * len(batch)",
                new="answers = [error, *[None] * (len(batch) - 1)]",
            ),
        ),
        caught_by=(T_COMBINER + "test_a_flush_that_breaks_tells_everybody_and_the_next_works",),
    ),
    Sabotage(
        name="a failed work is committed in part",
        breaks="What a caller was told has failed is on record all the same.",
        edits=(Edit(path=SQLITE, within="_attempt", old='"rollback to work"', new='"select 1"'),),
        caught_by=(
            "tests/contract/store/test_group_commit.py::test_a_work_that_fails_is_rolled_back_alone",
        ),
    ),
    Sabotage(
        name="riders not told of a failed commit",
        breaks="A worker waits for ever for the end of a transaction that it claimed in.",
        edits=(Edit(path=SQLITE, within="_give_up", old="joined.fail()", new="pass"),),
        caught_by=(T_RIDERS + "test_riders_hear_of_a_commit_that_sqlite_rolled_back_by_itself",),
    ),
    Sabotage(
        name="synchronous off",
        breaks="A power cut loses what was acknowledged.",
        edits=(
            Edit(
                path=SQLITE,
                within="",
                old='"pragma synchronous = full"',
                new='"pragma synchronous = off"',
            ),
        ),
        caught_by=(T_DURABLE + "test_a_sqlite_store_writes_through_to_the_disk",),
    ),
    Sabotage(
        name="synchronous_commit off (PostgreSQL)",
        breaks="A crash of the server loses what was acknowledged.",
        edits=(
            Edit(
                path="store/postgres/connections/connection.py",
                within="",
                old='BEGIN = b"begin"',
                new='BEGIN = b"begin; set local synchronous_commit = off"',
            ),
        ),
        caught_by=(T_SEEN + "test_no_transaction_asks_for_less_than_the_disk",),
        on_postgres=True,
    ),
    Sabotage(
        name="wait returns before the end",
        breaks="Whoever waits for a result is told at the first sign of life.",
        edits=(
            Edit(path="app/waiter.py", within="_wait", old="if left_s <= 0:", new="if is_known:"),
        ),
        caught_by=(T_ANSWERS + "test_waiting_lasts_until_the_end_of_the_run[sqlite]",),
    ),
    Sabotage(
        name="nobody is ever rung",
        breaks="All hints are lost; the polls are the truth and make everything complete.",
        edits=(
            Edit(
                path="store/wakeups.py",
                within="ring",
                old="for key in keys:",
                new="for key in ():",
            ),
        ),
        caught_by=(
            T_RESULTS + "test_the_result_of_a_sync_function_comes_back[sqlite]",
            T_RESULTS + "test_the_result_of_a_sync_function_comes_back[postgres]",
            T_RESULTS + "test_delayed_runs_start_in_the_order_of_their_time_and_not_before[sqlite]",
            T_RESULTS + "test_a_paused_queue_waits_and_goes_on_when_it_is_resumed[sqlite]",
        ),
        on_postgres=True,
        is_harmless=True,
    ),
)
