"""Deadlines: how they are read, and the instant that they mean for a run."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from rota.errors import BadInput
from rota.rules.runs.deadlines import deadline_at, read_deadline

HOUR = 3_600_000


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ("2h", "2h"),
        (90, "1m 30s"),
        (timedelta(hours=2), "2h"),
        ("07:00", "07:00"),
        (" 7:00 Europe/Paris ", "7:00 Europe/Paris"),
        ("23:59:30 UTC", "23:59:30 UTC"),
    ],
)
def test_a_deadline_is_kept_as_written(given: Any, read: str) -> None:
    assert read_deadline("deadline", given) == read


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("soon", "deadline='soon' is not a deadline; write a time after the start such as 2h"),
        ("25:00", "deadline='25:00' is not a time of day"),
        ("07:00 Europe/Pari", "no time zone is named 'Europe/Pari'; did you mean"),
        (0, "deadline=0 is zero; leave it out instead"),
        ("-1h", "deadline='-1h' is not a deadline"),
    ],
)
def test_what_is_no_deadline_is_refused(given: Any, says: str) -> None:
    with pytest.raises(BadInput, match=says.replace("(", "\\(")):
        read_deadline("deadline", given)


def test_a_duration_counts_from_the_time_that_a_run_is_for() -> None:
    assert deadline_at("2h", at("2026-03-08T06:00:00Z")) == at("2026-03-08T08:00:00Z")


@pytest.mark.parametrize(
    ("base", "until"),
    [
        ("2026-01-10T02:00:00+01:00", "2026-01-10T07:00:00+01:00"),
        ("2026-01-10T07:00:00+01:00", "2026-01-10T07:00:00+01:00"),
        ("2026-01-10T07:00:00.001+01:00", "2026-01-11T07:00:00+01:00"),
        ("2026-03-28T22:00:00+01:00", "2026-03-29T07:00:00+02:00"),
    ],
)
def test_a_wall_time_is_the_next_one_in_its_zone(base: str, until: str) -> None:
    assert deadline_at("07:00 Europe/Paris", at(base)) == at(until)


def test_a_wall_time_that_does_not_exist_is_the_end_of_the_gap() -> None:
    base = at("2026-03-28T22:00:00Z")

    assert deadline_at("02:30 Europe/Paris", base) == at("2026-03-29T03:00:00+02:00")


def test_of_a_wall_time_that_comes_twice_the_first_counts() -> None:
    base = at("2026-10-24T22:00:00Z")
    first = at("2026-10-25T02:30:00+02:00")

    assert deadline_at("02:30 Europe/Paris", base) == first
    assert deadline_at("02:30 Europe/Paris", first + HOUR) == at("2026-10-26T02:30:00+01:00")


def test_a_wall_time_without_a_zone_is_one_of_the_zone_of_its_schedule() -> None:
    base = at("2026-01-10T02:00:00Z")

    assert deadline_at("07:00", base, zone="Europe/Paris") == at("2026-01-10T06:00:00Z")
    assert deadline_at("07:00", base) == at("2026-01-10T07:00:00Z")


def test_the_deadline_of_a_day_that_a_zone_left_out_is_the_end_of_that_gap() -> None:
    base = at("2011-12-30T09:00:00Z")

    assert deadline_at("07:00 Pacific/Apia", base) == at("2011-12-31T00:00:00+14:00")
