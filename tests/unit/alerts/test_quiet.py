"""Quiet hours: over midnight, in a zone, and across a clock change."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rota.clock import to_ms
from rota.errors import BadOption, BadZone
from rota.model.alerts.rule import QuietHours
from rota.rules.alerts.quiet import check_quiet, is_quiet

NIGHT = QuietHours(begin="22:00", end="07:00", zone="Europe/Paris")


@pytest.mark.parametrize(
    ("at", "quiet"),
    [
        (datetime(2026, 1, 10, 20, 59, tzinfo=UTC), False),  # 21:59 in Paris
        (datetime(2026, 1, 10, 21, 0, tzinfo=UTC), True),
        (datetime(2026, 1, 11, 5, 59, tzinfo=UTC), True),
        (datetime(2026, 1, 11, 6, 0, tzinfo=UTC), False),
        (datetime(2026, 7, 10, 20, 0, tzinfo=UTC), True),  # in summer it is an hour earlier
        (datetime(2026, 7, 10, 5, 0, tzinfo=UTC), False),
    ],
)
def test_quiet_hours_follow_the_clock_on_the_wall(at: datetime, *, quiet: bool) -> None:
    assert is_quiet(NIGHT, to_ms(at)) is quiet


def test_hours_of_one_day_do_not_reach_over_midnight() -> None:
    lunch = QuietHours(begin="12:00", end="13:00")

    quiet = [hour for hour in range(24) if is_quiet(lunch, hour * 3_600_000)]

    assert quiet == [12]


def test_without_quiet_hours_nothing_is_quiet() -> None:
    assert not is_quiet(None, 0)


@pytest.mark.parametrize(
    "quiet",
    [
        QuietHours(begin="25:00", end="07:00"),
        QuietHours(begin="22", end="07:00"),
        QuietHours(begin="7:00", end="07:00"),
        QuietHours(begin="22:00", end="07:00", zone="Mars/Base"),
    ],
)
def test_hours_that_cannot_be_are_refused(quiet: QuietHours) -> None:
    with pytest.raises((BadOption, BadZone)):
        check_quiet(quiet)
