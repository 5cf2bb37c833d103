"""systemd timers, with the services that they start."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

from rota.errors import BadFile
from rota.rules.importers.report import Collector, Imported, Note, escaped
from rota.rules.importers.systemd_calendar import NotCalendar, read_event, read_span, span_text
from rota.rules.importers.unit_file import Unit, read_unit

_VARIABLE = re.compile(r"\$\$|\$\{([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)")
_ALL_CODES = list(range(256))
_TRUE = ("1", "yes", "true", "on")
_ONCE = ("OnBootSec", "OnStartupSec", "OnActiveSec")
_LOST = ("EnvironmentFile", "LoadCredential", "CPUQuota", "MemoryMax", "Nice", "PrivateTmp",
         "ProtectSystem", "ExecStartPost", "ExecStopPost", "OnFailure")  # fmt: skip

Files = Mapping[str, bytes]
"""What lies beside a timer: file names to contents."""


def read_timers(timers: Mapping[str, bytes], *, beside: Files, zone: str) -> Imported:
    """Each timer with its service as a job; `zone` is that of the machine they ran on."""
    found = Collector()
    for file, data in timers.items():
        sections = read_unit(data, file)
        if "Timer" not in sections:
            raise BadFile(f"{file}: it has no [Timer] section")
        stem = file.rsplit("/", 1)[-1].removesuffix(".timer")
        timer = sections["Timer"]
        unit = _last(timer, "Unit") or f"{stem}.service"
        try:
            service = _service(unit, beside)
            job, notes = _Timer(timer, service, zone).translated()
            found.add(stem, file, job, notes)
        except NotCalendar as error:
            found.skip(file, stem, str(error))
    return found.imported()


def _service(unit: str, beside: Files) -> Unit:
    if unit not in beside:
        raise NotCalendar(f"{unit} is not beside it, so its command is not known")
    return read_unit(beside[unit], unit).get("Service", {})


def _last(unit: Unit, key: str) -> str:
    values = unit.get(key) or [""]
    return values[-1]


class _Timer:
    """One timer and its service; notes gather while they are read."""

    def __init__(self, timer: Unit, service: Unit, zone: str) -> None:
        self._timer = timer
        self._service = service
        self._zone = zone
        self._notes: list[Note] = []

    def translated(self) -> tuple[dict[str, Any], list[Note]]:
        job = self._command() | self._limits()
        schedules = [each | self._policies() for each in self._triggers()]
        job["schedule"] = schedules[0] if len(schedules) == 1 else schedules
        return job, self._notes

    def _command(self) -> dict[str, Any]:
        env = self._env()
        lines = [*self._service.get("ExecStartPre", []), *self._service.get("ExecStart", [])]
        if not self._service.get("ExecStart"):
            raise NotCalendar("its service has no ExecStart")
        parsed = [self._words(line, env) for line in lines]
        job: dict[str, Any] = {"command": [escaped(word) for word in parsed[0][1]]}
        if len(parsed) > 1:
            steps = [f"{shlex.join(words)}{' || true' if free else ''}" for free, words in parsed]
            script = " && ".join(f"{{ {step}; }}" if "||" in step else step for step in steps)
            job["command"] = ["/bin/sh", "-c", escaped(script)]
        elif parsed[0][0]:
            job["ok_codes"] = _ALL_CODES
        codes = self._ok_codes()
        if codes and "ok_codes" not in job:
            job["ok_codes"] = codes
        if env:
            job["env"] = {name: escaped(value) for name, value in env.items()}
        folder = _last(self._service, "WorkingDirectory").removeprefix("-")
        if folder:
            job["cwd"] = _plain(folder)
        return job

    def _words(self, line: str, env: Mapping[str, str]) -> tuple[bool, list[str]]:
        """Whether any exit code is fine, and the program with its arguments."""
        prefix = re.match(r"[-@:+!|]*", line)
        signs = prefix[0] if prefix else ""
        if "@" in signs:
            raise NotCalendar("ExecStart=@ gives the program another name")
        try:
            words = shlex.split(line[len(signs) :])
        except ValueError as error:
            raise NotCalendar(f"ExecStart: {error}") from error
        if not words:
            raise NotCalendar("ExecStart is empty")
        if ":" not in signs:
            words = [_expanded(word, env) for word in words]
        return "-" in signs, [_plain(word) for word in words]

    def _env(self) -> dict[str, str]:
        env: dict[str, str] = {}
        for line in self._service.get("Environment", []):
            try:
                pairs = shlex.split(line)
            except ValueError as error:
                raise NotCalendar(f"Environment: {error}") from error
            for pair in pairs:
                name, _, value = pair.partition("=")
                env[name] = _plain(value)
        return env

    def _ok_codes(self) -> list[int]:
        words = " ".join(self._service.get("SuccessExitStatus", [])).split()
        codes = [int(word) for word in words if word.isdecimal() and int(word) < len(_ALL_CODES)]
        return [0, *codes] if codes else []

    def _limits(self) -> dict[str, Any]:
        limits: dict[str, Any] = {"retries": 0}
        self._note("retries", "a failure is not tried again", default="3 retries",
                   chose="retries: 0")  # fmt: skip
        if _last(self._service, "Restart") not in ("", "no"):
            self._note("retries", f"Restart={_last(self._service, 'Restart')}",
                       default="not kept; say retries: and retry_delay:")  # fmt: skip
        kind = _last(self._service, "Type")
        key = "TimeoutStartSec" if kind == "oneshot" else "RuntimeMaxSec"
        span = _last(self._service, key)
        if span and span != "infinity":
            limits["timeout"] = span_text(read_span(span))
        user = _last(self._service, "User")
        if user:
            self._note("user", f"runs as {user}",
                       default="runs as the worker does; start one as that user")  # fmt: skip
        for key in _LOST:
            if self._service.get(key):
                self._note("service", f"{key} of the service", default="not kept")
        return limits

    def _triggers(self) -> list[dict[str, Any]]:
        by_zone: dict[str, list[dict[str, Any]]] = {}
        for event in self._timer.get("OnCalendar", []):
            trigger, named = read_event(event)
            by_zone.setdefault(named or self._zone, []).append(trigger)
        found = [_joined(triggers) | {"timezone": name} for name, triggers in by_zone.items()]
        if found:
            self._calendar_notes(by_zone)
        for key, from_end in (("OnUnitActiveSec", False), ("OnUnitInactiveSec", True)):
            for span in self._timer.get(key, []):
                every = {"every": span_text(read_span(span)), "timezone": self._zone}
                found.append(every | ({"from_end": True} if from_end else {}))
                self._note("interval", f"{key}={span}: counted from the last "
                           f"{'end' if from_end else 'start'}",
                           chose="every: with from_end" if from_end else "every: counted from the "
                           "Unix epoch")  # fmt: skip
        if found:
            return found
        once = [key for key in _ONCE if self._timer.get(key)]
        says = f"{once[0]} alone starts it once after a boot" if once else "it has no OnCalendar"
        raise NotCalendar(says)

    def _calendar_notes(self, by_zone: Mapping[str, Any]) -> None:
        if self._zone in by_zone:
            self._note("zone", "the zone of the machine", default="UTC",
                       chose=f"timezone: {self._zone}")  # fmt: skip
        self._note(
            "dst",
            "a time that does not exist is left out; of one that comes twice the first counts, "
            "also for hourly timers, which so lose an hour",
            default="run at the first valid minute; hourly ones every real hour",
            chose="gap: skip, fold: first",
        )

    def _policies(self) -> dict[str, Any]:
        policies: dict[str, Any] = {"gap": "skip", "fold": "first"}
        defers = _last(self._timer, "DeferReactivation").lower() in _TRUE
        policies["overlap"] = "skip" if defers else "queue_one"
        self._note(
            "overlap",
            "a running unit is not started again"
            + ("" if defers else "; if a time passed meanwhile, it starts right after"),
            default="starts overlap (overlap: allow)",
            chose=f"overlap: {policies['overlap']}",
        )
        keeps = _last(self._timer, "Persistent").lower() in _TRUE
        policies["catchup"] = "last" if keeps else "none"
        self._note(
            "catch-up",
            "one start after a time off (Persistent)" if keeps else "times missed are lost",
            default="" if keeps else "the last missed one is started (catchup: last)",
            chose=f"catchup: {policies['catchup']}",
        )
        return policies | self._delay()

    def _delay(self) -> dict[str, Any]:
        if not self._timer.get("AccuracySec"):
            self._note("accuracy", "starts within a minute after its time (AccuracySec)",
                       default="starts on time")  # fmt: skip
        span = read_span(_last(self._timer, "RandomizedDelaySec") or "0")
        if not span:
            return {}
        fixed = _last(self._timer, "FixedRandomDelay").lower() in _TRUE
        kind = "hash" if fixed else "random"
        self._note("jitter", f"a delay by chance of up to {span_text(span)}",
                   chose=f"jitter: {span_text(span)}, jitter_kind: {kind}")  # fmt: skip
        return {"jitter": span_text(span), "jitter_kind": kind}

    def _note(self, topic: str, old: str, *, default: str = "", chose: str = "") -> None:
        note = Note(topic=topic, old=old, default=default, chose=chose)
        if note not in self._notes:
            self._notes.append(note)


def _joined(triggers: list[dict[str, Any]]) -> dict[str, Any]:
    return triggers[0] if len(triggers) == 1 else {"any_of": triggers}


def _plain(text: str) -> str:
    """`%%` is a percent sign; other specifiers are known to systemd only."""
    left = text.replace("%%", "")
    if "%" in left:
        raise NotCalendar(f"{text!r:.60} has a specifier (%) that only systemd knows")
    return text.replace("%%", "%")


def _expanded(word: str, env: Mapping[str, str]) -> str:
    def value(found: re.Match[str]) -> str:
        if found[0] == "$$":
            return "$"
        name = found[1] or found[2]
        if name not in env:
            raise NotCalendar(f"${name} is not set by Environment= of the service")
        return env[name]

    return _VARIABLE.sub(value, word)
