"""Celery beat: entries become jobs, from an app and from JSON."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from rota.errors import BadFile
from rota.rules.importers.celery import read_beat, read_beat_json
from rota.rules.importers.report import Imported
from tests.support.imports import fire_times, topics


class Crontab:
    """As celery.schedules.crontab keeps what it was given."""

    def __init__(self, **fields: Any) -> None:
        for name in ("minute", "hour", "day_of_week", "day_of_month", "month_of_year"):
            setattr(self, f"_orig_{name}", fields.get(name, "*"))


def beat(schedule: Any, **entry: Any) -> Imported:
    return read_beat({"it": {"task": "shop.tasks.send", "schedule": schedule, **entry}}, "m:o")


def test_entries_of_beat_become_functions() -> None:
    found = beat(
        Crontab(minute=0, hour="6,18", day_of_week="fri-mon"),
        kwargs={"to": "ann"},
        options={"queue": "mail", "expires": 90, "priority": 3, "link": None},
    )
    (entry,) = found.entries

    assert entry.job["python"] == "shop.tasks:send"
    assert (entry.job["queue"], entry.job["expires"], entry.job["retries"]) == ("mail", "1m 30s", 0)
    assert entry.job["schedule"] == {
        "cron": "0 6,18 * * sun,mon,fri,sat",
        "timezone": "UTC",
        "overlap": "allow",
        "catchup": "last",
        "arguments": {"to": "ann"},
    }
    assert "priority" in topics(entry)


@pytest.mark.parametrize(
    ("schedule", "every"),
    [
        (timedelta(seconds=90), "1m 30s"),
        (30.0, "30s"),
        (SimpleNamespace(run_every=timedelta(hours=1)), "1h"),
        ({"every": 2, "period": "hours"}, "2h"),
        ({"__type__": "interval", "every": 5}, "5s"),
    ],
)
def test_intervals_of_beat(schedule: Any, every: str) -> None:
    (entry,) = beat(schedule).entries

    assert entry.job["schedule"]["every"] == every


def test_both_day_fields_must_match_as_in_celery() -> None:
    """[CR-01]: the first Monday of the month, which a cron line cannot say."""
    found = beat(Crontab(minute="0", hour="9", day_of_month="1-7", day_of_week="mon"))

    times = fire_times(found, "it", datetime(2026, 1, 1, tzinfo=UTC), 3)

    assert times == ["2026-01-05T09:00", "2026-02-02T09:00", "2026-03-02T09:00"]
    assert topics(found.entries[0])["days"] == "unless: the other weekdays"


def test_an_app_gives_its_zone_and_the_names_of_arguments() -> None:
    def send(self: Any, to: str, text: str) -> None: ...

    conf = SimpleNamespace(
        timezone="Europe/Paris",
        beat_schedule={"it": {"task": "a.send", "schedule": 60, "args": ("ann", "hi")}},
    )
    app = SimpleNamespace(conf=conf, tasks={"a.send": SimpleNamespace(run=send)})
    (entry,) = read_beat(app, "m:app").entries

    assert entry.job["schedule"]["timezone"] == "Europe/Paris"
    assert entry.job["schedule"]["arguments"] == {"to": "ann", "text": "hi"}


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ({"task": "plain", "schedule": 1}, "no path of a function"),
        ({"task": "a.b", "schedule": SimpleNamespace(event="sunset", lat=1, lon=2)}, "solar"),
        ({"task": "a.b", "schedule": "soon"}, "no known kind"),
        ({"task": "a.b", "schedule": -1}, "no known kind"),
        ({"task": "a.b", "schedule": None}, "no known kind"),
        ({"task": "a.b", "schedule": 1, "args": (1,)}, "positional"),
        ({"task": "a.b", "schedule": 1, "kwargs": {"x": object()}}, "no JSON"),
        ({"task": "a.b", "schedule": {"minute": "99"}}, "between 0 and 59"),
        ({"task": "a.b", "schedule": {"minute": "*/0"}}, "step of zero"),
        ("nonsense", "no path of a function"),
    ],
)
def test_an_entry_of_beat_that_cannot_be_kept_is_left_out(entry: Any, reason: str) -> None:
    found = read_beat({"it": entry}, "m:o")

    assert found.entries == ()
    assert reason in found.skipped[0].reason


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ({"crontab": "0 6 * *"}, "has 4 fields, not 5"),
        ({"crontab": {"minutes": 5}}, "it has 'minutes'; fields are minute, hour"),
        ({"crontab": {"hour": "25"}}, "crontab: "),
        ({"crontab": 7}, "is of no known kind"),
        ({"solar": {"event": "sunset"}}, "use a time of day"),
        ({"clocked": {"clocked_time": "2026-01-01"}}, "start once"),
    ],
)
def test_a_schedule_of_beat_that_nobody_understands_says_why(schedule: Any, reason: str) -> None:
    entry = {"task": "shop.report", "schedule": schedule}

    found = read_beat_json(msgspec.json.encode({"report": entry}), "beat.json")

    assert [reason in each.reason for each in found.skipped] == [True]


def test_beat_from_json() -> None:
    data = msgspec.json.encode(
        {
            "timezone": "Asia/Tokyo",
            "beat_schedule": {
                "it": {"task": "a.b", "schedule": {"minute": "*/15", "hour": "9-17"}}
            },
        }
    )
    (entry,) = read_beat_json(data, "beat.json").entries

    assert entry.job["schedule"]["cron"] == "*/15 9-17 * * *"
    assert entry.job["schedule"]["timezone"] == "Asia/Tokyo"
    with pytest.raises(BadFile, match="not a JSON object"):
        read_beat_json(b"[1]", "beat.json")
    with pytest.raises(BadFile, match="neither a Celery app"):
        read_beat(5, "m:o")
