"""Crontabs: lines become jobs that behave as cron did, or are left out with a reason."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rota.errors import BadFile
from rota.rules.jobs.importers.celery import read_beat_json
from rota.rules.jobs.importers.crontab import read_crontab
from rota.rules.jobs.importers.crontab_line import split_input
from rota.rules.jobs.importers.report import joined
from rota.rules.text.template import fill
from tests.support.imports import crontab, named, topics


def test_a_line_of_a_crontab_is_given_to_its_shell() -> None:
    entries = named(crontab())

    assert list(entries) == [
        "backup", "manage-clearsessions", "mail", "find-tmp", "report", "spread",
    ]  # fmt: skip
    assert entries["backup"].job["command"] == [
        "/bin/bash",
        "-c",
        "/usr/local/bin/backup.sh --all > /dev/null 2>&1",
    ]
    assert entries["backup"].job["env"] == {"PATH": "/usr/bin:/bin"}
    assert entries["backup"].job["retries"] == 0
    assert entries["backup"].where == "tab:6"
    assert entries["find-tmp"].job["command"][-1] == "find /tmp -name '{{}}' -delete"


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
    found = crontab(b"0 1 * * * sync\n0 2 * * * sync\n")
    both = joined([found, found])

    assert [entry.name for entry in found.entries] == ["sync", "sync-2"]
    assert [entry.name for entry in both.entries] == ["sync", "sync-2", "sync-3", "sync-2-2"]


def test_a_line_in_an_old_encoding_does_not_take_the_others_along() -> None:
    found = crontab(b"# caf\xe9\n0 1 * * * one\n0 2 * * * echo \xe9\n0 3 * * * two\n")

    assert [entry.name for entry in found.entries] == ["one", "two"]
    assert found.entries[0].job["description"] == "café"
    (skipped,) = found.skipped
    assert skipped.where == "tab:3"
    assert "not UTF-8" in skipped.reason


def test_a_byte_order_mark_is_no_part_of_the_first_line() -> None:
    (entry,) = crontab(b"\xef\xbb\xbf0 1 * * * one\n").entries

    assert entry.job["schedule"]["cron"] == "0 1 * * *"
    with pytest.raises(BadFile, match="UTF-16"):
        crontab("0 1 * * * one\n".encode("utf-16"))


def test_lines_of_windows_are_read_and_told_of() -> None:
    found = crontab(b"A=b\r\n0 1 * * * one two\r\n")

    (entry,) = found.entries
    assert entry.job["command"][-1] == "one two"
    assert entry.job["env"] == {"A": "b"}
    assert "CR LF" in found.warnings[0]


@pytest.mark.parametrize("gap", [" ", "\t", "  ", " \t ", "\t\t"])
def test_blanks_of_any_kind_stand_between_user_and_command(gap: str) -> None:
    """As the table of Debian 12 has it: the first word of the command decides what runs."""
    line = gap.join(["25 6", "* * *", "root", "test -x /usr/sbin/anacron || { run-parts /d; }"])
    (entry,) = crontab(f"{line}\n".encode(), has_user=True).entries

    assert entry.job["command"][-1] == "test -x /usr/sbin/anacron || {{ run-parts /d; }}"
    assert "runs as root" in [note.old for note in entry.notes]
    assert entry.job["schedule"]["cron"] == "25 6 * * *"


def test_a_command_starts_in_the_home_folder() -> None:
    own, other = crontab(b"0 1 * * * awk x totals.txt\nHOME=/x\n0 2 * * * awk y t\n").entries

    assert own.job["cwd"] == "~"
    assert (other.job["cwd"], other.job["env"]) == ("/x", {"HOME": "/x"})
    assert topics(other)["folder"] == "cwd: /x"
    assert "home folder" in topics(own)["folder"]


def test_a_table_of_the_system_without_its_flag_is_warned_of() -> None:
    found = crontab(b"0 1 * * * root cd / && run-parts x\n0 2 * * * backup now\n")
    of_system = read_crontab(b"0 1 * * * shop clean up\n", "/etc/cron.d/shop", zone="UTC")

    assert len(found.warnings) == 1
    assert "tab:1: 'root' looks like a user" in found.warnings[0]
    assert "--system" in found.warnings[0]
    assert "'shop' looks like a user" in of_system.warnings[0]


def test_a_table_of_a_user_with_the_flag_of_the_system_is_left_out() -> None:
    found = crontab(b"0 3 * * * /usr/bin/backup --all\n", has_user=True)

    assert found.entries == ()
    assert "is not a user" in found.skipped[0].reason
    assert "--system" in found.skipped[0].reason


def test_comments_above_a_line_are_kept_as_its_description() -> None:
    tab = b"""\
