"""systemd timers: with their services they become jobs; calendar events become cron lines."""

from __future__ import annotations

import re
import shutil
import subprocess
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rota.engine.schedules.compiled import CompiledSchedules
from rota.errors import BadFile
from rota.rules.jobs.importers.report import Entry
from rota.rules.jobs.importers.systemd import read_timers
from rota.rules.jobs.importers.systemd_calendar import NotCalendar, read_event, read_span
from rota.rules.jobs.importers.systemd_words import EXIT_CODES
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.triggers import compile_schedule
from tests.support.imports import (
    BACKUP_SERVICE,
    BACKUP_TIMER,
    bundle_of,
    fire_times,
    timers,
    topics,
)

ANALYZE = shutil.which("systemd-analyze")


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

    assert "OnBootSec=5min" in str(active.notes)
    assert active.job["schedule"]["every"] == "15m"
    assert inactive.job["schedule"]["every"] == "1h"
    assert inactive.job["schedule"]["from_end"] is True


def test_several_commands_and_free_exit_codes() -> None:
    many = timers(service=b"[Service]\nExecStartPre=-/bin/a\nExecStart=/bin/b 'c d'\n").entries[0]
    free = timers(service=b"[Service]\nExecStart=-/bin/a\n").entries[0]

    assert many.job["command"] == ["/bin/sh", "-c", "{{ /bin/a || true; }} && /bin/b 'c d'"]
    assert free.job["ok_codes"] == list(range(256))


def service(lines: str) -> Entry:
    found = timers(service=f"[Service]\n{lines}\n".encode())
    bundle_of(found)
    return found.entries[0]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("ExecStart=/bin/a ; /bin/b c", ["/bin/sh", "-c", "/bin/a && /bin/b c"]),
        (r"ExecStart=/bin/a \; b;c", ["/bin/a", ";", "b;c"]),
        (r"ExecStart=/bin/a d\x20e \s 'f g'", ["/bin/a", "d e", " ", "f g"]),
        ("Environment=X='1 2'\nExecStart=/bin/a $X ${X}b c$X $$X",
         ["/bin/a", "1", "2", "1 2b", "c$X", "$X"]),
        ("Environment='X=1 2'\nExecStart=:/bin/a $X", ["/bin/a", "$X"]),
        ("ExecStart=+/bin/a", ["/bin/a"]),
    ],
)  # fmt: skip
def test_words_of_a_command_are_those_of_systemd(line: str, command: list[str]) -> None:
    assert service(line).job["command"] == command


def test_a_unit_starts_in_the_folder_that_systemd_gives_it() -> None:
    plain, own = service("ExecStart=a"), service("ExecStart=a\nWorkingDirectory=-/srv")
    user = read_timers(
        {"/home/a/.config/systemd/user/b.timer": b"[Timer]\nOnCalendar=daily\n"},
        beside={"b.service": b"[Service]\nExecStart=a\n"},
        zone="UTC",
    ).entries[0]

    assert [each.job["cwd"] for each in (plain, own, user)] == ["/", "/srv", "~"]
    assert "may be missing" in str(own.notes)


