"""Bugs in how graphs end, and in who is told of failures."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_OUTCOMES = "tests/contract/graphs/test_outcomes.py::"
T_TOLD = "tests/contract/failures/test_on_failure.py::"
T_WHOLE = "tests/integration/test_on_failure.py::"
T_PLAIN = "tests/unit/graphs/test_graph_plain_calls.py::"
T_JOINS = "tests/unit/graphs/test_joins.py::"
TOLD = "engine/failures/on_failure.py"

OUTCOMES = (
    Sabotage(
        name="a graph is judged by its leaves alone",
        breaks="An alert after a failure makes the failed run a success.",
        edits=(
            Edit(
                path="engine/graphs/complete.py",
                within="complete",
                old="if planned.counts:",
                new="if planned.is_leaf:",
            ),
        ),
        caught_by=(
            T_OUTCOMES
            + "test_a_graph_whose_returned_node_did_not_succeed_has_failed[sqlite-result0]",
        ),
    ),
    Sabotage(
        name="a returned node that was skipped fails the graph",
        breaks="After a branch no graph can return what the chosen way gave.",
        edits=(
            Edit(
                path="rules/graphs/outcome.py",
                within="outcome_of",
                old="(Ending.FAILED, Ending.UPSTREAM_FAILED)",
                new="(Ending.FAILED, Ending.UPSTREAM_FAILED, Ending.SKIPPED)",
            ),
        ),
        caught_by=(T_JOINS + "test_a_run_fails_with_a_node_that_it_returns[failed-result0]",),
    ),
    Sabotage(
        name="a result that asks how a node ended fails with it",
        breaks="A graph that deals with a failure in its result fails all the same.",
        edits=(
            Edit(
                path="rules/graphs/mentioned.py",
                within="returned_nodes",
                old='if field != "result"}',
                new='if field == "x"}',
            ),
        ),
        caught_by=(
            T_JOINS + "test_a_result_that_asks_how_a_node_ended_bears_its_failure[result6]",
        ),
    ),
    Sabotage(
        name="a notify counts for the outcome",
        breaks="A mail server that is away makes a good run a failed one.",
        edits=(
            Edit(
                path="model/graphs/graph.py",
                within="",
                old='ASIDE: tuple[Kind, ...] = ("teardown", "notify")',
                new='ASIDE: tuple[Kind, ...] = ("teardown",)',
            ),
        ),
        caught_by=(T_JOINS + "test_a_notify_counts_for_nothing_and_hides_nothing",),
    ),
    Sabotage(
        name="a failed notify stops the others",
        breaks="A mail that cannot be sent cancels the work it was to tell of.",
        edits=(
            Edit(
                path="engine/graphs/failure_modes.py",
                within="fail_fast",
                old="(node.kind in ASIDE and not node.fails_run)",
                new="(node.fails_run is None)",
            ),
        ),
        caught_by=(T_OUTCOMES + "test_a_notify_that_fails_stops_nothing[sqlite]",),
    ),
    Sabotage(
        name="the first failure keeps a notify from starting",
        breaks="In the modes finish and fail_fast nobody is told.",
        edits=(
            Edit(
                path="engine/graphs/failure_modes.py",
                within="halt",
                old="node.kind in words.spares:",
                new='node.kind == "teardown":',
            ),
        ),
        caught_by=(T_OUTCOMES + "test_a_notify_runs_though_no_others_may_start[sqlite-finish]",),
    ),
    Sabotage(
        name="a failed notify is named as the cause",
        breaks="The reason of a failed run tells of the alert instead of what failed.",
        edits=(
            Edit(
                path="engine/graphs/complete.py",
                within="complete",
                old='if planned.node.kind == "notify":',
                new='if planned.node.kind == "none":',
            ),
        ),
        caught_by=(T_OUTCOMES + "test_a_notify_runs_and_changes_no_outcome[sqlite-fail]",),
    ),
    Sabotage(
        name="something may come after a notify",
        breaks="How a notify ends decides what runs.",
        edits=(
            Edit(
                path="rules/graphs/plan.py",
                within="_check_below_notify",
                old="not in ASIDE",
                new="in ()",
            ),
        ),
        caught_by=(
            T_JOINS + "test_a_join_that_lets_a_notify_node_decide_is_refused"
            "[nodes0-None-node 'b': it comes after 'tell', a notify]",
        ),
    ),
    Sabotage(
        name="the error of a failed node is its result",
        breaks="A node after a failure takes the error for what the failed one gave back.",
        edits=(
            Edit(
                path="engine/graphs/nodes/results.py",
                within="_keep",
                old="read_error(result), None",
                new="read_error(result), result",
            ),
        ),
        caught_by=(T_OUTCOMES + "test_a_handler_is_given_the_error_of_what_failed[sqlite]",),
    ),
    Sabotage(
        name="a plain call runs every kind of node",
        breaks="A test of a graph goes both ways of a branch and sees no difference.",
        edits=(
            Edit(
                path="app/graphs/plain.py",
                within="_why_not",
                old='if node.kind != "work":',
                new='if node.kind == "none":',
            ),
        ),
        caught_by=(
            T_PLAIN + "test_a_plain_call_refuses_run_only_nodes_before_it_calls_any"
            "[choosing-node 'note': kind='branch']",
        ),
    ),
    Sabotage(
        name="a plain call runs what comes after a skipped node",
        breaks="A test of a graph calls a job that a run would skip.",
        edits=(
            Edit(
                path="app/graphs/plain.py",
                within="_is_allowed",
                old="skipped = ended.count(Ending.SKIPPED)",
                new="skipped = ended.count(Ending.REMOVED)",
            ),
        ),
        caught_by=(
            T_PLAIN + "test_a_node_after_a_skipped_one_is_skipped_unless_its_join_bears_that",
        ),
    ),
    Sabotage(
        name="an ending that is sent again is told again",
        breaks="One failure, two alerts, whenever an answer gets lost.",
        edits=(
            Edit(
                path=TOLD,
                within="tell_failures",
                old="is_repeat=True",
                new="is_repeat=False",
            ),
        ),
        caught_by=(T_TOLD + "test_an_ending_that_is_sent_again_is_told_once[sqlite]",),
    ),
    Sabotage(
        name="who is told is told of itself",
        breaks="An alert that fails starts another one, for ever.",
        edits=(
            Edit(
                path=TOLD,
                within="tell_failures",
                old='if failure_of(row["policy"]) is None and',
                new="if",
            ),
        ),
        caught_by=(T_TOLD + "test_the_failure_of_who_is_told_is_told_to_nobody[sqlite]",),
    ),
    Sabotage(
        name="nodes of a graph that tells do not know it",
        breaks="A graph that is told of a job and has a node of that job starts itself for ever.",
        edits=(
            Edit(
                path="engine/graphs/graph_run.py",
                within="policy_for",
                old="failure_of=graph_run.failure_of,",
                new="failure_of=None,",
            ),
        ),
        caught_by=(T_TOLD + "test_nodes_of_a_graph_that_is_told_are_told_to_nobody[sqlite]",),
    ),
    Sabotage(
        name="an expired run is told to nobody",
        breaks="A job that never got its turn fails in silence.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_note_failures",
                old="if not verdict.quiet}",
                new="if not verdict.quiet and _leaves_letter(verdict)}",
            ),
        ),
        caught_by=(
            T_TOLD + "test_every_way_to_fail_for_good_is_told[sqlite-expired]",
            T_TOLD + "test_the_job_of_a_node_is_told_of_too[sqlite]",
        ),
    ),
    Sabotage(
        name="who does not know is quiet",
        breaks="Failures that no worker judged (lost, expired, of graphs) are told to nobody.",
        edits=(
            Edit(
                path="model/runs/run.py",
                within="Verdict",
                old="quiet: bool = False",
                new="quiet: bool = True",
            ),
        ),
        caught_by=(T_TOLD + "test_every_way_to_fail_for_good_is_told[sqlite-lost]",),
    ),
    Sabotage(
        name="nobody is quiet",
        breaks="Each failed node pays for a look at who might be told.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_note_failures",
                old="if not verdict.quiet}",
                new="if verdict.verb}",
            ),
        ),
        caught_by=(T_TOLD + "test_a_job_without_on_failure_costs_no_statement[sqlite]",),
    ),
    Sabotage(
        name="on_failure may name a job that is not there",
        breaks="A typing error is found when the first alert does not come.",
        edits=(
            Edit(
                path="rules/failures/on_failure.py",
                within="check_told",
                old="if handler not in specs:",
                new="if handler not in specs:\n            continue\n        if not handler:",
            ),
        ),
        caught_by=(T_WHOLE + "test_a_submit_of_a_job_that_names_nobody_known_is_refused[sqlite]",),
    ),
    Sabotage(
        name="a credential has any job told",
        breaks="Who may define jobs in one queue starts jobs of others through on_failure.",
        edits=(
            Edit(
                path="rules/security/rights.py",
                within="started_by",
                old="yield handler",
                new="yield from ()",
            ),
        ),
        caught_by=(
            "tests/unit/failures/test_on_failure.py::test_a_job_names_another_by_itself_or_by_its_name",
        ),
    ),
)