# The tables of the shop.

# m h dom mon dow command
# Clears old sessions,
# every night.
0 1 * * * one
0 2 * * * two
# 0 4 * * * taken-out
0 3 * * * three
#------
#
# Only this.
A=b
0 4 * * * four
"""
    one, two, three, four = crontab(tab).entries

    assert one.job["description"] == "Clears old sessions, every night."
    assert {"description"}.isdisjoint(two.job | three.job | four.job)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("flock -n /run/x.lock /srv/shop/manage.py clearsessions", "manage-clearsessions"),
        ("cd /srv/shop && ./manage.py migrate >> /tmp/x 2>&1", "manage-migrate"),
        ("curl -fsS -m 10 https://example.org/api/health > /dev/null", "curl-example.org-health"),
        ("A=b nice -n 19 python3 -m shop.report --all", "shop.report"),
        ("/usr/bin/php /var/www/artisan schedule:run", "artisan-schedule:run"),
        ("sudo -u www-data timeout 5m /opt/x/cleanup.sh", "cleanup"),
        ("test -x /usr/sbin/anacron || run-parts /etc/cron.daily", "run-parts-cron.daily"),
        ("[ -x /a ] && if [ ! -d /run/b ]; then /usr/lib/php/sessionclean; fi", "sessionclean"),
        ("bash -lc 'backup now'", "backup-now"),
        ("mysqldump -u root shop > /b/shop.sql", "mysqldump"),
        ("'", "cron"),
    ],
)
def test_names_tell_what_a_line_does(command: str, name: str) -> None:
    (entry,) = crontab(f"0 1 * * * {command}\n".encode()).entries

    assert entry.name == name


@pytest.mark.parametrize(
    ("command", "given", "expected"),
    [
        ("cat", None, "cat"),
        ("cat%", "", "cat"),
        ("cat%one", "one\n", "cat"),
        ("cat%one%", "one\n", "cat"),
        ("cat%one%%two", "one\n\ntwo\n", "cat"),
        (r"date +\%F", None, "date +%F"),
        (r"echo \\%x", "x\n", r"echo \\"),
        (r"echo \n \\", None, r"echo \n \\"),
        (r"cat%50\% off", "50% off\n", "cat"),
    ],
)
def test_percent_signs_and_backslashes_as_in_cron(
    command: str, given: str | None, expected: str
) -> None:
    assert split_input(command) == (expected, given)


@pytest.mark.parametrize(
    ("field", "cron"),
    [
        ("5~20 4 * * *", "H(5-20) 4 * * *"),
        ("~ 4 * * *", "H 4 * * *"),
        ("30~ 4~ * * *", "H(30-59) H(4-23) * * *"),
        ("~10 4 ~15 * *", "H(0-10) 4 H(1-15) * *"),
    ],
)
def test_a_chance_of_cronie_keeps_its_bounds(field: str, cron: str) -> None:
    (entry,) = crontab(f"{field} spread\n".encode()).entries

    assert entry.job["schedule"]["cron"] == cron


def test_variables_for_cron_itself_are_named() -> None:
    (entry,) = crontab(b"MAILFROM=a\nRANDOM_DELAY=soon\n0 1 * * * x\n").entries
    told = [note.old for note in entry.notes]

    assert "MAILFROM for mails" in told
    assert "RANDOM_DELAY=soon" in told
    assert "env" not in entry.job


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
