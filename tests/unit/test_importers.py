"""Importers: real-life files of four schedulers, what becomes of them and what the report says."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.errors import BadFile
from rota.model.bundle import Bundle
from rota.rules.importers.celery import read_beat, read_beat_json
from rota.rules.importers.cronjob import read_cronjobs
from rota.rules.importers.crontab import read_crontab
from rota.rules.importers.report import Entry, Imported, joined
from rota.rules.importers.systemd import read_timers
from rota.rules.importers.systemd_calendar import NotCalendar, read_event, read_span
from rota.rules.jobfile import read_bundle
from rota.rules.jobfile.write import write_jobs
from rota.rules.template import fill
from rota.rules.timetable import firings
from rota.rules.triggers import compile_schedule

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
CRONJOBS = b"""\
apiVersion: batch/v1
kind: CronJob
metadata: {name: report, namespace: shop}
spec:
  schedule: "30 2 * * *"
  timeZone: America/New_York
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 300
  suspend: true
  jobTemplate:
    spec:
      backoffLimit: 2
      activeDeadlineSeconds: 600
      template:
        spec:
          restartPolicy: Never
          containers:
          - name: report
            image: shop/report:3
            command: [python, -m, report]
            args: ["--region", "$(REGION)", "$$(REGION)", "{x}"]
            workingDir: /app
            env:
            - {name: REGION, value: eu}
            - {name: TOKEN, valueFrom: {secretKeyRef: {name: a, key: b}}}
            resources: {limits: {memory: 1Gi}}
---
apiVersion: v1
kind: ConfigMap
data: {on: "1"}
---
apiVersion: v1
kind: List
items:
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: entrypoint}
  spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {containers: [{image: x}]}}}}}
- apiVersion: batch/v1
  kind: CronJob
  metadata: {name: plain}
  spec:
    schedule: "*/10 * * * *"
    concurrencyPolicy: Replace
    jobTemplate:
      spec:
        template: {spec: {containers: [{image: busybox, command: [date]}]}}
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
    """The job file that is written can be read, with nothing lost."""
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


def test_a_line_of_a_crontab_is_given_to_its_shell() -> None:
    entries = named(crontab())

    assert list(entries) == ["backup", "manage", "mail", "find", "report", "spread"]
    assert entries["backup"].job["command"] == [
        "/bin/bash",
        "-c",
        "/usr/local/bin/backup.sh --all > /dev/null 2>&1",
    ]
    assert entries["backup"].job["env"] == {"PATH": "/usr/bin:/bin"}
    assert entries["backup"].job["retries"] == 0
    assert entries["backup"].where == "tab:6"
    assert entries["find"].job["command"][-1] == "find /tmp -name '{{}}' -delete"


def test_the_policies_of_cron_are_kept() -> None:
    entries = named(crontab())

    assert entries["backup"].job["schedule"] == {
        "cron": "0 3 * * *",
        "timezone": "Europe/Paris",
        "overlap": "allow",
        "catchup": "none",
        "grace": "5m",
    }
    report = entries["report"].job["schedule"]
    assert (report["timezone"], report["gap"], report["fold"]) == (
        "America/New_York",
        "skip",
        "both",
    )
    assert entries["spread"].job["schedule"]["cron"] == "H(5-20) 4 * * *"
    assert entries["spread"].job["schedule"]["jitter"] == "10m"
    assert topics(entries["report"])["dst"] == "gap: skip, fold: both"
    assert topics(entries["backup"])["catch-up"] == "catchup: none, grace: 5m"


def test_percent_signs_become_the_input_of_the_command(tmp_path: Path) -> None:
    tab = b"* * * * * cat > out; echo 5\\%%one%%{three}\n"
    (entry,) = crontab(tab).entries
    argv = [fill(word, {}) for word in entry.job["command"]]

    printed = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=True)

    assert printed.stdout == "5%\n"
    assert (tmp_path / "out").read_text() == "one\n\n{three}\n"


