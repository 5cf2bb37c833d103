"""Bugs in how runs of graphs end, are done again, and depend on their past."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_DOWN = "tests/contract/graphs/test_teardowns.py::"
T_REDO = "tests/contract/graphs/test_redo.py::"
T_PAST = "tests/contract/graphs/test_past.py::"
T_POLICIES = "tests/contract/graphs/test_node_policies.py::"

LIFE_CYCLES = (
    Sabotage(
        name="a cancel skips teardowns",
        breaks="What a setup has made stays when the run of its graph is cancelled or times out.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_wind_down",
                old="if not asked:",
                new="if asked:",
            ),
        ),
        caught_by=(
            T_DOWN + "test_a_cancelled_run_clears_away_what_it_has_set_up_and_then_ends[sqlite]",
            T_DOWN + "test_a_run_that_takes_too_long_clears_away_and_then_fails[sqlite]",
        ),
    ),
    Sabotage(
        name="the timeout of a graph counts for its teardowns",
        breaks="A run that took too long is found so again and again while it clears away.",
        edits=(
            Edit(
                path="store/sql/graphs/graphs.sql",
                within="note_winding_down",
                old="expires_at = null",
                new="expires_at = expires_at",
            ),
        ),
        caught_by=(T_DOWN + "test_a_run_that_takes_too_long_clears_away_and_then_fails[sqlite]",),
    ),
    Sabotage(
        name="whoever has an old fence ends a graph",
        breaks="A verdict about an earlier claim of a run stops its nodes.",
        edits=(
            Edit(
                path="engine/graphs/wind_down.py",
                within="wind_down",
                old="if fences.get(each.run_id) == each.fence",
                new="if each.run_id in fences",
            ),
            Edit(
                path="store/sql/graphs/graphs.sql",
                within="note_winding_down",
                old="and fence = :fence",
                new="and :fence = :fence",
            ),
        ),
        caught_by=(T_DOWN + "test_an_old_fence_ends_nothing[sqlite]",),
    ),
    Sabotage(
        name="a cancelled run with retries begins again",
        breaks="A run that somebody has cancelled starts anew when its teardown fails.",
        edits=(
            Edit(
                path="engine/graphs/complete.py",
                within="_verdict",
                old="if how := decided(end.result):",
                new="if (how := decided(end.result)) and not bad:",
            ),
            Edit(
                path="engine/graphs/complete.py",
                within="complete",
                old="is_worth and decided(",
                new="is_worth or decided(",
            ),
        ),
        caught_by=(
            T_DOWN + "test_a_teardown_that_fails_does_not_change_how_the_run_ends[sqlite-counted]",
        ),
    ),
    Sabotage(
        name="a graph inside is left behind by the one around it",
        breaks="A run clears away while a graph inside of it still needs what it has made.",
        edits=(
            Edit(
                path="engine/graphs/failure_modes.py",
                within="stop_runs",
                old='child["state"] not in _BEGUN',
                new='child["state"] != State.RUNNING',
            ),
        ),
        caught_by=(
            T_DOWN + "test_what_is_around_a_graph_is_cleared_away_after_what_is_inside[sqlite]",
            T_DOWN + "test_a_graph_inside_may_finish_when_the_mode_lets_what_runs_finish[sqlite]",
        ),
    ),
    Sabotage(
        name="force stops at the outermost graph",
        breaks="Teardowns of graphs inside run although somebody has said not to.",
        edits=(
            Edit(
                path="engine/graphs/abandon.py",
                within="abandon",
                old="if verdict.force",
                new="if not verdict.force",
            ),
        ),
        caught_by=(T_DOWN + "test_force_goes_through_to_graphs_inside[sqlite]",),
    ),
    Sabotage(
        name="teardowns of a paused run wait for a resume",
        breaks="A paused run that is cancelled, or fails fast, never ends.",
        edits=(
            Edit(
                path="engine/graphs/failure_modes.py",
                within="halt",
                old="            if was_paused:\n"
                "                _wake(propagation, graph_run, row)",
                new="            pass",
            ),
            Edit(
                path="engine/graphs/failure_modes.py",
                within="halt",
                old="    if was_paused:\n        _unblock(propagation, graph_run, words)",
                new="",
            ),
        ),
        caught_by=(
            T_DOWN + "test_a_paused_run_that_is_cancelled_clears_away[sqlite]",
            T_DOWN + "test_a_teardown_that_a_pause_holds_runs_when_the_run_is_cancelled[sqlite]",
            T_DOWN + "test_a_failure_in_a_paused_run_that_fails_fast_clears_away[sqlite]",
        ),
    ),
    Sabotage(
        name="items are kept although their list is another",
        breaks="Results of an old list stand in the place of those of a new one.",
        edits=(
            Edit(
                path="engine/graphs/redo.py",
                within="continued",
                old="set(failed) - below",
                new="set(failed)",
            ),
        ),
        caught_by=(T_REDO + "test_a_list_of_a_node_that_is_done_again_is_another_list[sqlite]",),
    ),
    Sabotage(
        name="items are kept although the parameters are others",
        breaks="A rerun with other parameters gives results of the old ones.",
        edits=(
            Edit(
                path="engine/graphs/control.py",
                within="rerun_graph",
                old=" and args in (None, old.args)",
                new="",
            ),
        ),
        caught_by=(T_REDO + "test_other_parameters_do_all_items_again[sqlite]",),
    ),
    Sabotage(
        name="items of a list before the last are kept",
        breaks="After a try with another list, an item of the first list counts as done.",
        edits=(
            Edit(
                path="engine/graphs/redo.py",
                within="in_place",
                old="earlier or EarlierTry(is_mixed=True)",
                new="earlier or EarlierTry()",
            ),
        ),
        caught_by=(
            T_REDO + "test_after_another_list_in_the_same_run_nothing_of_the_first_counts[sqlite]",
        ),
    ),
    Sabotage(
        name="an older success stands for a newer failure",
        breaks="A node is given the result of a try before for an item that failed in the last.",
        edits=(
            Edit(
                path="engine/graphs/nodes/results.py",
                within="NodeResults._list",
                old="if is_good else None",
                new='if is_good else values[row["item"]]',
            ),
        ),
        caught_by=(
            T_REDO
            + "test_an_item_that_failed_in_the_last_try_has_no_result_of_the_one_before[sqlite]",
        ),
    ),
    Sabotage(
        name="a map whose last items are kept never ends",
        breaks="Nobody ends a mapped node when what is left of it was done in the run before.",
        edits=(
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts._fill",
                old="if ended >= width:",
                new="if not width:",
            ),
        ),
        caught_by=(T_REDO + "test_a_map_of_which_all_items_were_done_ends_at_once[sqlite]",),
    ),
    Sabotage(
        name="a graph inside goes on with nodes of another version",
        breaks="Nodes of an old definition are kept in a run of a new one.",
        edits=(
            Edit(
                path="engine/graphs/redo.py",
                within="carry_over",
                old=' or old_graphs[0]["version"] != version',
                new="",
            ),
        ),
        caught_by=(
            T_REDO + "test_a_graph_inside_of_another_version_is_done_from_its_beginning[sqlite]",
        ),
    ),
    Sabotage(
        name="a rerun waits for its own original",
        breaks="With depends_on_past, a failed run can never be mended.",
        edits=(
            Edit(
                path="engine/admission/previous_run.py",
                within="_original",
                old='while row is not None and row["rerun_of"] is not None:',
                new='while row is not None and row["rerun_of"] == "":',
            ),
        ),
        caught_by=(
            T_PAST + "test_a_rerun_does_not_wait_for_its_original_and_mends_the_past[sqlite]",
        ),
    ),
    Sabotage(
        name="a run does not wait for the rerun of the one before it",
        breaks="Reruns that are asked for together run in any order, or fail.",
        edits=(
            Edit(
                path="engine/admission/previous_run.py",
                within="run_before",
                old="if live:",
                new="if live and not live:",
            ),
        ),
        caught_by=(
            T_PAST
            + "test_reruns_that_are_asked_for_in_any_order_go_in_the_order_of_their_originals"
            "[sqlite]",
        ),
    ),
    Sabotage(
        name="only the oldest run that waits may try again",
        breaks="A rerun that is newer than a run behind it waits for ever.",
        edits=(
            Edit(
                path="engine/admission/previous_run.py",
                within="next_turns",
                old="again.append(run_id)",
                new="turn = run_id",
            ),
        ),
        caught_by=(
            T_PAST
            + "test_reruns_that_are_asked_for_in_any_order_go_in_the_order_of_their_originals"
            "[sqlite]",
        ),
    ),
    Sabotage(
        name="a success of the past is forgotten with its history",
        breaks="An old failure that was mended stands alone after a week, and the graph is dead.",
        edits=(
            Edit(
                path="engine/admission/graph_runs.py",
                within="release_others",
                old='verdict.verb == "complete" and',
                new='verdict.verb == "" and',
            ),
        ),
        caught_by=(
            T_PAST
            + "test_an_old_failure_that_was_mended_stays_so_when_history_forgets_how[sqlite]",
        ),
    ),
    Sabotage(
        name="a discarded dead letter is in the way of its graph",
        breaks="There is no way to go on without a run that cannot succeed.",
        edits=(
            Edit(
                path="store/sql/admission/graph_runs.sql",
                within="runs_before",
                old="d.state = 'discarded'",
                new="d.state = 'none'",
            ),
            Edit(
                path="store/sql/admission/graph_runs.sql",
                within="is_discarded",
                old="state = 'discarded'",
                new="state = 'none'",
            ),
        ),
        caught_by=(
            T_PAST + "test_the_graph_goes_on_without_a_run_whose_letter_was_discarded[sqlite]",
        ),
    ),
    Sabotage(
        name="a run of a schedule depends on whatever was asked for last",
        breaks="A run by hand, or a backfill of last year, stops the runs of today.",
        edits=(
            Edit(
                path="engine/admission/previous_run.py",
                within="instant_of",
                old="if origin.kind in _TIMED else None",
                new="if origin.kind not in _TIMED else None",
            ),
        ),
        caught_by=(
            T_PAST
            + "test_a_run_of_a_schedule_depends_on_the_instant_before_and_not_on_runs_by_hand"
            "[sqlite]",
        ),
    ),
    Sabotage(
        name="retries of a node that is a graph are ignored",
        breaks="A graph inside fails for good although its node says how often to try.",
        edits=(
            Edit(
                path="engine/graphs/policy.py",
                within="retries_of",
                old="else change.retry.limit",
                new="else shape.graph.retries",
            ),
        ),
        caught_by=(
            T_POLICIES
            + "test_a_graph_within_another_is_tried_again_as_often_as_its_node_says[sqlite]",
        ),
    ),
    Sabotage(
        name="the timeout of a node that is a graph is ignored",
        breaks="A graph inside runs for as long as it likes.",
        edits=(
            Edit(
                path="engine/graphs/policy.py",
                within="timeout_of",
                old="return change.timeout_ms",
                new="return shape.timeout_ms",
            ),
        ),
        caught_by=(
            T_POLICIES + "test_a_graph_within_another_ends_after_the_timeout_of_its_node[sqlite]",
        ),
    ),
)
