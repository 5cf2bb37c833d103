"""Bugs in what happens when clocks are changed."""

from __future__ import annotations

from tests.sabotage.edit import Edit, Sabotage

TIMETABLE = "rules/schedules/cron/timetable.py"
DAYS = "rules/schedules/cron/days.py"
T_DST = "tests/unit/schedules/test_cron_dst.py::"

CLOCKS = (
    Sabotage(
        name="a fold that is taken for an hour",
        breaks="Where clocks go back by half an hour, half an hour of firings is lost.",
        edits=(
            Edit(
                path=TIMETABLE,
                within="_span",
                old="max(0, before - offset)",
                new="(3_600 if before > offset else 0)",
            ),
        ),
        caught_by=(T_DST + "test_dst_09_a_shift_of_half_an_hour",),
    ),
    Sabotage(
        name="a daily line repeats when clocks go back",
        breaks="The nightly job of 01:30 runs twice in one night.",
        edits=(Edit(path=TIMETABLE, within="_timetable", old='else "first"', new='else "both"'),),
        caught_by=(T_DST + "test_dst_09_a_shift_of_half_an_hour",),
    ),
    Sabotage(
        name="a daily line is lost when clocks go forward",
        breaks="The nightly job of 02:30 does not run that night.",
        edits=(Edit(path=TIMETABLE, within="_timetable", old='else "next"', new='else "skip"'),),
        caught_by=(T_DST + "test_dst_10_a_day_without_midnight",),
    ),
    Sabotage(
        name="a remembered day across a shift",
        breaks="The answer depends on what was asked before.",
        edits=(
            Edit(
                path=TIMETABLE,
                within="CronTimetable._remember",
                old="instant >= span.quiet and first >= span.quiet and last < span.high",
                new="instant >= span.quiet",
            ),
        ),
        caught_by=(T_DST + "test_the_order_of_the_questions_does_not_matter",),
    ),
    Sabotage(
        name="the nearest working day in another month",
        breaks="1W on a Saturday means a day of the month before.",
        edits=(
            Edit(
                path=DAYS, within="_nearest", old="day - 1 if day > 1 else day + 2", new="day - 1"
            ),
        ),
        caught_by=(T_DST + "test_a_nearest_working_day_stays_in_its_month",),
    ),
)
