"""Bugs in what old and new processes do beside each other while something is deployed."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

DECLARE = "engine/jobs/declare.py"
T_RELEASES = "tests/integration/test_releases.py::"
T_PINS = "tests/contract/jobs/test_pins.py::"
T_MIGRATE = "tests/contract/store/test_migrate.py::"
AGAIN = T_RELEASES + "test_old_code_that_starts_again_changes_nothing"

DEPLOYS = (
    Sabotage(
        name="old code removes what new code brought",
        breaks="A worker of old code that is started again takes jobs and schedules away.",
        edits=(
            Edit(
                path=DECLARE,
                within="declare",
                old='return DeclareResult(versions=known, number=row["number"], newer=newer)',
                new="_remove_rest(tx, said.app, said.jobs, said.schedules, hand.namespace)\n"
                '        return DeclareResult(versions=known, number=row["number"], newer=newer)',
            ),
        ),
        caught_by=(AGAIN + "[sqlite-shop]", AGAIN + "[sqlite-None]"),
    ),
    Sabotage(
        name="old code is not known as such",
        breaks="Whoever starts last decides which versions and schedules count.",
        edits=(
            Edit(
                path=DECLARE,
                within="declare",
                old="if row is None else _newer(",
                new="if row is None or True else _newer(",
            ),
        ),
        caught_by=(AGAIN + "[sqlite-shop]",),
    ),
    Sabotage(
        name="who starts old code is always taken for alone",
        breaks="One of two on the same file undoes what the other one serves.",
        edits=(
            Edit(
                path=DECLARE, within="_is_alone", old="return not any(", new="return True or any("
            ),
        ),
        caught_by=(T_RELEASES + "test_the_only_user_of_a_file_goes_back_by_starting_old_code",),
    ),
    Sabotage(
        name="a submit of old code switches the version back",
        breaks="Schedules and other programs start the old version of a job again.",
        edits=(
            Edit(
                path="engine/jobs/definitions.py",
                within="introduce",
                old="    if is_new:",
                new="    if True:",
            ),
        ),
        caught_by=(
            T_RELEASES
            + "test_submits_of_old_code_take_its_own_version_and_switch_nothing_back[sqlite]",
        ),
    ),
    Sabotage(
        name="a start that is refused keeps what came before",
        breaks="Half of an app is on record: versions and schedules of code that never served.",
        edits=(
            Edit(
                path="app/declare.py",
                within="declare",
                old="    result = app.store.write(lambda tx: record(tx, declaration, hand))",
                new="    app.define(jobs)\n"
                "    result = app.store.write(lambda tx: record(tx, declaration, hand))",
            ),
        ),
        caught_by=(T_RELEASES + "test_a_start_that_is_refused_leaves_nothing_behind[sqlite]",),
    ),
    Sabotage(
        name="jobs of nodes are not pinned",
        breaks="A run of a graph that waited for long begins with jobs that do not fit it.",
        edits=(
            Edit(
                path="engine/jobs/pins.py",
                within="Pins.at",
                old="if now.graph in (None, version) and now.since is not None"
                " and now.since <= as_of:",
                new="if True:",
            ),
        ),
        caught_by=(
            T_PINS + "test_a_run_that_waits_keeps_the_versions_of_its_submit[sqlite]",
            T_PINS + "test_a_rerun_uses_the_versions_of_the_first_run[sqlite-whole]",
        ),
    ),
    Sabotage(
        name="a graph inside of another is pinned when it begins",
        breaks="Half of a run is carried out with old jobs, half with new ones.",
        edits=(
            Edit(
                path="engine/jobs/pins.py",
                within="Pins.of",
                old="as_of = outer.as_of",
                new="as_of = lease.claimed_at",
            ),
        ),
        caught_by=(
            T_PINS
            + "test_a_graph_inside_of_another_goes_by_the_submit_of_the_outermost[sqlite-False]",
        ),
    ),
    Sabotage(
        name="the mark of a newer schema is ignored",
        breaks="Old code works on a database that it cannot read rightly.",
        edits=(
            Edit(
                path="store/migrate.py",
                within="check",
                old='if (applied[number]["readable_from"] or number) > ours:',
                new="if False:",
            ),
        ),
        caught_by=(
            T_MIGRATE + "test_a_newer_schema_is_refused_once_one_of_its_steps_is_too_new[sqlite]",
            T_MIGRATE + "test_a_newer_schema_is_refused_and_left_alone[sqlite]",
        ),
    ),
    Sabotage(
        name="any newer schema is refused",
        breaks="A worker of the last release that crashes after the migration never comes back.",
        edits=(
            Edit(
                path="store/migrate.py",
                within="check",
                old='if (applied[number]["readable_from"] or number) > ours:',
                new="if True:",
            ),
        ),
        caught_by=(
            T_MIGRATE + "test_a_newer_schema_that_says_it_can_be_read_by_this_code_is_used[sqlite]",
        ),
    ),
    Sabotage(
        name="a step for new code alone lets the first release in",
        breaks="Processes of 0.1.0 go on with a schema that they misread.",
        edits=(
            Edit(
                path="store/migrate.py",
                within="_note",
                old="if step.number <= FIRST or step.readable_from > FIRST:",
                new="if step.number <= FIRST:",
            ),
        ),
        caught_by=(
            T_MIGRATE
            + "test_a_step_that_old_code_cannot_live_with_closes_the_door_to_the_first_release"
            + "[sqlite]",
        ),
    ),
    Sabotage(
        name="a script goes by the name of this process",
        breaks="retry_on does not know the exceptions of a file that people run.",
        edits=(
            Edit(
                path="scripts.py",
                within="module_name",
                old="    if not is_script(module):",
                new="    if True:",
            ),
        ),
        caught_by=(
            "tests/integration/test_scripts.py::test_only_the_names_of_scripts_are_replaced",
        ),
    ),
)
