"""Bugs in what becomes of a node when its parents have ended."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

JOINS = "rules/graphs/joins.py"
T_WALK = "tests/unit/graphs/test_graph_walk.py::"
WALK = (T_WALK + "test_the_same_holds_for_many_graphs_that_are_the_same_each_time",)
T_JOINS = "tests/unit/graphs/test_joins.py::"
T_FAILURES = "tests/contract/graphs/test_failures.py::"
T_APART = "tests/contract/values/test_artifacts.py::"
T_WHOLE = "tests/integration/test_artifacts.py::"
T_DOORS = "tests/integration/test_typed_doors.py::"
T_BREAKS = "tests/contract/jobs/test_apply_breaks.py::"
T_MEMOS = "tests/contract/values/test_result_cache.py::"

GRAPHS = (
    Sabotage(
        name="a graph within another takes anything",
        breaks="A result of a wrong type goes deep into a graph before something fails.",
        edits=(
            Edit(
                path="engine/graphs/expand.py",
                within="_graph_run",
                old="check_types(shape.graph, graph_run.params, shape.kinds)",
                new="pass",
            ),
        ),
        caught_by=(
            T_FAILURES
            + "test_a_graph_within_another_refuses_what_its_parameters_do_not_take[sqlite]",
        ),
    ),
    Sabotage(
        name="a graph takes whatever an event brings",
        breaks="A payload that does not fit runs as if it did, and the run succeeds.",
        edits=(
            Edit(
                path="engine/graphs/expand.py",
                within="_graph_run",
                old="    check_types(",
                new="    if outer is not None: check_types(",
            ),
        ),
        caught_by=(
            T_DOORS
            + "test_an_event_that_does_not_fit_is_a_failed_run_that_says_why"
            + "[sqlite-payload1-day: Invalid RFC3339 encoded date-flow]",
        ),
    ),
    Sabotage(
        name="what is recorded of classes is not looked at",
        breaks="A wrong enum or dataclass is accepted, and fails in a worker.",
        edits=(
            Edit(
                path="rules/jobs/stored_signature.py",
                within="kinds_of",
                old="if name in schemas",
                new="if name not in spec.parameters",
            ),
        ),
        caught_by=(
            T_DOORS + "test_a_submit_by_name_knows_dates_choices_and_classes[sqlite-typed]",
        ),
    ),
    Sabotage(
        name="a start by hand waits for an event",
        breaks="A schedule that listens starts by hand without what its job needs.",
        edits=(
            Edit(
                path="rules/jobs/stored_signature.py",
                within="fitting",
                old="and not by_hand",
                new="",
            ),
            Edit(
                path="rules/jobs/stored_signature.py",
                within="check_schedule",
                old="and not by_hand",
                new="",
            ),
        ),
        caught_by=(
            T_DOORS + "test_an_event_schedule_is_not_started_by_hand_without_its_arguments[sqlite]",
        ),
    ),
    Sabotage(
        name="a file may break what others have",
        breaks="An apply changes a job, and a graph of another file fails when it runs.",
        edits=(
            Edit(
                path="rules/jobs/plan.py",
                within="plan",
                old="self._check_others(leftovers)",
                new="pass",
            ),
        ),
        caught_by=(
            T_BREAKS + "test_a_job_that_a_graph_of_another_file_calls_is_not_pruned[sqlite]",
        ),
    ),
    Sabotage(
        name="a rerun takes any parameters",
        breaks="A rerun with wrong parameters begins, and fails later or not at all.",
        edits=(
            Edit(
                path="operations/runs/reruns.py",
                within="_bound",
                old="text = recorded_signature(spec).bind((), args)",
                new="text = msgspec.json.encode(args).decode()",
            ),
        ),
        caught_by=(T_DOORS + "test_a_rerun_takes_what_its_graph_takes[sqlite-nosuch]",),
    ),
    Sabotage(
        name="types of a graph's parameters are not asked at the door",
        breaks="A wrong argument is accepted, and fails in a worker.",
        edits=(
            Edit(
                path="rules/jobs/stored_signature.py",
                within="_kind",
                old="return Optional[kind]",
                new="return Any",
            ),
            Edit(
                path="rules/jobs/stored_signature.py",
                within="_may_be_none",
                old=".default is None",
                new=".type != ''",
            ),
        ),
        caught_by=("tests/unit/jobs/test_recorded.py::test_a_graph_takes_what_its_parameters_say",),
    ),
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
                within="_plan",
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
        name="any failed teardown stops the run",
        breaks="A run fails because clearing up failed, though nobody said that it counts.",
        edits=(
            Edit(
                path="engine/graphs/failure_modes.py",
                within="fail_fast",
                old="node.kind in ASIDE and not node.fails_run",
                new="False",
            ),
        ),
        caught_by=(
            T_FAILURES
            + "test_a_failed_teardown_stops_others_only_if_it_says_so[sqlite-False-success-finish]",
        ),
    ),
    Sabotage(
        name="the result of a damaged object is taken",
        breaks="A node works with a value that is not what its parent gave.",
        edits=(
            Edit(
                path="runtime/values/artifacts.py",
                within="ArtifactStore._fetch",
                old="if digest_of(data) != pointer.digest:",
                new="if False:",
            ),
        ),
        caught_by=(T_WHOLE + 'test_a_damaged_object_fails_the_node_that_needs_it[sqlite-"other"]',),
    ),
    Sabotage(
        name="the sweeper does not ask nodes",
        breaks="A large result is removed while a run of a graph still needs it.",
        edits=(
            Edit(
                path="store/sql/values/artifacts.sql",
                within="mentioned",
                old="n.result = b.pointer",
                new="false",
            ),
        ),
        caught_by=(T_APART + "test_the_sweeper_keeps_what_a_node_mentions[sqlite]",),
    ),
    Sabotage(
        name="a cached result never expires",
        breaks="A node is given a result that is older than its cache allows.",
        edits=(
            Edit(
                path="store/sql/values/result_cache.sql",
                within="find_memos",
                old="expires_at > {now}",
                new="true",
            ),
        ),
        caught_by=(T_MEMOS + "test_a_cache_miss_carries_the_run_out[sqlite-expiry]",),
    ),
    Sabotage(
        name="a branch skips what another way leads to",
        breaks="The join after a branch is skipped although a chosen way leads to it.",
        edits=(
            Edit(
                path="rules/graphs/outcome.py",
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
