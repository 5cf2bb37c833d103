"""Random crontabs, and what all importers write: compared with a reading that shares no code."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from rota.cli.pages.import_report import report_text
from rota.rules.jobs.files.read import read_bundle
from rota.rules.jobs.files.write import write_jobs
from rota.rules.jobs.importers.crontab import read_crontab
from rota.rules.jobs.importers.report import Imported
from rota.rules.jobs.importers.shared import with_defaults
from rota.rules.text.template import fill
from tests.support.imports import CRONTAB, crontab

BLANKS = st.sampled_from([" ", "\t", "  ", " \t", "\t\t "])
TIMES = st.sampled_from(
    [
        ("0", "3", "*", "*", "*"),
        ("*/15", "*", "1,15", "jan", "mon-fri"),
        ("5-9", "6", "*", "*", "7"),
    ]
)
NICKNAMES = st.sampled_from(["@daily", "@hourly", "@weekly"])
USERS = st.sampled_from(["root", "www-data", "_apt", "joe.b"])
WORDS = st.sampled_from(
    ["/bin/run", "a", "'b c'", '"d"', "{x}", "{", "}}", "%", r"\%", r"\\", "=", "A=b", "#", "$HOME",
     "|", "&&", ">", "é", "漢", "~", "\x0b", "\x0c", "\u2028", "\x85", "\xa0", "test", "-x", ";"]
)  # fmt: skip
VALUES = st.sampled_from(["/bin", '"a b"', "'c'", "", "x=y", "{z}", "é", '"', "$PATH:/x"])
NAMES = st.sampled_from(["PATH", "HOME", "A_1", "SHELL", "MAILTO", '"B C"', "x-y"])


class Said(NamedTuple):
    """A line as it is written, and as it is meant."""

    text: str
    times: str = ""
    user: str = ""
    command: str = ""
    name: str = ""
    value: str = ""


@st.composite
def entries(draw: st.DrawFn, *, with_user: bool) -> Said:
    is_named = draw(st.booleans())
    fields = (draw(NICKNAMES),) if is_named else draw(TIMES)
    user = draw(USERS) if with_user else ""
    # The first word is a program: what looks like another field would be one.
    words = ["/bin/go", *draw(st.lists(WORDS, max_size=6))]
    command = words[0] + "".join(draw(BLANKS) + word for word in words[1:])
    parts = [*fields, *([user] if user else []), command]
    text = draw(st.sampled_from(["", " ", "\t"])) + parts[0]
    text += "".join(draw(BLANKS) + part for part in parts[1:])
    return Said(text + draw(st.sampled_from(["", " ", "\t"])), " ".join(fields), user, command)


@st.composite
def variables(draw: st.DrawFn) -> Said:
    name, value = draw(NAMES), draw(VALUES)
    sign = draw(st.sampled_from(["=", " = ", "\t=", "=  "]))
    return Said(f"{name}{sign}{value}", name=name.strip('"'), value=_bare(value))


def _bare(value: str) -> str:
    for quote in ("'", '"'):
        if len(value) > 1 and value.startswith(quote) and value.endswith(quote):
            return value[1:-1]
    return value


COMMENTS = st.sampled_from(["", "  ", "# a", " # b é", "#", "#0 1 * * * gone"]).map(Said)
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def tables(draw: st.DrawFn) -> tuple[bytes, list[Said], bool]:
    with_user = draw(st.booleans())
    lines = draw(st.lists(entries(with_user=with_user) | variables() | COMMENTS, max_size=12))
    data = b"".join(f"{line.text}{draw(ENDS)}".encode() for line in lines)
    if draw(st.booleans()):
        data = b"\xef\xbb\xbf" + data
    if draw(st.booleans()):
        data += b"# na\xefve, in Latin-1\n"
    return data, lines, with_user


def cron_splits(command: str) -> tuple[str, str | None]:
    """As crontab(5) tells it, sign by sign: what the shell gets, and what it reads."""
    shell, state = "", "plain"
    for at, sign in enumerate(command):
        if state == "plain" and sign == "%":
            rest = command[at + 1 :].replace("\\%", "\0").replace("%", "\n").replace("\0", "%")
            return shell, rest + ("" if not rest or rest.endswith("\n") else "\n")
        if state == "escaped":
            shell += "%" if sign == "%" else f"\\{sign}"
            state = "plain"
        elif sign == "\\":
            state = "escaped"
        else:
            shell += sign
    return shell + ("\\" if state == "escaped" else ""), None


def meant(lines: list[Said]) -> list[dict[str, Any]]:
    """What cron would do with each line that it starts."""
    env: dict[str, str] = {}
    found = []
    for line in lines:
        if line.name:
            env[line.name] = line.value
        elif line.command:
            shell, read = cron_splits(line.command)
            found.append(
                {
                    "times": line.times,
                    "user": line.user,
                    "shell": env.get("SHELL") or "/bin/sh",
                    "command": shell,
                    "input": read,
                    "env": {k: v for k, v in env.items() if k not in ("SHELL", "MAILTO")},
                    "cwd": env.get("HOME") or "~",
                }
            )
    return found


def imported(found: Imported) -> list[dict[str, Any]]:
    """The same from the job file that is written, by what a worker would start."""
    defaults, jobs = with_defaults({entry.name: entry.job for entry in found.entries})
    bundle = read_bundle(write_jobs(jobs, defaults=defaults).encode(), "f.yaml")
    told = []
    for entry in found.entries:
        target: Any = bundle.jobs[entry.name].target
        argv = [fill(word, {}) for word in target.argv]
        is_fed = len(argv) > 3
        users = [note.old for note in entry.notes if note.topic == "user"]
        trigger: Any = bundle.schedules[entry.name].schedule.trigger
        told.append(
            {
                "times": trigger.expression,
                "user": users[0].removeprefix("runs as ") if users else "",
                "shell": argv[4] if is_fed else argv[0],
                "command": argv[5] if is_fed else argv[2],
                "input": argv[3] if is_fed else None,
                "env": {name: fill(value, {}) for name, value in target.env.items()},
                "cwd": target.cwd,
            }
        )
    return told


@given(tables())
def test_a_crontab_is_read_as_cron_reads_it(table: tuple[bytes, list[Said], bool]) -> None:
    data, lines, with_user = table
    found = read_crontab(data, "tab", zone="UTC", has_user=with_user)

    assert found.skipped == ()
    assert imported(found) == meant(lines)


@given(tables())
def test_what_is_shared_is_said_once_and_means_the_same(
    table: tuple[bytes, list[Said], bool],
) -> None:
    data, _, with_user = table
    found = read_crontab(data, "tab", zone="Europe/Paris", has_user=with_user)
    plain = {entry.name: entry.job for entry in found.entries}
    defaults, jobs = with_defaults(plain)

    whole = read_bundle(write_jobs(plain).encode(), "f.yaml")
    shared = read_bundle(write_jobs(jobs, defaults=defaults).encode(), "f.yaml")
    assert replace(shared, places={}) == replace(whole, places={})
    if len(jobs) > 1:
        assert {"timezone", "overlap", "catchup", "grace", "retries"} <= set(defaults)


def test_the_report_says_each_thing_once() -> None:
    found = crontab(CRONTAB)
    text = report_text(found)

    said = [line.strip() for line in text.splitlines() if re.match(r"  \S+\s{2,}\S", line)]
    notes = {note for entry in found.entries for note in entry.notes}
    assert len(said) == len(notes) + len(found.entries)
    assert text.count("a failure is not tried again") == 1
    assert text.startswith("6 imported, 5 left out")
    assert "all 6:" in text
