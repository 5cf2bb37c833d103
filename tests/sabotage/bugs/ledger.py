"""Bugs in the ledger of calls outside: who settles what, and what a repeated run goes on with."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

T_DOUBTS = "tests/contract/runs/test_doubts.py::"
T_RECEIPT = (
    "tests/integration/test_worker_effects.py"
    "::test_a_worker_whose_lease_was_taken_cannot_write_with_a_receipt"
)
SQL = "store/sql/runs/effects.sql"

LEDGER = (
    Sabotage(
        name="a redrive begins with an empty ledger",
        breaks="A call in doubt is made again under a key that nobody outside has seen.",
        edits=(
            Edit(
                path="engine/runs/effects/ledger.py",
                within="intend",
                old='if new[0]["may_repeat"] else',
                new='if not new[0]["may_repeat"] else',
            ),
        ),
        caught_by=(
            T_DOUBTS + "test_a_run_that_repeats_another_keeps_the_key_of_a_call_in_doubt"
            "[sqlite-given_redriven]",
        ),
    ),
    Sabotage(
        name="a graph that failed pays again",
        breaks="A redrive of a graph repeats the calls of nodes that had succeeded, with new keys.",
        edits=(
            Edit(
                path="engine/runs/effects/inherited.py",
                within="_before",
                old="yield each, is_success",
                new="yield each, _has_succeeded(each)",
            ),
        ),
        caught_by=(
            T_DOUBTS + "test_a_node_that_had_succeeded_in_a_graph_that_failed_keeps_its_ledger"
            "[sqlite-given_redriven_graph]",
        ),
    ),
    Sabotage(
        name="a receipt without a fence",
        breaks="A worker that was paused over its lease commits into the user's database.",
        edits=(
            Edit(
                path="receipts.py",
                within="_check_lease",
                old="if call.services is not None:",
                new="if call.services is None:",
            ),
        ),
        caught_by=(
            T_RECEIPT + "[sqlite-before the block]",
            T_RECEIPT + "[sqlite-inside the block]",
        ),
    ),
    Sabotage(
        name="a receipt that looks at the fence too early",
        breaks="A block that lasts longer than the lease commits what its successor does again.",
        edits=(
            Edit(
                path="receipts.py",
                within="once_in",
                old="            _check_lease(call)\n",
                new="            pass\n",
            ),
        ),
        caught_by=(T_RECEIPT + "[sqlite-inside the block]",),
    ),
    Sabotage(
        name="a person settles what an attempt is doing",
        breaks="The handler makes the call, and its result is lost to what a person guessed.",
        edits=(
            Edit(
                path="engine/runs/effects/in_doubt.py",
                within="settle_doubt",
                old="State.RUNNING",
                new="State.SUCCESS",
            ),
        ),
        caught_by=(T_DOUBTS + "test_nobody_settles_what_a_running_attempt_may_be_doing[sqlite]",),
    ),
    Sabotage(
        name="a person settles what a later run has taken up",
        breaks="The decision is written where nobody reads it any more.",
        edits=(
            Edit(
                path=SQL,
                within="decide_effect",
                old="and settled_at is null\n   and taken_by is null",
                new="and settled_at is null",
            ),
        ),
        caught_by=(
            T_DOUBTS + "test_an_effect_that_a_later_run_took_up_is_settled_there[sqlite]",
            T_DOUBTS + "test_settling_an_effect_waits_for_its_taking_up",
        ),
    ),
    Sabotage(
        name="a person overwrites a result",
        breaks="A call that took place is said not to have, and is made again.",
        edits=(
            Edit(
                path=SQL,
                within="decide_effect",
                old="and settled_at is null\n",
                new="and intended_at is not null\n",
            ),
        ),
        caught_by=(T_DOUBTS + "test_an_effect_that_the_handler_settled_stays_settled[sqlite]",),
    ),
    Sabotage(
        name="not done stays not done",
        breaks="A call that was made after a person's word, and broke, is never in doubt.",
        edits=(
            Edit(
                path=SQL,
                within="begin_effect_again",
                old="set outcome = null",
                new="set outcome = outcome",
            ),
        ),
        caught_by=(T_DOUBTS + "test_a_decision_between_attempts_counts_for_the_next_one[sqlite]",),
    ),
    Sabotage(
        name="an item goes on with the ledger of another",
        breaks="An order is taken for charged because another had its place in the list.",
        edits=(
            Edit(
                path=SQL,
                within="take_up_effect",
                old="or args_digest = :digest",
                new="or args_digest <> ''",
            ),
        ),
        caught_by=(
            T_DOUBTS
            + "test_an_item_goes_on_only_with_what_was_done_for_the_same_arguments[sqlite]",
        ),
    ),
)