def test_lines_that_cannot_be_kept_are_left_out_with_a_reason() -> None:
    skipped = {each.where: each.reason for each in crontab().skipped}

    assert list(skipped) == ["tab:9", "tab:15", "tab:16", "tab:17", "tab:18"]
    assert "no time" in skipped["tab:9"]
    assert "99 is not between 0 and 59" in skipped["tab:15"]
    assert "never fire" in skipped["tab:16"]
    assert skipped["tab:17"] == "it has no command"


def test_a_system_table_has_a_column_of_users() -> None:
    found = crontab(b"17 * * * * root run-parts /etc/cron.hourly\n0 1 * * * www\n", has_user=True)

    (entry,) = found.entries
    assert entry.job["command"][-1] == "run-parts /etc/cron.hourly"
    assert any(note.old == "runs as root" for note in entry.notes)
    assert "column of users" in found.skipped[0].reason


@pytest.mark.parametrize("line", [b"-*/5 * * * * backup", b"- 0 6 * * * backup", b"-@daily backup"])
def test_a_line_that_cronie_keeps_out_of_syslog(line: bytes) -> None:
    (entry,) = crontab(line).entries

    assert (entry.name, entry.job["command"][-1]) == ("backup", "backup")
    assert not str(entry.job["schedule"]["cron"]).startswith("-")
    assert "the start is not written to syslog" in [note.old for note in entry.notes]


def test_names_that_come_twice_get_a_number() -> None:
    found = crontab(b"0 1 * * * sync a\n0 2 * * * sync b\n")
    both = joined([found, found])

    assert [entry.name for entry in found.entries] == ["sync", "sync-2"]
    assert [entry.name for entry in both.entries] == ["sync", "sync-2", "sync-3", "sync-2-2"]


def test_a_crontab_that_is_no_text_is_refused_with_the_line() -> None:
    with pytest.raises(BadFile, match="tab:2: not UTF-8"):
        crontab(b"# a\n\xff\n")


def test_a_cronjob_becomes_a_command() -> None:
    entries = named(read_cronjobs(CRONJOBS, "c.yaml"))
    job = entries["report"].job

    assert list(entries) == ["report", "plain"]
    assert job["command"] == ["python", "-m", "report", "--region", "eu", "$(REGION)", "{{x}}"]
    assert job["env"] == {"REGION": "eu"}
    assert job["cwd"] == "/app"
    assert (job["retries"], job["retry_delay"], job["retry_cap"]) == (2, "10s", "6m")
    assert (job["timeout"], job["retry_within"]) == ("600s", "600s")


def test_the_policies_of_kubernetes_are_kept() -> None:
    entries = named(read_cronjobs(CRONJOBS, "c.yaml"))

    assert entries["report"].job["schedule"] == {
        "cron": "30 2 * * *",
        "dialect": "kubernetes",
        "timezone": "America/New_York",
        "gap": "skip",
        "fold": "both",
        "overlap": "newest",
        "catchup": "last",
        "start_within": "300s",
        "paused": True,
    }
    assert entries["plain"].job["schedule"]["overlap"] == "cancel_old"
    assert entries["plain"].job["schedule"]["timezone"] == "UTC"
    assert "secret" in str(entries["report"].notes)


