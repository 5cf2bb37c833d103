"""Bugs in firing: instants doubled or lost, policies that nobody keeps, windows nobody obeys."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

FIRE = "engine/schedules/fire.py"
MISFIRE = "rules/schedules/misfire.py"
SCHEDULES = "store/sql/schedules/schedules.sql"
T_BACKFILL = "tests/contract/schedules/test_backfill.py::"
T_DRAINS = "tests/integration/test_drains.py::"
T_FIRE = "tests/contract/schedules/test_fire_clocks.py::"
T_OVERLAP = "tests/contract/admission/test_overlap.py::"
T_RACES = "tests/contract/schedules/test_fire_races.py::"
T_SCHEDULES = "tests/contract/schedules/test_schedules.py::"
T_TIMES = "tests/contract/schedules/test_run_times.py::"

FIRING = (
    Sabotage(
        name="a mended instant is done again",
        breaks="A backfill of what failed repeats instants that a rerun had mended.",
        edits=(
            Edit(
                path="engine/schedules/backfills/instants.py",
                within="_with_reruns",
                old="if not failed:",
                new="if failed:",
            ),
        ),
        caught_by=(
            T_BACKFILL
            + "test_an_instant_that_a_rerun_has_mended_is_not_run_again[sqlite-succeed-2]",
            T_BACKFILL + "test_an_instant_whose_rerun_has_not_ended_is_left_to_it[sqlite]",
        ),
    ),
    Sabotage(
        name="a pause that what waits goes past",
        breaks="A paused schedule goes on starting what its overlap policy made wait.",
        edits=(
            Edit(
                path="engine/admission/overlap.py",
                within="_movable",
                old='schedule["state"] == PAUSED',
                new="False",
            ),
        ),
        caught_by=(
            T_OVERLAP
            + "test_a_paused_schedule_starts_nothing_of_what_waits_until_it_is_resumed"
            + "[sqlite-queue_all]",
            T_OVERLAP + "test_a_schedule_that_paused_itself_starts_nothing_of_what_waits[sqlite]",
        ),
    ),
    Sabotage(
        name="a pause that holds what a person starts",
        breaks="A start by hand of a paused schedule waits for ever once it has to wait.",
        edits=(
            Edit(
                path="engine/admission/overlap.py",
                within="_movable",
                old="each.by_hand or not is_paused",
                new="not is_paused",
            ),
        ),
        caught_by=(T_OVERLAP + "test_a_start_by_hand_goes_past_those_that_a_pause_holds[sqlite]",),
    ),
    Sabotage(
        name="a firing that does not heed the key",
        breaks="An instant that is on record is started a second time.",
        edits=(
            Edit(
                path="engine/schedules/starts.py",
                within="_claim_instants",
                old="== len(started)",
                new="<= len(started)",
            ),
        ),
        caught_by=(T_FIRE + "test_an_instant_that_is_on_record_is_not_fired_again[sqlite]",),
    ),
    Sabotage(
        name="a cursor that moves back",
        breaks="Whoever looks with an older view has instants dealt with again.",
        edits=(
            Edit(
                path=SCHEDULES,
                within="move_schedules",
                old="{sql:greatest}(s.cursor_at, v.cursor_at)",
                new="v.cursor_at",
            ),
        ),
        caught_by=(T_FIRE + "test_a_cursor_never_goes_back[sqlite]",),
    ),
    Sabotage(
        name="a look without the row lock",
        breaks="Two schedulers decide about the same schedule at once.",
        edits=(Edit(path=SCHEDULES, within="take_schedules", old="{sql:skip_locked}"),),
        caught_by=(T_RACES + "test_a_look_leaves_alone_what_another_one_holds",),
        on_postgres=True,
    ),
    Sabotage(
        name="missed firings without the grace",
        breaks="After a day without schedulers a whole day of firings starts at once.",
        edits=(
            Edit(
                path=MISFIRE,
                within="_several",
                old="max(cursor, now - rule.grace_ms, late_until)",
                new="max(cursor, late_until)",
            ),
        ),
        caught_by=(T_FIRE + "test_a_clock_that_jumps_forward_is_no_flood[sqlite]",),
    ),
    Sabotage(
        name="a full look that forgets the rest",
        breaks="Of more than a thousand instants those beyond are never started.",
        edits=(Edit(path=MISFIRE, within="_several", old="if not has_more:", new="if last:"),),
        caught_by=(T_FIRE + "test_more_than_one_look_may_start_comes_in_the_next[sqlite]",),
    ),
    Sabotage(
        name="old rules fire the old time",
        breaks="After an update of zone data schedules fire once more by the old data.",
        edits=(
            Edit(
                path=FIRE,
                within="_due",
                old='row["next_at"] if row["rules_version"] == plan.rules_version else None',
                new='row["next_at"]',
            ),
        ),
        caught_by=(T_FIRE + "test_k6_other_rules_of_time_never_fire_the_old_instant[sqlite]",),
    ),
    Sabotage(
        name="a pause that does not count",
        breaks="What was due in a pause starts at once when it ends, as if on time.",
        edits=(Edit(path=FIRE, within="_due", old='row["late_until"] or 0', new="0"),),
        caught_by=(T_SCHEDULES + "test_a_short_pause_is_not_on_time_either[sqlite]",),
    ),
    Sabotage(
        name="what runs is not counted",
        breaks="With overlap=skip a second run starts beside the first.",
        edits=(
            Edit(
                path="rules/schedules/overlap.py",
                within="decide",
                old="policy.parallel - crowd.running",
                new="policy.parallel",
            ),
        ),
        caught_by=(T_OVERLAP + "test_skip_leaves_out_what_would_overlap[sqlite]",),
    ),
    Sabotage(
        name="an end that no schedule hears of",
        breaks="A start that waits for the end of another waits on.",
        edits=(
            Edit(
                path="engine/runs/finish.py",
                within="_close",
                old="if fired:",
                new="if fired and lost:",
            ),
        ),
        caught_by=(T_OVERLAP + "test_the_last_success_is_kept[sqlite]",),
    ),
    Sabotage(
        name="a backfilled instant fires again",
        breaks="What a backfill made in a pause is made a second time by the schedule.",
        edits=(
            Edit(
                path=SCHEDULES,
                within="insert_firings",
                old="and f.kind = 'backfill'",
                new="and false",
            ),
        ),
        caught_by=(
            T_BACKFILL + "test_instants_backfilled_in_a_pause_are_not_caught_up_again[sqlite]",
        ),
    ),
    Sabotage(
        name="claims that do not know the windows",
        breaks="Runs start in the middle of a maintenance window.",
        edits=(
            Edit(
                path="engine/admission/draining_windows.py",
                within="narrow_to_open",
                old="claim_request.leave_out(job, queue)",
                new="pass",
            ),
        ),
        caught_by=(
            T_DRAINS + "test_a_worker_that_starts_in_a_window_knows_it_at_its_first_claim[sqlite]",
        ),
    ),
    Sabotage(
        name="nodes that do not know what their run is for",
        breaks="A backfill of a graph does the same day's work for each of its days.",
        edits=(
            Edit(
                path="engine/graphs/nodes/start.py",
                within="NodeStarts._run",
                old="origin=graph_run.origin",
                new="origin=None",
            ),
        ),
        caught_by=(
            T_TIMES + "test_every_node_of_a_scheduled_graph_is_for_the_instant_of_its_run[sqlite]",
        ),
    ),
    Sabotage(
        name="a payload of an event that is computed with",
        breaks="Whoever sends an event has expressions evaluated in the store's transaction.",
        edits=(
            Edit(
                path="engine/events.py",
                within="_ask",
                old="args=event_args(listener.args, event, names),",
                new="args=event_args(listener.args, event, names),\n    )\n"
                "    from rota.engine.schedules.new_run import with_times\n"
                "    start = with_times(row, plan, start) if plan else ScheduledStart(\n"
                "        instant=0,",
            ),
        ),
        caught_by=(T_TIMES + "test_the_payload_of_an_event_is_never_evaluated[sqlite]",),
    ),
    Sabotage(
        name="a schedule without a value for its arguments stops the others",
        breaks="One bad expression keeps every schedule of the store from firing.",
        edits=(
            Edit(path=FIRE, within="_fire", old="except BadInput", new="except KeyboardInterrupt"),
        ),
        caught_by=(
            T_TIMES + "test_a_time_without_a_value_stops_its_schedule_and_no_other[sqlite]",
        ),
    ),
)
