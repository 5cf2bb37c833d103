"""Bugs in how nodes end of which something still works."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_STOP = "tests/contract/graphs/test_stopping.py::"
T_FAILURES = "tests/contract/graphs/test_failures.py::"

STOPPING = (
    Sabotage(
        name="a node does not wait for what it stops",
        breaks="Teardowns and retries begin while handlers of a failed map or a marked node work.",
        edits=(
            Edit(
                path="engine/graphs/stopping.py",
                within="end_after_its_runs",
                old="if not waits:",
                new="if True:",
            ),
        ),
        caught_by=(
            T_STOP
            + "test_a_teardown_waits_until_the_items_of_a_failed_map_have_stopped[sqlite-ignore]",
            T_STOP + "test_a_retry_waits_until_the_items_of_a_failed_map_have_stopped[sqlite]",
            T_STOP
            + "test_a_teardown_waits_for_the_handler_of_a_node_that_is_marked[sqlite-failed]",
        ),
    ),
    Sabotage(
        name="a cancelled graph inside ends before its handlers",
        breaks="A graph clears away while nodes of a graph inside of it still work.",
        edits=(
            Edit(
                path="engine/graphs/wind_down.py",
                within="wind_down",
                old="each in awaited and _works(tx, graph_run)",
                new="False",
            ),
        ),
        caught_by=(
            T_STOP + "test_a_cancelled_graph_clears_away_when_all_inside_has_stopped[sqlite]",
            T_STOP + "test_a_retry_begins_when_all_of_the_try_before_has_ended[sqlite-]",
        ),
    ),
    Sabotage(
        name="nodes of a graph that a try left behind go on",
        breaks="A graph that is no item of its map any more is cancelled, and its nodes are not.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_close",
                old="_followed(tx, verdicts, lost, gone, namespace)",
                new="_followed(tx, verdicts, {*lost, *gone}, gone, namespace)",
            ),
        ),
        caught_by=(
            T_STOP
            + "test_a_graph_that_a_try_has_left_behind_is_cancelled_with_all_its_nodes[sqlite]",
        ),
    ),
    Sabotage(
        name="a map that is being stopped makes more instances",
        breaks="Items begin after one too many has failed.",
        edits=(
            Edit(
                path="engine/graphs/nodes/mapped.py",
                within="instance_ended",
                old="        if not has_live_instances",
                new="        propagation.starts.refill(graph_run, row)\n"
                "        if not has_live_instances",
            ),
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts.fill_maps",
                old="row.is_final or is_stopping(row)",
                new="row.is_final",
            ),
        ),
        caught_by=(
            T_STOP
            + "test_items_that_run_when_another_node_fails_end_before_their_node_does"
            + "[sqlite-finish]",
        ),
    ),
    Sabotage(
        name="a second mark waits, too",
        breaks="Nobody can go on without a handler that does not stop.",
        edits=(
            Edit(
                path="engine/graphs/control.py",
                within="mark",
                old="not is_aside and not (before and before.is_marked)",
                new="not is_aside",
            ),
        ),
        caught_by=(T_STOP + "test_marking_a_node_again_does_not_wait_for_its_handler[sqlite]",),
    ),
    Sabotage(
        name="a pause forgets that a map is being stopped",
        breaks="People who ask why read that a failed map is paused.",
        edits=(
            Edit(
                path="engine/graphs/control.py",
                within="pause",
                old=" and not is_stopping(row)",
                new="",
            ),
        ),
        caught_by=(T_STOP + "test_a_map_that_is_being_stopped_stays_so_through_a_pause[sqlite]",),
    ),
    Sabotage(
        name="how a node will end is taken for its result",
        breaks="A node that asks for the result of one that is being stopped gets a note of ours.",
        edits=(
            Edit(
                path="engine/graphs/nodes/results.py",
                within="NodeResults._keep",
                old=' and row.state != "active"',
                new="",
            ),
        ),
        caught_by=(T_STOP + "test_a_node_that_is_being_stopped_has_no_result_yet[sqlite]",),
    ),
    Sabotage(
        name="the first failure is not told",
        breaks="Under fail_fast the reason of the run names a node and not what went wrong.",
        edits=(
            Edit(
                path="engine/graphs/complete.py",
                within="_first_failed",
                old="[each for each in failed if each.name == name] or ",
                new="",
            ),
        ),
        caught_by=(
            T_FAILURES + "test_after_a_failure_no_others_start[sqlite-fail_fast-active-True]",
        ),
    ),
)
