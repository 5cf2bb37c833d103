"""Every schedule as a sentence."""

from __future__ import annotations

from typing import Any

import pytest

from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    Calendar,
    CalendarEvery,
    Cron,
    Every,
    Rrule,
    Schedule,
    Trigger,
    Unless,
)
from rota.rules.schedules.sentence import describe


@pytest.mark.parametrize(
    ("trigger", "policies", "sentence"),
    [
        (Every("90s"), {}, "Every 90 seconds"),
        (Every("1h"), {}, "Every hour"),
        (Every("250ms"), {}, "Every 250 milliseconds"),
        (Every("2w"), {}, "Every 14 days"),
        (Every("10m", from_end=True), {}, "10 minutes after the end of the previous run"),
        (
            Every("1h", "2026-01-01T00:10Z"),
            {},
            "Every hour, counted from 1 January 2026 at 00:10 UTC",
        ),
        (
            Cron("0 6 * * mon-fri"),
            {"zone": "Europe/Paris"},
            "At 06:00, Monday to Friday, Europe/Paris",
        ),
        (
            CalendarEvery("2026-01-31T06:00", months=3),
            {},
            "Every 3 months at 06:00, from 31 January 2026, UTC",
        ),
        (
            CalendarEvery("2026-01-31T06:00:30", weeks=1),
            {"zone": "Asia/Tokyo"},
            "Every week at 06:00:30, from 31 January 2026, Asia/Tokyo",
        ),
        (At(("2026-03-08T07:00Z",)), {}, "Once, on 8 March 2026 at 07:00 UTC"),
        (
            At(("2026-03-08", "2026-04-08")),
            {"zone": "Asia/Tokyo"},
            "On 8 March 2026 at 00:00; on 8 April 2026 at 00:00, Asia/Tokyo",
        ),
        (
            At(tuple(f"2026-03-0{day}" for day in range(1, 6))),
            {},
            (
                "On 1 March 2026 at 00:00; on 2 March 2026 at 00:00; on 3 March 2026 at 00:00; "
                "and at 2 more times, UTC"
            ),
        ),
        (
            Rrule("FREQ=MONTHLY;BYDAY=-1FR;COUNT=5", "2026-01-05T18:00"),
            {},
            "Every month by BYDAY=-1FR, from 5 January 2026 at 18:00, 5 times, UTC",
        ),
        (
            Rrule("FREQ=WEEKLY;INTERVAL=2;UNTIL=20270101", "2026-01-05T18:00"),
            {},
            "Every 2 weeks, from 5 January 2026 at 18:00, until 1 January 2027, UTC",
        ),
        (
            BusinessDay(-1, "18:00"),
            {"calendar": "FR", "zone": "Europe/Paris"},
            "On the last business day of the month at 18:00, FR holidays, Europe/Paris",
        ),
        (BusinessDay(1), {}, "On the first business day of the month at 00:00, UTC"),
        (BusinessDay(-3), {}, "On the 3rd to last business day of the month at 00:00, UTC"),
        (BusinessDay(12), {}, "On the 12th business day of the month at 00:00, UTC"),
        (BusinessDay(22), {}, "On the 22nd business day of the month at 00:00, UTC"),
        (
            AnyOf((Every("1h"), Cron("0 6 * * *"))),
            {},
            "Every hour; or at 06:00, every day, UTC",
        ),
        (
            Unless(Every("1h"), At(("2026-12-25",)), whole_day=True),
            {},
            "Every hour; except on the days of: once, on 25 December 2026 at 00:00, UTC",
        ),
        (
            Every("1d"),
            {"calendar": Calendar(off=("2026-12-24",)), "roll": "next", "count": 1},
            "Every day, moved to the next business day, own days off, UTC, once in all",
        ),
        (
            Every("1m"),
            {"start": "2026-01-01", "end": "2026-02-01T00:00+01:00", "count": 1_000},
            (
                "Every minute, from 1 January 2026 at 00:00, until 1 February 2026 at 00:00 "
                "UTC+01:00, 1,000 times in all"
            ),
        ),
    ],
)
def test_a_schedule_is_told(trigger: Trigger, policies: dict[str, Any], sentence: str) -> None:
    assert describe(Schedule(trigger=trigger, **policies)) == sentence
