"""Definitions of monitors: what is refused, and when the next ping is expected."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rota.clock import to_ms, to_text
from rota.errors import BadInput
from rota.rules.monitors.checks import (
    check_monitor_name,
    describe_monitor,
    grace_ms,
    next_ping,
    read_monitor,
)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "exactly one of every"),
        ({"every": "1d", "cron": "@daily"}, "exactly one of every"),
        ({"every": "soon"}, "every"),
        ({"every": "500ms"}, "from one second to 366 days"),
        ({"every": "400d"}, "from one second to 366 days"),
        ({"every": "1d", "grace": "0s"}, "from one second to 366 days"),
        ({"every": "1d", "zone": "Europe/Paris"}, "for a cron line"),
        ({"cron": "61 * * * *"}, "61"),
        ({"cron": "0 6 * * *", "zone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"cron": "0 0 30 2 *"}, "30"),
        ({"cron": "@every 90s"}, "cron"),
        ({"cron": "@daily", "dialect": "celery"}, "dialect"),
        ({"every": "1d", "note": "x" * 2_001}, "note"),
        ({"every": "1d", "colour": "red"}, "colour"),
        ({"every": 5}, "every"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused_by_name(
    fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        read_monitor(fields)


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../x", "x" * 129])
def test_a_name_must_fit_into_an_address(name: str) -> None:
    with pytest.raises(BadInput):
        check_monitor_name(name)


def test_a_period_counts_from_the_last_ping() -> None:
    monitor = read_monitor({"every": "1d", "grace": "90s"})

    assert next_ping(monitor)(123) == 123 + 86_400_000
    assert grace_ms(monitor) == 90_000
    assert describe_monitor(monitor) == "Every day"


def test_a_cron_line_follows_its_zone_through_the_change_to_winter_time() -> None:
    monitor = read_monitor({"cron": "30 6 * * *", "zone": "Europe/Paris"})
    saturday = to_ms(datetime(2026, 10, 24, 4, 30, tzinfo=UTC))

    sunday = next_ping(monitor)(saturday)

    assert sunday is not None
    assert to_text(sunday) == "2026-10-25T05:30:00.000Z", "25 hours later"
    assert describe_monitor(monitor) == "At 06:30, every day, Europe/Paris"