def test_names_of_exit_codes_are_known_and_signals_are_told_of() -> None:
    entry = service("ExecStart=a\nSuccessExitStatus=DATAERR 75 SIGTERM FAILURE")

    assert entry.job["ok_codes"] == [0, 65, 75, 1]
    assert "SuccessExitStatus=SIGTERM" in str(entry.notes)


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
def test_the_names_of_exit_codes_are_those_of_systemd() -> None:
    said = subprocess.run([str(ANALYZE), "exit-status"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in said.stdout.splitlines()[1:]]
    theirs = {row[0]: int(row[1]) for row in rows if len(row) > 1}

    assert {name: EXIT_CODES.get(name) for name in theirs} == theirs


def test_every_key_that_is_not_kept_is_named() -> None:
    timer = b"""\
[Unit]
Description=Nightly
Requires=network.target
ConditionACPower=true
[Timer]
OnCalendar=daily
OnBootSec=1min
OnUnitActiveSec=1h
WakeSystem=true
AccuracySec=1us
[Install]
WantedBy=timers.target
"""
    unit = b"""\
[Unit]
Description=Dumps the shop
After=postgresql.service
ConditionPathExists=/srv/shop
AssertHost=a
[Service]
Type=notify
ExecCondition=/bin/test
ExecStart=/bin/a
EnvironmentFile=/etc/default/shop
PassEnvironment=PGHOST
TimeoutStartSec=5
Restart=on-failure
User=shop
Group=staff
Nice=5
OOMScoreAdjust=10
"""
    (entry,) = timers(timer, unit).entries
    told = "\n".join(f"{note.old} {note.default}" for note in entry.notes)

    assert entry.job["description"] == "Dumps the shop"
    for key in re.findall(rb"^(\w+)=", timer + unit, re.MULTILINE):
        name = key.decode()
        carried = {"Description", "OnCalendar", "ExecStart", "User", "Group"}
        assert name in told or name in carried, name
    assert "runs as shop with group staff" in told
    assert "pass_env" in told
    assert "timeout" not in entry.job


def test_a_delay_that_is_always_the_same_stays_so() -> None:
    timer = b"[Timer]\nOnCalendar=daily\nRandomizedDelaySec=1h\nFixedRandomDelay=true\n"
    (entry,) = timers(timer).entries
    plan = CompiledSchedules("", lambda: 0.5)
    schedule = bundle_of(timers(timer)).schedules["backup"].schedule
    compiled = plan.compile(schedule, seed="default/backup", calendars={})

    days = [day * 86_400_000 for day in range(20_000, 20_010)]
    delays = {plan.look_at(compiled, day, seed="default/backup") - day for day in days}
    assert entry.job["schedule"]["jitter_kind"] == "fixed"
    assert len(delays) == 1
    assert 0 < delays.pop() < 3_600_000


def test_one_comment_in_an_old_encoding_does_not_refuse_a_unit() -> None:
    timer = b"\xef\xbb\xbf[Timer]\r\n# caf\xe9\r\nOnCalendar=daily\r\n"
    (entry,) = timers(timer, BACKUP_SERVICE + b"; \xe9\n").entries
    broken = timers(timer, BACKUP_SERVICE + b"Environment=A=\xe9\n")

    assert entry.job["schedule"]["cron"] == "0 0 0 * * *"
    assert "backup.service:9: not UTF-8" in broken.skipped[0].reason


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
        (
            b"[Timer]\nOnCalendar=daily\nRandomizedDelaySec=soon\n",
            BACKUP_SERVICE,
            "not a time span",
        ),
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
        ("Wed, 17:48", "0 48 17 * * wed"),
        ("33-3-5 05:40", "0 40 5 5 3 * 2033"),
        ("72..73-1-1", "0 0 0 1 1 * 1972,1973"),
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


def field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high).map(str)
    two = st.tuples(st.integers(low, high), st.integers(low, high)).map(sorted)
    span = two.map(lambda ends: f"{ends[0]}..{ends[1]}")
    # A step that leads past the end is refused by systemd.
    steps = st.integers(low, high - 1).flatmap(
        lambda start: st.integers(1, high - start).map(lambda step: f"{start}/{step}")
    )
    stepped = two.filter(lambda ends: ends[0] < ends[1]).flatmap(
        lambda ends: st.integers(1, ends[1] - ends[0]).map(
            lambda step: f"{ends[0]}..{ends[1]}/{step}"
        )
    )
    single = number | span | steps | stepped
    return st.just("*") | st.lists(single, min_size=1, max_size=3).map(",".join)


WEEKDAYS = st.sampled_from(
    ["", "", "Mon ", "Mon..Fri ", "Sat,Sun ", "Wed, ", "Tue,Thu..Sat ", "sunday "]
)
DATES = (
    st.just("")
    | st.builds(
        "{}{}{}{} ".format,
        st.sampled_from(["", "*-", "2026..2028-", "27-"]),
        field(1, 12),
        st.sampled_from(["-"]),
        field(1, 28),
    )
    | st.sampled_from(["*-*~1 ", "*-2~3 ", "*-*~7/2 "])
)
CLOCKS = st.builds(
    "{}:{}{}".format, field(0, 23), field(0, 59), st.sampled_from(["", ":00", ":0/20"])
)


def elapses(events: list[str]) -> list[list[str]]:
    """What systemd itself says: the next times of each event."""
    command = [str(ANALYZE), "calendar", "--base-time=2026-01-01 00:00:00 UTC", "--iterations=4"]
    said = subprocess.run(
        [*command, *(f"{event} UTC" for event in events)],
        capture_output=True, text=True, check=True, env={"TZ": "UTC", "LANG": "C"},
    )  # fmt: skip
    found: list[list[str]] = []
    for line in map(str.strip, said.stdout.splitlines()):
        if line.startswith("Next elapse:"):
            found.append([])
        if line.startswith(("Next elapse:", "Iter", "Iteration")) and "never" not in line:
            found[-1].append(line.split(": ", 1)[1][4:23])
    return found


def our_times(event: str) -> list[str]:
    timer = f"[Timer]\nOnCalendar={event} UTC\n".encode()
    found = timers(timer)
    if not found.entries:
        return []
    table = compile_schedule(bundle_of(found).schedules["backup"].schedule, seed="", calendars={})
    start = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    times = firings(table, start, start + 40 * 366 * 86_400_000)
    return [
        datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S")
        for _, at in zip(range(4), times, strict=False)
    ]


@pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed")
@settings(max_examples=15)
@given(st.lists(st.builds("{}{}{}".format, WEEKDAYS, DATES, CLOCKS), min_size=8, max_size=8))
def test_calendar_events_elapse_when_systemd_says(events: list[str]) -> None:
    for event, theirs in zip(events, elapses(events), strict=True):
        assert our_times(event) == theirs, event
