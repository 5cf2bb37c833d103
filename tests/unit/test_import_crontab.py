"""Crontabs: lines become jobs that behave as cron did, or are left out with a reason."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rota.errors import BadFile
from rota.rules.importers.celery import read_beat_json
from rota.rules.importers.report import joined
from rota.rules.template import fill
from tests.support.imports import crontab, named, topics


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
