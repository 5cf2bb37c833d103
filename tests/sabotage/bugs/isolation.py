"""Bugs in how what raises in a batch is kept apart from the others, and in restarts of graphs."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_APART = "tests/contract/failures/test_isolation.py::"
T_POISON = "tests/contract/failures/test_poison_property.py::"
T_RESTART = "tests/contract/graphs/test_restarts.py::"
T_DOCTOR = "tests/contract/insight/test_doctor.py::"
T_SERVICE = "tests/unit/workers/test_service.py::"
NOT_CAREFUL = "if not tx.is_careful:"
CHORES = T_POISON + "test_whatever_stands_in_the_rows_of_chores_the_others_go_on"

ISOLATION = (
    Sabotage(
        name="a claim that raises is tried again as it is",
        breaks="One run of a graph stops a worker: it claims nothing any more, in all its queues.",
        edits=(
            Edit(path="engine/graphs/expand.py", within="expand", old=NOT_CAREFUL, new="if True:"),
        ),
        caught_by=(T_APART + "test_only_the_run_that_raises_fails_in_a_batch_of_claims[sqlite]",),
    ),
    Sabotage(
        name="arguments that cannot be made raise in the transaction of another",
        breaks="A node that succeeded is lost, because the next one has a wrong argument.",
        edits=(
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts.start",
                old="except BadInput as error:",
                new="except MemoryError as error:",
            ),
        ),
        caught_by=(
            T_APART + "test_a_node_that_succeeded_stays_so_when_the_next_gets_no_arguments[sqlite]",
            T_APART
            + "test_a_first_node_that_gets_no_arguments_fails_and_the_claim_goes_on[sqlite]",
        ),
    ),
    Sabotage(
        name="a mapped node that fails leaves some of its instances",
        breaks="Instances run that belong to a node which has failed already.",
        edits=(
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts._fill",
                old="runs: list[NewRun] = []",
                new="runs = self._runs",
            ),
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts._fill",
                old="self._runs += runs",
                new="self._runs = runs",
            ),
        ),
        caught_by=(
            T_APART + "test_a_mapped_node_with_one_bad_item_leaves_no_instances_behind[sqlite]",
        ),
    ),
    Sabotage(
        name="a batch of endings is refused as a whole",
        breaks="One ending that the store does not take keeps all others of its batch.",
        edits=(
            Edit(path="engine/runs/finish.py", within="finish", old=NOT_CAREFUL, new="if True:"),
        ),
        caught_by=(
            T_APART
            + "test_an_ending_that_the_store_does_not_take_becomes_a_failure_with_the_reason"
            + "[sqlite]",
        ),
    ),
    Sabotage(
        name="a graph that cannot go on takes the node along that has ended",
        breaks="What has succeeded is recorded as failed, and done again by a rerun.",
        edits=(
            Edit(
                path="engine/graphs/advance.py", within="advance", old=NOT_CAREFUL, new="if True:"
            ),
        ),
        caught_by=(
            T_APART + "test_only_the_graph_that_cannot_go_on_fails_in_a_batch_of_endings[sqlite]",
        ),
    ),
    Sabotage(
        name="a part that raised is not taken back",
        breaks="Half of what a run did that failed stays in the database.",
        edits=(
            Edit(
                path="store/pending_wakeups.py",
                within="PendingWakeups.part",
                old='self._say("rollback to part")',
                new="pass",
            ),
        ),
        caught_by=(T_APART + "test_a_part_that_raises_is_taken_back_and_the_rest_is_kept[sqlite]",),
    ),
    Sabotage(
        name="a schedule that raises keeps all others from firing",
        breaks="No schedule fires, because one of them cannot be started.",
        edits=(
            Edit(path="engine/schedules/fire.py", within="fire", old=NOT_CAREFUL, new="if True:"),
        ),
        caught_by=(
            T_APART
            + "test_a_schedule_that_raises_while_it_is_fired_is_in_error_and_the_others_fire"
            + "[sqlite]",
        ),
    ),
    Sabotage(
        name="a run whose dependencies cannot be read keeps all others waiting",
        breaks="Runs that wait for other jobs are not let go, because of one row.",
        edits=(
            Edit(
                path="engine/admission/clear_dependents.py",
                within="clear_waiting",
                old="if tx.is_careful:",
                new="if False:",
            ),
        ),
        caught_by=(
            T_APART
            + "test_a_run_whose_dependencies_cannot_be_read_fails_and_the_others_are_let_go"
            + "[sqlite]",
        ),
    ),
    Sabotage(
        name="runs whose rows cannot be written are not weeded out",
        breaks="One row that the database refuses to change keeps all others in their queue.",
        edits=(
            Edit(
                path="engine/failures/poison_search.py",
                within="weeded",
                old=NOT_CAREFUL,
                new="if True:",
            ),
        ),
        caught_by=tuple(
            T_APART + f"test_a_run_whose_row_cannot_be_written_ends_and_the_others_start[{way}]"
            for way in ("sqlite-0-running-failed", "sqlite-1000-queued-cancelled")
        ),
    ),
    Sabotage(
        name="a chore does its batch only as a whole",
        breaks="Nobody is reaped or timed out any more, because one graph cannot be read.",
        edits=(
            Edit(
                path="runtime/chores/lifecycle.py",
                within="Chore.write",
                old="return write_apart(self._store.write, work, who=self.name)",
                new="return self._store.write(work)",
            ),
        ),
        caught_by=(f"{CHORES}[sqlite-a_graph_whose_worker_died]",),
    ),
    Sabotage(
        name="a breaker whose rule cannot be read stops the others",
        breaks="No breaker gets its probe any more.",
        edits=(
            Edit(
                path="engine/failures/breakers/probe.py",
                within="due_breakers",
                old="if has_readable_rule(row) and",
                new="if",
            ),
            Edit(
                path="runtime/chores/breakers.py",
                within="BreakerProber.tick",
                old="except Exception as error:",
                new="except MemoryError as error:",
            ),
        ),
        caught_by=(f"{CHORES}[sqlite-rule_of_an_open_breaker]",),
    ),
    Sabotage(
        name="a run without a definition is given back",
        breaks="A worker claims and gives back the same run for ever, as fast as it can.",
        edits=(
            Edit(
                path="runtime/dispatch/verdicts.py",
                within="unavailable",
                old="if isinstance(error, StoreUnavailable):",
                new="if True:",
            ),
        ),
        caught_by=(f"{CHORES}[sqlite-no_version_of_a_job]",),
    ),
    Sabotage(
        name="a service that fails is tried again whenever it is woken",
        breaks="A worker whose claims fail tries hundreds of times a second.",
        edits=(
            Edit(
                path="runtime/service.py",
                within="Service._rest",
                old=" and not self._is_broken",
                new="",
            ),
        ),
        caught_by=(T_SERVICE + "test_a_service_that_fails_rests_however_often_it_is_woken",),
    ),
    Sabotage(
        name="a worker that makes no progress does not say so",
        breaks="`rota why` and `rota doctor` take a worker for well whose claims all fail.",
        edits=(
            Edit(
                path="runtime/dispatch/stall.py",
                within="Stall.met",
                old="self._failures >= AGAIN",
                new="False",
            ),
        ),
        caught_by=(
            T_APART
            + "test_a_worker_whose_claims_fail_rests_says_so_on_record_and_takes_it_back[sqlite]",
        ),
    ),
    Sabotage(
        name="restarts that follow from a step are forgotten",
        breaks="A run of a graph with retries stays suspended for ever.",
        edits=(
            Edit(
                path="engine/graphs/restart.py",
                within="go_on",
                old="in outcome.restarts.items():",
                new="in ():",
            ),
        ),
        caught_by=tuple(
            T_RESTART
            + "test_whoever_lets_the_last_node_fail_the_run_begins_again_and_then_fails"
            + f"[sqlite-{way}]"
            for way in ("fail_by_end", "fail_by_mark", "fail_by_cancel")
        ),
    ),
    Sabotage(
        name="a graph in which nothing ran begins again",
        breaks="A thousand tries of what cannot work, in one transaction.",
        edits=(
            Edit(
                path="engine/graphs/complete.py",
                within="complete",
                old="verdict.run_id in ran and",
                new="",
            ),
        ),
        caught_by=(T_RESTART + "test_a_run_that_fails_while_it_begins_ends_at_once[sqlite]",),
    ),
    Sabotage(
        name="the details of an act are kept where a restart forgets them",
        breaks="To cancel the last node of a graph with retries is answered with an error.",
        edits=(
            Edit(
                path="engine/graphs/restart.py",
                within="_restart",
                old="tx.fresh.clear()",
                new="tx.fresh.clear(), [each.update(subject='') for each in tx.drafts.values()]",
            ),
        ),
        caught_by=(
            T_RESTART
            + "test_the_details_of_an_act_are_there_after_the_graph_has_begun_again[sqlite]",
        ),
    ),
    Sabotage(
        name="a graph that runs is taken for stuck",
        breaks="`rota doctor` reports every running graph as a problem.",
        edits=(
            Edit(
                path="store/sql/insight/doctor.sql",
                within="stuck_runs",
                old="where child.parent_id = run.id",
                new="where false",
            ),
        ),
        caught_by=(T_DOCTOR + "test_a_run_that_waits_for_another_run_is_not_stuck[sqlite]",),
    ),
)
