"""Import crontab(5): a user's table, or /etc/crontab with its user column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from rota.rules.jobs.importers.command_names import command_name
from rota.rules.jobs.importers.crontab_line import (
    BLANKS,
    comment,
    fields,
    is_user,
    looks_like_user,
    split_input,
    split_user,
    variable,
)
from rota.rules.jobs.importers.report import Collector, Imported, Note, escaped
from rota.rules.jobs.importers.text import TextLine, read_lines

_NICKNAMES = ("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")
_SHELL = "/bin/sh"
_MINUTES_CHARS = 5
_LONGEST_TOLD = 500
_RANGES = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
_MAIL = ("MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING")
_OURS = ("CRON_TZ", "MAILTO", "RANDOM_DELAY", "SHELL", *_MAIL)
"""Variables that configure cron itself."""

_KEPT = (
    Note(topic="overlap", old="a new start never waits for the old one", chose="overlap: allow"),
    Note(
        topic="catch-up",
        old="times missed for longer than five minutes are lost",
        default="the last missed one is started (catchup: last)",
        chose="catchup: none, grace: 5m",
    ),
    Note(
        topic="retries",
        old="a failure is not tried again",
        default="3 retries",
        chose="retries: 0",
    ),
)


def read_crontab(data: bytes, file: str, *, zone: str, has_user: bool = False) -> Imported:
    """Import each line that starts something; `zone` is that of the machine it ran on."""
    return _Table(file, zone, has_user=has_user).read(read_lines(data, file))


class _Table:
    """Reads a table: a variable applies to the lines below it, a comment to the next line."""

    def __init__(self, file: str, zone: str, *, has_user: bool) -> None:
        self._file = file
        self._zone = zone
        self._has_user = has_user
        self._variables: dict[str, str] = {}
        self._told: list[str] = []
        self._found = Collector()

    def read(self, lines: list[TextLine]) -> Imported:
        for each in lines:
            line = each.text.strip(BLANKS)
            if line.startswith("#"):
                self._told.append(comment(line))
                continue
            description, self._told = " ".join(filter(None, self._told))[:_LONGEST_TOLD], []
            if line:
                self._line(f"{self._file}:{each.number}", line, description, is_utf8=each.is_utf8)
        if any(each.had_cr for each in lines):
            self._found.warn(
                f"{self._file}: lines end in CR LF, as on Windows; cron hands the CR to the "
                "command, and here it is left out"
            )
        return self._found.imported()

    def _line(self, where: str, line: str, comment: str, *, is_utf8: bool) -> None:
        if not is_utf8:
            reason = (
                "it is not UTF-8 text, so its command would get other bytes than from cron; "
                "save the file as UTF-8"
            )
            self._found.skip(where, line, reason)
            return
        assignment = variable(line)
        if assignment is None:
            self._entry(where, line, comment)
        else:
            self._variables[assignment[0]] = assignment[1]

    def _entry(self, where: str, line: str, comment: str) -> None:
        notes: list[Note] = []
        text = line
        if text.startswith("-"):  # in a crontab of the system, or of root
            text = text[1:].lstrip(BLANKS)
            notes.append(Note(topic="output", old="the start is not written to syslog"))
        expression, rest = fields(text)
        user, command = split_user(rest) if self._has_user else ("", rest)
        reason = self._refusal(expression, user, command)
        if reason:
            self._found.skip(where, line, reason)
            return
        if not self._has_user and (maybe := looks_like_user(rest, self._file)):
            self._found.warn(
                f"{where}: {maybe!r} looks like a user and is taken for the program; a table of "
                "the system has a column of users: import it with --system"
            )
        if command.startswith("-"):
            self._found.warn(f"{where}: the command begins with an option, {command!r:.40}")
        job = self._job(expression, command, comment)
        notes += [*self._notes(expression, user)]
        self._found.add(command_name(command), where, job, [*notes, *_KEPT], text=line)

    def _refusal(self, expression: str, user: str, command: str) -> str:
        """Return why a line cannot be kept; empty if it can."""
        nickname = expression.lower()
        if nickname == "@reboot":
            return "@reboot has no time; start it with the machine's own services"
        if nickname.startswith("@") and nickname not in _NICKNAMES:
            return f"{expression} is not one of {', '.join(_NICKNAMES)}"
        if self._has_user and user and not is_user(user):
            return f"{user!r:.40} is not a user; without a column of users leave --system out"
        if not command:
            return "it has no command" + ("; is the column of users missing?" if user else "")
        return ""

    def _job(self, expression: str, command: str, comment: str) -> dict[str, Any]:
        job: dict[str, Any] = {"description": comment} if comment else {}
        job["command"] = self._argv(command)
        env = {name: value for name, value in self._variables.items() if name not in _OURS}
        if env:
            job["env"] = {name: escaped(value) for name, value in env.items()}
        job["cwd"] = self._variables.get("HOME") or "~"
        schedule: dict[str, Any] = {"cron": _spread(expression), "timezone": self._cron_zone}
        if self._has_own_zone:
            schedule |= {"gap": "skip", "fold": "both"}
        schedule |= {"overlap": "allow", "catchup": "none", "grace": "5m"}
        if self._delay_minutes:
            schedule |= {"jitter": f"{self._delay_minutes}m", "jitter_kind": "random"}
        return job | {"retries": 0, "schedule": schedule}

    def _argv(self, command: str) -> list[str]:
        """Return the command as words; text after a `%` is the input of the command."""
        shell = escaped(self._variables.get("SHELL") or _SHELL)
        text, stdin = split_input(command)
        if stdin is None:
            return [shell, "-c", escaped(text)]
        script = 'printf %s "$0" | "$1" -c "$2"'
        return [_SHELL, "-c", script, escaped(stdin), shell, escaped(text)]

    def _notes(self, expression: str, user: str) -> Iterator[Note]:
        yield self._dst_note(expression)
        if "~" in expression:
            yield Note(
                topic="days",
                old="~ is chosen anew at each start of the daemon",
                chose="H: spread by a hash, so always the same",
            )
        if not self._has_own_zone:
            yield Note(
                topic="zone",
                old="the zone of the machine",
                default="UTC",
                chose=f"timezone: {self._zone}",
            )
        yield from self._output_notes()
        yield from self._place_notes(user)
        delay = self._variables.get("RANDOM_DELAY")
        if self._delay_minutes:
            yield Note(
                topic="jitter",
                old=f"a random delay of up to {self._delay_minutes} minutes",
                chose=f"jitter: {self._delay_minutes}m, jitter_kind: random",
            )
        elif delay not in (None, "", "0"):
            yield Note(topic="jitter", old=f"RANDOM_DELAY={delay:.40}", default="not kept")

    def _output_notes(self) -> Iterator[Note]:
        mail = self._variables.get("MAILTO")
        says = (
            "output is thrown away" if mail == "" else f"output is mailed to {mail or 'the owner'}"
        )
        yield Note(topic="output", old=says, default="output is kept with the run: rota logs")
        lost = [name for name in _MAIL if name in self._variables]
        if lost:
            yield Note(topic="output", old=f"{', '.join(lost)} for mails", default="not kept")

    def _place_notes(self, user: str) -> Iterator[Note]:
        """Yield notes on the folder and the user of the command."""
        home = self._variables.get("HOME")
        yield Note(
            topic="folder",
            old=f"starts in HOME, {home}" if home else "starts in the home folder of its user",
            default="starts in the folder of the worker",
            chose=f"cwd: {home or '~, the home folder of the user that the command runs as'}",
        )
        if "PATH" not in self._variables:
            yield Note(
                topic="variables",
                old="PATH is cron's own, mostly /usr/bin:/bin, as the table sets none",
                default="PATH of the worker; set it under env: if that matters",
            )
        if user:
            yield Note(
                topic="user",
                old=f"runs as {user}",
                default="runs as the user of the worker; start a worker as that user",
            )

    def _dst_note(self, expression: str) -> Note:
        if self._has_own_zone:
            return Note(
                topic="dst",
                old="with CRON_TZ a time that does not exist is left out, one that comes twice "
                "may run twice",
                default="run at the first valid minute, once",
                chose="gap: skip, fold: both",
            )
        fields = expression.split()
        is_wild = len(fields) > 1 and any(field.startswith("*") for field in fields[:2])
        old = "every real hour or minute" if is_wild else "moved out of a gap, once in a fold"
        return Note(topic="dst", old=f"{old}, by cron(8); Rota does the same")

    @property
    def _has_own_zone(self) -> bool:
        return bool(self._variables.get("CRON_TZ"))

    @property
    def _cron_zone(self) -> str:
        return self._variables.get("CRON_TZ") or self._zone

    @property
    def _delay_minutes(self) -> int:
        text = self._variables.get("RANDOM_DELAY", "")
        return int(text) if text.isdecimal() and len(text) <= _MINUTES_CHARS else 0


def _spread(expression: str) -> str:
    """Convert cronie's `a~b` to `H(a-b)`; a missing number is the least or the greatest."""

    def spread(text: str, low: int, high: int) -> str:
        return re.sub(
            r"([0-9]*)~([0-9]*)",
            lambda m: f"H({m[1] or low}-{m[2] or high})" if m[1] or m[2] else "H",
            text,
        )

    if "~" not in expression:
        return expression
    return " ".join(
        spread(field, *range_) for field, range_ in zip(expression.split(" "), _RANGES, strict=True)
    )
