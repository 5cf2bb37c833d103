"""Every cron line as a sentence that means the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.errors import BadCron
from rota.model.schedules.definitions import Cron, Dialect
from rota.rules.schedules.cron.words import describe
from tests.support.cron_cases import make_case


@pytest.mark.parametrize(
    ("dialect", "expression", "sentence"),
    [
        ("vixie", "0 6 * * mon-fri", "At 06:00, Monday to Friday"),
        ("vixie", "* * * * *", "Every minute"),
        ("vixie", "*/15 * * * *", "Every 15 minutes"),
        ("vixie", "*/35 * * * *", "At minutes 0 and 35 of every hour"),
        ("vixie", "0 * * * *", "Every hour"),
        ("vixie", "30 * * * *", "At minute 30 of every hour"),
        ("vixie", "0,30 * * * *", "Every 30 minutes"),
        ("vixie", "0 */2 * * *", "Every 2 hours"),
        ("vixie", "30 */2 * * *", "At minute 30 of every 2nd hour"),
        ("vixie", "0 */5 * * *", "At 00:00, 05:00, 10:00, 15:00 and 20:00, every day"),
        ("vixie", "0 9-17 * * 1-5", "Every hour from 09:00 to 17:00, Monday to Friday"),
        ("vixie", "*/15 9-17 * * 1-5", "Every 15 minutes from 09:00 to 17:45, Monday to Friday"),
        ("vixie", "5-10 * * * *", "At minutes 5 to 10 of every hour"),
        ("vixie", "0 6,18 * * *", "At 06:00 and 18:00, every day"),
        ("vixie", "15,45 6,18 * * *", "At 06:15, 06:45, 18:15 and 18:45, every day"),
        ("vixie", "*/10 3 * * *", "Every 10 minutes from 03:00 to 03:50, every day"),
        ("vixie", "0 0 1 1 *", "At 00:00, on the 1st of January"),
        ("vixie", "0 0 1,15 * *", "At 00:00, on the 1st and 15th of the month"),
        ("vixie", "0 0 1-7 * *", "At 00:00, on the 1st to 7th of the month"),
        ("vixie", "0 0 */2 * *", "At 00:00, on every 2nd day of the month"),
        ("vixie", "0 0 13 * 5", "At 00:00, on the 13th of the month or on Friday"),
        (
            "vixie",
            "0 0 */2 * mon",
            "At 00:00, on every 2nd day of the month, but only if it falls on Monday",
        ),
        ("vixie", "0 0 L * *", "At 00:00, on the last day of the month"),
        ("vixie", "0 0 L-3 * *", "At 00:00, on the 4th last day of the month"),
        ("vixie", "0 0 LW * *", "At 00:00, on the last working day of the month"),
        ("vixie", "0 0 15W * *", "At 00:00, on the working day nearest to the 15th of the month"),
        (
            "vixie",
            "0 0 L-2W * *",
            "At 00:00, on the working day nearest to the 3rd last day of the month",
        ),
        ("vixie", "0 0 * * MON#2", "At 00:00, on the second Monday of the month"),
        ("vixie", "0 0 * * 5L", "At 00:00, on the last Friday of the month"),
        ("vixie", "0 0 * * 1,3,5", "At 00:00, on Monday, Wednesday and Friday"),
        ("vixie", "0 0 * * 0,6", "At 00:00, on Saturday and Sunday"),
        ("vixie", "0 0 * 3 *", "At 00:00, in March"),
        ("vixie", "0 0 * 6-8 mon", "At 00:00, on Monday, from June to August"),
        ("vixie", "0 0 29 2 *", "At 00:00, on the 29th of February"),
        ("vixie", "0 0 0 1 1 * 2027", "At 00:00, on the 1st of January, in 2027"),
        ("vixie", "*/10 30 2 * * *", "Every 10 seconds of 02:30, every day"),
        ("vixie", "* * * * * *", "Every second"),
        ("vixie", "30 0 6 * * *", "At 06:00:30, every day"),
        ("vixie", "5,55 * * * * *", "At seconds 5 and 55 of every minute"),
        ("vixie", "*/20 */5 * * * *", "Every 20 seconds, every 5 minutes"),
        ("vixie", "0 0 6 * * * 2027-2029", "At 06:00, from 2027 to 2029"),
        ("vixie", "@hourly", "Every hour"),
        ("vixie", "@daily", "At 00:00, every day"),
        ("vixie", "@weekly", "At 00:00, on Sunday"),
        ("vixie", "@yearly", "At 00:00, on the 1st of January"),
        ("vixie", "H 3 * * *", "At 03:35, every day (H spreads the minute)"),
        ("vixie", "H/15 * * * *", "Every 15 minutes from minute 5 (H spreads the minute)"),
        ("vixie", "1-59/2 1,5,7 * * *", "Every 2 minutes from minute 1 of the hours 1, 5 and 7"),
        ("vixie", "0 1-3,5 * * *", "At 01:00, 02:00, 03:00 and 05:00, every day"),
        (
            "vixie",
            "0 0 1,L * mon",
            "At 00:00, on the 1st and the last day of the month or on Monday",
        ),
        ("vixie", "0 0 * * mon,5L", "At 00:00, on Monday and the last Friday of the month"),
        ("vixie", "0 0 31 1-11 *", "At 00:00, on the 31st of the month, from January to November"),
        ("vixie", "0 0 3-31/7 * *", "At 00:00, on every 7th day from the 3rd of the month"),
        ("vixie", "0 0 1-31 * *", "At 00:00, every day"),
        ("vixie", "0 0 1-31 * mon", "At 00:00, every day"),
        ("vixie", "0 0 * * 1-7", "At 00:00, every day"),
        (
            "vixie",
            "0 1,3,5,7,9,11,13 * * *",
            "At 01:00, 03:00, 05:00, 07:00, 09:00, 11:00 and 13:00, every day",
        ),
        ("quartz", "0 0 6 ? * 2-6", "At 06:00, Monday to Friday"),
        ("quartz", "0 0/5 * * * ?", "Every 5 minutes"),
        ("quartz", "0 0 12 ? * FRI-MON", "At 12:00, on Monday, Friday, Saturday and Sunday"),
        ("quartz", "0 0 12 ? * L", "At 12:00, on Saturday"),
        ("quartz", "0 0 12 ? * 6#3", "At 12:00, on the third Friday of the month"),
        ("quartz", "0 0 0 L-3 * ?", "At 00:00, on the 4th last day of the month"),
        ("kubernetes", "0 0 */2 * 1", "At 00:00, on every 2nd day of the month or on Monday"),
        ("kubernetes", "5/15 * * * *", "Every 15 minutes from minute 5"),
    ],
)
def test_a_line_in_words(dialect: Dialect, expression: str, sentence: str) -> None:
    told = describe(Cron(expression, dialect), "UTC", seed="report")

    assert told.replace(", UTC", "") == sentence


def test_the_zone_is_named() -> None:
    told = describe(Cron("0 6 * * mon-fri"), "Europe/Paris")

    assert told == "At 06:00, Monday to Friday, Europe/Paris"


def test_an_interval_of_kubernetes_has_no_zone() -> None:
    assert describe(Cron("@every 90s", "kubernetes"), "Europe/Paris") == "Every 1m 30s"


def test_a_bad_cron_line_has_no_description() -> None:
    with pytest.raises(BadCron, match="minute '61'"):
        describe(Cron("61 * * * *"), "UTC")


@settings(max_examples=200, deadline=None)
@given(number=st.integers(0, 1_000_000))
def test_whatever_can_be_read_can_be_told(number: int) -> None:
    case = make_case(number, seed=1)
    try:
        told = describe(Cron(case.expression, case.dialect), case.zone)
    except BadCron:
        return
    assert told.startswith(("At ", "Every "))
    assert told.endswith(f", {case.zone}")
    assert "  " not in told
