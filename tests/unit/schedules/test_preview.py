"""Previews: what comes when, on whose wall, and what is special about it."""

from __future__ import annotations

import pytest

from rota.errors import BadOption
from rota.model.schedules.definitions import Cron, Every, Schedule
from rota.rules.schedules.preview import Firing, preview
from rota.rules.schedules.triggers import compile_schedule
from tests.support.schedules import NO_CALENDARS, ms


def previewed(
    schedule: Schedule, after: str, count: int = 20, until: str | None = None
) -> list[Firing]:
    timetable = compile_schedule(schedule, seed="s", calendars=NO_CALENDARS)
    last = None if until is None else ms(until)
    return preview(schedule, timetable, after=ms(after), count=count, until=last)


def test_days_that_a_shift_or_a_holiday_moved_are_marked() -> None:
    gap = Schedule(trigger=Cron("30 2 * * *"), zone="America/New_York")
    holiday = Schedule(trigger=Cron("0 6 25 12 *"), zone="Europe/Paris", calendar="FR", roll="next")

    assert previewed(gap, "2026-03-07T12:00Z", 2) == [
        Firing(
            at=ms("2026-03-08T07:00Z"),
            wall="2026-03-08T03:00:00-04:00",
            marks=("moved from 02:30, which does not exist",),
        ),
        Firing(at=ms("2026-03-09T06:30Z"), wall="2026-03-09T02:30:00-04:00"),
    ]
    assert previewed(holiday, "2026-12-01", 1) == [
        Firing(
            at=ms("2026-12-28T05:00Z"),
            wall="2026-12-28T06:00:00+01:00",
            marks=("moved from 25 December 2026 (Christmas Day)",),
        )
    ]


def test_a_preview_ends_with_its_window_or_the_count() -> None:
    hourly = Schedule(trigger=Every("1h"))
    few = Schedule(trigger=Every("500ms"), count=2)

    assert len(previewed(hourly, "2026-01-01", until="2026-01-01T05:00Z")) == 5
    assert [firing.wall for firing in previewed(few, "2026-01-01")] == [
        "2026-01-01T00:00:00.500+00:00",
        "2026-01-01T00:00:01+00:00",
    ]


@pytest.mark.parametrize("count", [0, 10_001, True])
def test_a_preview_without_end_is_refused(count: int) -> None:
    with pytest.raises(BadOption, match="is not a number from 1 to 10,000"):
        previewed(Schedule(trigger=Every("1h")), "2026-01-01", count)
