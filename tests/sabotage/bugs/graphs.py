"""Bugs in what becomes of a node when its parents have ended."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

JOINS = "rules/joins.py"
T_WALK = "tests/unit/test_graph_walk.py::"
WALK = (T_WALK + "test_the_same_holds_for_many_graphs_that_are_the_same_each_time",)
T_JOINS = "tests/unit/test_joins.py::"

GRAPHS = (
    Sabotage(
        name="a skip wins over a failure in one wave",
        breaks="A node below a failed one counts as skipped, and its run as a success.",
        edits=(
            Edit(
                path=JOINS,
                within="all_success",
                old="if of.bad:",
                new="if of.bad and not of.skipped:",
            ),
        ),
        caught_by=(*WALK, T_JOINS + "test_in_one_wave_a_failure_wins_over_a_skip"),
    ),
    Sabotage(
        name="one_done counts parents that were held back",
        breaks="A node runs although none of its parents did.",
        edits=(
            Edit(
                path=JOINS,
                within="one_done",
                old="of.success or of.failed",
                new="of.success or of.bad",
            ),
        ),
        caught_by=WALK,
    ),
    Sabotage(
        name="one_success waits for all parents",
        breaks="A node that could run at once waits for the slowest parent.",
        edits=(Edit(path=JOINS, within="one_success", old="if of.success:", new="if False:"),),
        caught_by=WALK,
    ),
    Sabotage(
        name="setups further up do not count",
        breaks="Work goes on in the scope of a setup that failed.",
        edits=(Edit(path=JOINS, within="judge", old="counts.setups and", new="False and"),),
        caught_by=(
            *WALK,
            T_JOINS
            + "test_tr_14_an_indirect_setup_holds_back_its_scope_at_once"
            + "[failed-upstream_failed]",
        ),
    ),
    Sabotage(
        name="a teardown waits for its direct parents only",
        breaks="What a setup made is cleared away while others still use it.",
        edits=(
            Edit(
                path="rules/graphs/plan.py",
                within="_planned",
                old="(*parents[name], *further)",
                new="parents[name]",
            ),
        ),
        caught_by=(
            *WALK,
            T_JOINS + "test_tr_04_a_teardown_waits_for_all_between_its_setup_and_itself",
        ),
    ),
    Sabotage(
        name="a branch skips what another way leads to",
        breaks="The join after a branch is skipped although a chosen way leads to it.",
        edits=(
            Edit(
                path="rules/graph_outcome.py",
                within="branch_skips",
                old="set(chosen) | reachable(chosen, plan.children)",
                new="set(chosen)",
            ),
        ),
        caught_by=(
            *WALK,
            T_JOINS + "test_tr_19_a_child_that_also_follows_a_chosen_one_is_not_skipped",
        ),
    ),
)
