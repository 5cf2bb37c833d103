"""Celery beat: entries become jobs, from an app and from JSON."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from rota.errors import BadFile
from rota.rules.jobs.importers.celery import Zones, read_beat, read_beat_json
from rota.rules.jobs.importers.report import Imported
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


def send(self: Any, to: str, text: str) -> None:
    """A task with `bind=True`."""


def score(days: int = 7, *, deep: bool = False) -> int:
    """A task that is registered under another name than its own."""
    return days + deep


def app_of(entry: dict[str, Any], tasks: dict[str, Any], **conf: Any) -> Any:
    conf = {"timezone": None, "enable_utc": True, "beat_schedule": {"it": entry}, **conf}
    return SimpleNamespace(conf=SimpleNamespace(**conf), tasks=tasks)


def test_a_registered_name_leads_to_the_function_behind_it() -> None:
    task = SimpleNamespace(run=score, time_limit=30, rate_limit="5/m")
    app = app_of({"task": "risk.heat", "schedule": 60, "args": [3]}, {"risk.heat": task})
    (entry,) = read_beat(app, "m:app").entries

    assert entry.job["python"] == f"{__name__}:score"
    assert entry.job["parameters"] == {
        "days": {"type": "int", "default": 7},
        "deep": {"type": "bool", "default": False},
    }
    assert entry.job["schedule"]["arguments"] == {"days": 3}
    assert entry.job["timeout"] == "30s"
    assert "rate_limit of the task" in [note.old for note in entry.notes]


def test_a_name_that_nobody_registered_is_told_to_be_a_guess() -> None:
    (entry,) = read_beat(app_of({"task": "a.b", "schedule": 60}, {}), "m:app").entries
    left_out = read_beat(app_of({"task": "a.b", "schedule": 60, "args": [1]}, {}), "m:app")

    assert entry.job["python"] == "a:b"
    assert any("is a guess" in note.default for note in entry.notes)
    assert "import from the app" not in left_out.skipped[0].reason


def test_a_function_that_cannot_be_imported_is_left_out() -> None:
    def inner() -> None: ...

    found = read_beat(app_of({"task": "a.b", "schedule": 60}, {"a.b": inner}), "m:app")

    assert "has no name for its function" in found.skipped[0].reason


@pytest.mark.parametrize(
    ("conf", "zones", "zone", "says"),
    [
        ({"timezone": "Europe/Moscow"}, Zones(), "Europe/Moscow", "timezone=Europe/Moscow"),
        ({}, Zones(), "UTC", "no timezone is set"),
        ({"enable_utc": False}, Zones(None, "Asia/Tokyo"), "Asia/Tokyo", "zone of the machine"),
        ({"timezone": "Asia/Tokyo"}, Zones("Europe/Paris"), "Europe/Paris", "as you said"),
    ],
)
def test_the_zone_is_found_as_celery_finds_it_and_told(
    conf: dict[str, Any], zones: Zones, zone: str, says: str
) -> None:
    app = app_of({"task": "a.b", "schedule": Crontab(minute=0)}, {}, **conf)
    (entry,) = read_beat(app, "m:app", zones=zones).entries

    assert entry.job["schedule"]["timezone"] == zone
    (note,) = [note for note in entry.notes if note.topic == "zone"]
    assert says in note.old


def test_settings_beside_a_plain_schedule_say_the_zone() -> None:
    schedule = {"it": {"task": "a.b", "schedule": 60}}
    settings = SimpleNamespace(CELERY_TIMEZONE="Europe/Moscow", CELERY_BEAT_SCHEDULE=schedule)

    by_part = read_beat(schedule, "settings:CELERY_BEAT_SCHEDULE", beside=settings)
    by_whole = read_beat(settings, "project:settings")

    for found in (by_part, by_whole):
        assert found.entries[0].job["schedule"]["timezone"] == "Europe/Moscow"


def test_what_an_entry_or_a_file_says_beside_is_named() -> None:
    entry = {"task": "a.b", "schedule": 60, "description": "x", "options": {"link": 1}}
    found = read_beat_json(
        msgspec.json.encode({"beat_schedule": {"it": entry}, "result_backend": "x"}), "beat.json"
    )
    told = [note.old for note in found.entries[0].notes]

    assert found.warnings == ("beat.json: result_backend is not kept",)
    assert "description of the entry" in told
    assert "option link" in told


@pytest.mark.parametrize(
    "schedule", [{"minute": 0, "hours": 6}, {"every": 2, "period": "hours", "start": 1}]
)
def test_a_field_of_a_schedule_that_nobody_knows_is_not_dropped(schedule: Any) -> None:
    found = beat(schedule)

    assert found.entries == ()
    assert "fields are" in found.skipped[0].reason


def test_an_app_gives_its_zone_and_the_names_of_arguments() -> None:
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
        ({"task": "plain", "schedule": 1}, "the path of a function"),
        ({"task": "a.b", "schedule": SimpleNamespace(event="sunset", lat=1, lon=2)}, "solar"),
        ({"task": "a.b", "schedule": "soon"}, "an unknown kind"),
        ({"task": "a.b", "schedule": -1}, "an unknown kind"),
        ({"task": "a.b", "schedule": None}, "an unknown kind"),
        ({"task": "a.b", "schedule": 1, "args": (1,)}, "positional"),
        ({"task": "a.b", "schedule": 1, "kwargs": {"x": object()}}, "no JSON"),
        ({"task": "a.b", "schedule": {"minute": "99"}}, "between 0 and 59"),
        ({"task": "a.b", "schedule": {"minute": "*/0"}}, "step of zero"),
        ("nonsense", "the path of a function"),
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
        ({"crontab": 7}, "is of an unknown kind"),
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


def takes_more(first: int, **more: Any) -> None:
    """A task that takes any name."""


def app_with(entry: dict[str, Any], **conf: Any) -> SimpleNamespace:
    said = {"beat_schedule": {"it": {"task": "more", "schedule": 30.0, **entry}}, **conf}
    return SimpleNamespace(conf=said, tasks={"more": takes_more})


def test_a_function_that_takes_any_name_is_kept_with_the_names_it_is_given() -> None:
    found = read_beat(app_with({"args": [1], "kwargs": {"deep": True}}), "m:o")
    (entry,) = found.entries

    assert not found.skipped
    assert entry.job["schedule"]["arguments"] == {"first": 1, "deep": True}
    assert entry.job["parameters"] == {"first": "int", "deep": "Any"}


@pytest.mark.parametrize(
    ("routes", "queue"),
    [
        ({"more": {"queue": "slow"}}, "slow"),
        ({"mo*": "slow"}, "slow"),
        ([("other", "fast"), (re.compile("mor."), {"queue": "slow"})], "slow"),
        (({"other": "fast"}, {"more": "slow"}), "slow"),
        ({"other": "fast"}, None),
        ([lambda *_: None], None),
    ],
)
def test_the_queue_of_a_route_is_kept(routes: Any, queue: str | None) -> None:
    (entry,) = read_beat(app_with({"args": [1]}, task_routes=routes), "m:o").entries

    assert entry.job.get("queue") == queue
    assert ("queue" in topics(entry)) is ("other" not in routes)


def test_what_of_a_route_is_not_kept_is_told_and_an_entry_says_its_queue_itself() -> None:
    routes = {"more": {"queue": "slow", "routing_key": "x"}}
    entry = {"args": [1], "options": {"queue": "own"}, "relative": True}
    (kept,) = read_beat(app_with(entry, task_routes=routes), "m:o").entries

    assert kept.job["queue"] == "own"
    told = [note.old for note in kept.notes]
    assert "routing_key of task_routes" in told
    assert "relative: rounded to the clock" in told


@pytest.mark.parametrize("value", [b"x", [{"a": (b"x",)}], bytearray(b"x")])
def test_bytes_are_not_taken_for_text(value: Any) -> None:
    found = beat(30.0, kwargs={"to": value})

    assert not found.entries
    assert "hold bytes" in found.skipped[0].reason
