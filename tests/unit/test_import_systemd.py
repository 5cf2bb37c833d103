"""systemd timers: with their services they become jobs; calendar events become cron lines."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rota.errors import BadFile
from rota.rules.importers.systemd import read_timers
from rota.rules.importers.systemd_calendar import NotCalendar, read_event, read_span
from tests.support.imports import (
    BACKUP_SERVICE,
    BACKUP_TIMER,
    bundle_of,
    fire_times,
    timers,
    topics,
)


def test_a_timer_and_its_service_become_a_job() -> None:
    (entry,) = timers().entries

    bundle_of(timers())
    assert entry.name == "backup"
    assert entry.job["command"] == ["/usr/bin/pg_dump", "--file", "/b/x.sql", "shop", "100%"]
    assert entry.job["env"] == {"DB": "shop", "NOTE": "a b"}
    assert (entry.job["timeout"], entry.job["ok_codes"]) == ("1h 30m", [0, 3])
    assert entry.job["schedule"] == {
        "any_of": [{"cron": "0 0 6 * * mon,tue,wed,thu,fri"}, {"cron": "0 0 5 L * *"}],
        "timezone": "Europe/Paris",
        "gap": "skip",
        "fold": "first",
        "overlap": "queue_one",
        "catchup": "last",
        "jitter": "5m",
        "jitter_kind": "random",
    }
    assert topics(entry)["dst"] == "gap: skip, fold: first"
    assert "user" in topics(entry)


def test_hours_of_a_timer_are_lost_in_a_fold_as_systemd_loses_them() -> None:
    """[DST-04] as it was measured: 05:30, then 07:30."""
    timer = b"[Timer]\nOnCalendar=*-*-* *:30 America/New_York\n"

    times = fire_times(timers(timer), "backup", datetime(2024, 11, 3, 5, tzinfo=UTC), 2)

    assert times == ["2024-11-03T05:30", "2024-11-03T07:30"]


def test_intervals_of_a_timer() -> None:
    active = timers(b"[Timer]\nOnBootSec=5min\nOnUnitActiveSec=15min\n").entries[0]
    inactive = timers(b"[Timer]\nOnUnitInactiveSec=1h\nFixedRandomDelay=1\n").entries[0]

    assert active.job["schedule"]["every"] == "15m"
    assert inactive.job["schedule"]["every"] == "1h"
    assert inactive.job["schedule"]["from_end"] is True


def test_several_commands_and_free_exit_codes() -> None:
    many = timers(service=b"[Service]\nExecStartPre=-/bin/a\nExecStart=/bin/b 'c d'\n").entries[0]
    free = timers(service=b"[Service]\nExecStart=-/bin/a\n").entries[0]

    assert many.job["command"] == ["/bin/sh", "-c", "{{ /bin/a || true; }} && /bin/b 'c d'"]
    assert free.job["ok_codes"] == list(range(256))


@pytest.mark.parametrize(
    ("timer", "service", "reason"),
    [
        (b"[Timer]\nOnBootSec=5min\n", BACKUP_SERVICE, "once after a boot"),
        (b"[Timer]\n", BACKUP_SERVICE, "no OnCalendar"),
        (b"[Timer]\nOnCalendar=never\n", BACKUP_SERVICE, "never"),
        (b"[Timer]\nOnCalendar=daily\nUnit=other.service\n", BACKUP_SERVICE, "not beside it"),
        (BACKUP_TIMER, b"[Service]\n", "no ExecStart"),
        (BACKUP_TIMER, b"[Service]\nExecStart=/bin/a %i\n", "specifier"),
        (BACKUP_TIMER, b"[Service]\nExecStart=/bin/a $HOME\n", "$HOME is not set"),
        (BACKUP_TIMER, b"[Service]\nExecStart=/bin/a 'b\n", "ExecStart"),
        (b"[Timer]\nOnCalendar=daily\nRandomizedDelaySec=soon\n", BACKUP_SERVICE, "no time span"),
    ],
)
def test_a_timer_that_cannot_be_kept_is_left_out(timer: bytes, service: bytes, reason: str) -> None:
    found = timers(timer, service)

    assert found.entries == ()
    assert reason in found.skipped[0].reason


@pytest.mark.parametrize(
    ("text", "says"),
    [(b"[Service]\nA=1\n", "no .Timer. section"), (b"A=1\n", "t:1:"), (b"[Timer]\nx\n", "t:2:")],
)
def test_a_unit_file_that_is_none_is_refused(text: bytes, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read_timers({"t": text}, beside={}, zone="UTC")


@pytest.mark.parametrize(
    ("event", "cron"),
    [
        ("Mon..Fri 06:00", "0 0 6 * * mon,tue,wed,thu,fri"),
        ("Sat,Sun 12:00:30", "30 0 12 * * sun,sat"),
        ("Thursday", "0 0 0 * * thu"),
        ("*-*-01", "0 0 0 1 * *"),
        ("12-24 18:00", "0 0 18 24 12 *"),
        ("2026-12-24 18:00", "0 0 18 24 12 * 2026"),
        ("*-02~03", "0 0 0 L-2 2 *"),
        ("*-*~1 05:00", "0 0 5 L * *"),
        ("*-*-* *:0/15", "0 0,15,30,45 * * * *"),
        ("*-*-* 9..17:00", "0 0 9,10,11,12,13,14,15,16,17 * * *"),
        ("*:*", "0 * * * * *"),
        ("hourly", "0 0 * * * *"),
        ("weekly", "0 0 0 * * mon"),
        ("quarterly", "0 0 0 1 1,4,7,10 *"),
    ],
)
def test_calendar_events(event: str, cron: str) -> None:
    assert read_event(event) == ({"cron": cron}, None)


def test_the_last_monday_of_may() -> None:
    found = timers(b"[Timer]\nOnCalendar=Mon *-05~07/1 03:00 UTC\n")

    times = fire_times(found, "backup", datetime(2025, 1, 1, tzinfo=UTC), 2)

    assert times == ["2025-05-26T03:00"]


@pytest.mark.parametrize(
    "event",
    ["", "bogus", "25:00", "*-13-01", "1:2:3:4", "@1700000000", "a b c d", "10:00 Mars/Base"],
)
def test_an_event_that_is_none_is_refused(event: str) -> None:
    with pytest.raises(NotCalendar):
        read_event(event)


@pytest.mark.parametrize(
    ("span", "ms"), [("90", 90_000), ("1h 30min", 5_400_000), ("2 weeks", 1_209_600_000),
                     ("500ms", 500), ("1.5h", 5_400_000)]
)  # fmt: skip
def test_time_spans(span: str, ms: int) -> None:
    assert read_span(span) == ms