def test_dst_days_of_a_cronjob_are_those_of_its_controller() -> None:
    """[DST-01] and [DST-02]: not in the gap, twice in the fold."""
    found = read_cronjobs(CRONJOBS.replace(b"30 2", b"30 1"), "c.yaml")

    fold = fire_times(found, "report", datetime(2024, 11, 3, 4, tzinfo=UTC), 2)
    gap = fire_times(
        read_cronjobs(CRONJOBS, "c.yaml"), "report", datetime(2024, 3, 9, 12, tzinfo=UTC), 1
    )

    assert fold == ["2024-11-03T05:30", "2024-11-03T06:30"]
    assert gap == ["2024-03-11T06:30"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((b"command: [date]", b"args: [x]"), "entrypoint"),
        ((b"[{image: busybox, command: [date]}]", b"[{image: a}, {image: b}]"), "several"),
        ((b"[{image: busybox, command: [date]}]", b"[]"), "no containers"),
        ((b"command: [date]", b"command: date"), "lists of texts"),
        ((b"concurrencyPolicy: Replace", b"concurrencyPolicy: Maybe"), "not known"),
        ((b"spec:\n        template", b"spec:\n        completions: 3\n        template"),
         "above 1"),
        ((b'"*/10 * * * *"', b"5"), "no schedule"),
        ((b'"*/10 * * * *"', b'"61 * * * *"'), "not between 0 and 59"),
        ((b'"*/10 * * * *"', b'"0 0 * * 7"'), ""),
    ],
)  # fmt: skip
def test_a_cronjob_that_cannot_be_kept_is_left_out(
    change: tuple[bytes, bytes], reason: str
) -> None:
    found = read_cronjobs(CRONJOBS.replace(*change), "c.yaml")

    assert "plain" not in named(found)
    (skipped,) = [each for each in found.skipped if each.text == "plain"]
    assert reason in skipped.reason


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"a: [", "not YAML"),
        (b"a: 1", "no Kubernetes object"),
        (b"kind: CronJob\nspec: {}", "apiVersion"),
        (b"kind: CronJob\napiVersion: batch/v1\n", "a CronJob has a spec"),
    ],
)
def test_a_manifest_that_is_none_is_refused(text: bytes, says: str) -> None:
    with pytest.raises(BadFile, match=says):
        read_cronjobs(text, "c.yaml")


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
    ("schedule", "cron"),
    [
        ({"crontab": {"minute": "0", "hour": 6}}, "0 6 * * *"),
        ({"crontab": {"minute": "*/15"}}, "*/15 * * * *"),
        ({"crontab": {}}, "* * * * *"),
        ({"crontab": "0 6 * * mon-fri"}, "0 6 * * mon,tue,wed,thu,fri"),
    ],
)
def test_a_crontab_of_beat_spelled_out_in_json(schedule: Any, cron: str) -> None:
    entry = {"task": "shop.report", "schedule": schedule}

    (found,) = read_beat_json(msgspec.json.encode({"report": entry}), "beat.json").entries

    assert found.job["schedule"]["cron"] == cron


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


def timers(timer: bytes = BACKUP_TIMER, service: bytes = BACKUP_SERVICE) -> Imported:
    return read_timers(
        {"units/backup.timer": timer}, beside={"backup.service": service}, zone="Europe/Paris"
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


LINES = st.text(
    st.sampled_from(list("*0123456789,-/@%~=[]# \n\tabcOnTimer.:LWH{}'\"\\$")), max_size=400
)


@pytest.mark.parametrize(
    "read",
    [
        crontab,
        lambda data: read_cronjobs(data, "f"),
        lambda data: read_beat_json(data, "f"),
        lambda data: timers(b"[Timer]\nOnCalendar=" + data),
        lambda data: timers(service=b"[Service]\nExecStart=" + data),
    ],
    ids=["crontab", "cronjob", "celery", "timer", "service"],
)
@given(text=LINES)
def test_whatever_is_imported_can_be_applied_or_is_left_out(
    read: Callable[[bytes], Imported], text: str
) -> None:
    try:
        found = read(text.encode())
    except BadFile:
        return
    assert len(bundle_of(found).jobs) == len(found.entries)


@given(
    st.dictionaries(
        st.text(max_size=5),
        st.fixed_dictionaries(
            {"task": st.just("a.b")},
            optional={
                "schedule": st.floats() | st.text(max_size=5) | st.dictionaries(
                    st.sampled_from(["minute", "hour", "day_of_week", "every", "period"]),
                    st.text(st.sampled_from(list("*/,-0123456789mon")), max_size=8) | st.integers(),
                ),
                "args": st.lists(st.integers()) | st.integers(),
                "kwargs": st.dictionaries(st.text(max_size=3), st.integers()) | st.integers(),
                "options": st.dictionaries(st.just("queue"), st.text() | st.floats()),
            },
        ),
        max_size=3,
    )
)  # fmt: skip
def test_whatever_beat_holds(entries: dict[str, Any]) -> None:
    found = read_beat(entries, "m:o")

    assert len(found.entries) + len(found.skipped) == len(entries)
    bundle_of(found)
