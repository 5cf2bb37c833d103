"""Shared tools of the tests of importers: the written job file, and its schedules' firings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from rota.model.jobs.bundle import Bundle
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.files.write import write_jobs
from rota.rules.jobs.importers.crontab import read_crontab
from rota.rules.jobs.importers.report import Entry, Imported
from rota.rules.jobs.importers.systemd import read_timers
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.triggers import compile_schedule

CRONTAB = b"""\
# m h dom mon dow command
SHELL=/bin/bash
MAILTO = "ops@example.org"
PATH="/usr/bin:/bin"

0 3 * * *  /usr/local/bin/backup.sh --all > /dev/null 2>&1
*/15 * * * * cd /srv/shop && ./manage.py clearsessions
30 6 1,15 * mon mail -s "It is 10\\% off" joe%Hello,%%where are you?
@reboot /usr/bin/agent
@daily find /tmp -name '{}' -delete
CRON_TZ=America/New_York
30 2 * * * report
RANDOM_DELAY=10
5~20 4 * * * spread
99 * * * * bad
0 0 31 2 * never
* * * *
@fortnightly x
"""
BACKUP_TIMER = b"""\
[Unit]
Description=Nightly dump

[Timer]
OnCalendar=Mon..Fri 06:00
; a comment
OnCalendar=*-*~1 05:00
Persistent=true
RandomizedDelaySec=5min

[Install]
WantedBy=timers.target
"""
BACKUP_SERVICE = b"""\
[Service]
Type=oneshot
User=postgres
Environment=DB=shop "NOTE=a b"
ExecStart=/usr/bin/pg_dump --file /b/x.sql \\
  ${DB} 100%%
TimeoutStartSec=1h 30min
SuccessExitStatus=3
"""


def bundle_of(found: Imported) -> Bundle:
    """Return the bundle read back from the written job file, with nothing lost."""
    text = write_jobs({entry.name: entry.job for entry in found.entries}, comment="by a test")
    bundle = read_bundle(text.encode(), "f.yaml")
    assert list(bundle.jobs) == [entry.name for entry in found.entries]
    return bundle


def named(found: Imported) -> dict[str, Entry]:
    bundle_of(found)
    return {entry.name: entry for entry in found.entries}


def topics(entry: Entry) -> dict[str, str]:
    return {note.topic: note.chose for note in entry.notes}


def fire_times(found: Imported, name: str, start: datetime, count: int) -> list[str]:
    schedule = bundle_of(found).schedules[name].schedule
    table = compile_schedule(schedule, seed="", calendars={})
    after = int(start.timestamp() * 1000)
    times = firings(table, after, after + 400 * 86_400_000)
    return [
        datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%dT%H:%M")
        for _, at in zip(range(count), times, strict=False)
    ]


def crontab(text: bytes = CRONTAB, **options: Any) -> Imported:
    return read_crontab(text, "tab", zone="Europe/Paris", **options)


def timers(timer: bytes = BACKUP_TIMER, service: bytes = BACKUP_SERVICE) -> Imported:
    return read_timers(
        {"units/backup.timer": timer}, beside={"backup.service": service}, zone="Europe/Paris"
    )
