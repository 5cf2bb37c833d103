"""crontab(5): lines of a user's table, or of /etc/crontab with its user column."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import Any

from rota.errors import BadFile
from rota.rules.importers.report import Collector, Imported, Note, escaped

MAX_BYTES = 1024 * 1024
_VARIABLE = re.compile(r"\s*([A-Za-z_]\w*|\"[^\"]+\"|'[^']+')\s*=\s*(.*?)\s*")
_NICKNAMES = ("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually")
_PERCENT = re.compile(r"\\%|%")
_SHELL = "/bin/sh"
_MINUTES_CHARS = 5
_OURS = ("CRON_TZ", "MAILTO", "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING",
         "RANDOM_DELAY", "SHELL")  # fmt: skip
"""Variables that speak to cron itself."""

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
    """Each line that starts something, as a job; `zone` is that of the machine it ran on."""
    if len(data) > MAX_BYTES:
        raise BadFile(f"{file}: {len(data):,} bytes are more than {MAX_BYTES:,}")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadFile(f"{file}:{line}: not UTF-8 text") from error
    return _Table(file, zone, has_user=has_user).read(text)


class _Table:
    """Variables count for the lines below them."""

    def __init__(self, file: str, zone: str, *, has_user: bool) -> None:
        self._file = file
        self._zone = zone
        self._has_user = has_user
        self._variables: dict[str, str] = {}
        self._found = Collector()

    def read(self, text: str) -> Imported:
        for number, whole in enumerate(text.splitlines(), start=1):
            line = whole.strip()
            if not line or line.startswith("#"):
                continue
            variable = _VARIABLE.fullmatch(line)
            if variable and not line[0].isdigit():
                self._variables[_unquoted(variable[1])] = _unquoted(variable[2])
            else:
                self._entry(f"{self._file}:{number}", line)
        return self._found.imported()

    def _entry(self, where: str, line: str) -> None:
        notes: list[Note] = []
        if line.startswith("-"):  # in a crontab of the system, or of root
            line = line[1:].lstrip()
            notes.append(Note(topic="output", old="the start is not written to syslog"))
        parts = line.split(None, 1 if line.startswith("@") else 5)
        count = 1 if line.startswith("@") else 5
        if len(parts) <= count:
            self._found.skip(where, line, "it has no command")
            return
        expression, command = " ".join(parts[:count]), parts[count]
        if expression.lower() == "@reboot":
            reason = "@reboot has no time; start it with the machine's own services"
            self._found.skip(where, line, reason)
            return
        if line.startswith("@") and expression.lower() not in _NICKNAMES:
            self._found.skip(where, line, f"{expression} is not one of {', '.join(_NICKNAMES)}")
            return
        user = ""
        if self._has_user:
            user, _, command = command.partition(" ")
            command = command.strip()
        if not command:
            self._found.skip(where, line, "it has no command; is the column of users missing?")
            return
        job = self._job(expression, command)
        notes += [*self._notes(expression, user)]
        self._found.add(_name_of(command), where, job, [*notes, *_KEPT], text=line)

    def _job(self, expression: str, command: str) -> dict[str, Any]:
        job: dict[str, Any] = {"command": self._argv(command)}
        env = {name: value for name, value in self._variables.items() if name not in _OURS}
        if env:
            job["env"] = {name: escaped(value) for name, value in env.items()}
        schedule: dict[str, Any] = {"cron": _spread(expression), "timezone": self._cron_zone}
        if self._has_own_zone:
            schedule |= {"gap": "skip", "fold": "both"}
        schedule |= {"overlap": "allow", "catchup": "none", "grace": "5m"}
        if self._delay_minutes:
            schedule |= {"jitter": f"{self._delay_minutes}m", "jitter_kind": "random"}
        return job | {"retries": 0, "schedule": schedule}

    def _argv(self, command: str) -> list[str]:
        """`%` ends the command; what follows is its input, each further `%` a new line."""
        shell = self._variables.get("SHELL", _SHELL)
        pieces = _split_percent(command)
        if len(pieces) == 1:
            return [shell, "-c", escaped(pieces[0])]
        script = 'printf "%s\\n" "$0" | "$1" -c "$2"'
        given = "\n".join(pieces[1:])
        return [shell, "-c", script, escaped(given), shell, escaped(pieces[0])]

    def _notes(self, expression: str, user: str) -> Iterator[Note]:
        yield self._dst_note(expression)
        if "~" in expression:
            yield Note(
                topic="days",
                old="~ is a chance anew at each start of the daemon",
                chose="H: by chance, but always the same",
            )
        if not self._has_own_zone:
            yield Note(
                topic="zone",
                old="the zone of the machine",
                default="UTC",
                chose=f"timezone: {self._zone}",
            )
        mail = self._variables.get("MAILTO")
        says = (
            "output is thrown away" if mail == "" else f"output is mailed to {mail or 'the owner'}"
        )
        yield Note(topic="output", old=says, default="output is kept with the run: rota logs")
        if user:
            yield Note(
                topic="user",
                old=f"runs as {user}",
                default="runs as the user of the worker; start a worker as that user",
            )
        if self._delay_minutes:
            yield Note(
                topic="jitter",
                old=f"a delay by chance of up to {self._delay_minutes} minutes",
                chose="jitter_kind: random",
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
        given = self._variables.get("RANDOM_DELAY", "")
        return int(given) if given.isdecimal() and len(given) <= _MINUTES_CHARS else 0


def _unquoted(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def _spread(expression: str) -> str:
    """The `a~b` of cronie as our `H(a-b)`."""
    return re.sub(
        r"(\d*)~(\d*)", lambda m: f"H({m[1]}-{m[2]})" if m[1] and m[2] else "H", expression
    )


def _split_percent(command: str) -> list[str]:
    pieces = [""]
    at = 0
    for found in _PERCENT.finditer(command):
        pieces[-1] += command[at : found.start()]
        at = found.end()
        if found[0] == "%":
            pieces.append("")
        else:
            pieces[-1] += "%"
    pieces[-1] += command[at:]
    return pieces


def _name_of(command: str) -> str:
    """The program, without its folder and ending; `cd /x && make` is named by make."""
    try:
        words = shlex.split(
            re.split(r"&&|\|\||;", command)[-1] if command.startswith("cd ") else command
        )
    except ValueError:
        words = command.split()
    for word in words:
        name = word.rsplit("/", 1)[-1]
        if name and "=" not in word and re.match(r"[A-Za-z0-9_]", name):
            return re.sub(r"\.(sh|py|pl|rb)$", "", name)
    return "cron"
