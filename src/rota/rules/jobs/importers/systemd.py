"""Import systemd timers and the services that they start."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from rota.errors import BadFile
from rota.rules.jobs.importers.report import Collector, Imported, Note, escaped
from rota.rules.jobs.importers.systemd_calendar import NotCalendar, read_event, read_span, span_text
from rota.rules.jobs.importers.systemd_lost import boot_notes, description, lost_notes
from rota.rules.jobs.importers.systemd_words import (
    NotWords,
    exit_codes,
    expand,
    split_commands,
    split_words,
)
from rota.rules.jobs.importers.unit_file import Sections, Unit, read_unit

_ALL_CODES = list(range(256))
_TRUE = ("1", "yes", "true", "on", "y", "t")
_ONCE = ("OnBootSec", "OnStartupSec", "OnActiveSec")
_PLAIN_TYPES = ("", "simple", "exec", "oneshot", "idle")
_ENDLESS = ("", "0", "infinity")

T = TypeVar("T")
R = TypeVar("R")

Files = Mapping[str, bytes]
"""The files beside a timer: names to contents."""


def read_timers(timers: Mapping[str, bytes], *, beside: Files, zone: str) -> Imported:
    """Import each timer with its service as a job; `zone` is that of the machine they ran on."""
    collector = Collector()
    for file, data in timers.items():
        sections = read_unit(data, file)
        if "Timer" not in sections:
            raise BadFile(f"{file}: it has no [Timer] section")
        stem = file.rsplit("/", 1)[-1].removesuffix(".timer")
        unit = _last(sections["Timer"], "Unit") or f"{stem}.service"
        try:
            timer = _Timer(sections, _service(unit, beside), zone, is_of_user=_is_of_user(file))
            job, notes = timer.translated()
            collector.add(stem, file, job, notes)
        except NotCalendar as error:
            collector.skip(file, stem, str(error))
    return collector.imported()


def _service(unit: str, beside: Files) -> Sections:
    if unit not in beside:
        raise NotCalendar(f"{unit} is not beside it, so its command is not known")
    try:
        return read_unit(beside[unit], unit)
    except BadFile as error:
        raise NotCalendar(str(error)) from error


def _is_of_user(file: str) -> bool:
    return "systemd/user/" in file


def _last(unit: Unit, key: str) -> str:
    values = unit.get(key) or [""]
    return values[-1]


class _Timer:
    """Translates one timer and its service, and gathers notes on the way."""

    def __init__(self, timer: Sections, service: Sections, zone: str, *, is_of_user: bool) -> None:
        self._sections = timer, service
        self._timer = timer["Timer"]
        self._service = service.get("Service", {})
        self._zone = zone
        self._is_of_user = is_of_user
        self._notes: list[Note] = []

    def translated(self) -> tuple[dict[str, Any], list[Note]]:
        text = description(*self._sections)
        job = ({"description": text} if text else {}) | self._command() | self._limits()
        schedules = [each | self._policies() for each in self._triggers()]
        job["schedule"] = schedules[0] if len(schedules) == 1 else schedules
        return job, [*self._notes, *lost_notes(*self._sections)]

    def _command(self) -> dict[str, Any]:
        env = self._env()
        if not self._service.get("ExecStart"):
            raise NotCalendar("its service has no ExecStart")
        lines = [*self._service.get("ExecStartPre", []), *self._service["ExecStart"]]
        parsed = [each for line in lines for each in self._commands(line, env)]
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
        return job | {"cwd": self._folder()}

    def _folder(self) -> str:
        directory = _last(self._service, "WorkingDirectory")
        if directory:
            if directory.startswith("-"):
                self._note("folder", f"WorkingDirectory={directory}: it may be missing",
                           default="a folder that is missing fails the run")  # fmt: skip
            return _plain(directory.removeprefix("-"))
        folder = "~" if self._is_of_user else "/"
        self._note("folder", f"starts in {folder}, as nothing else is said",
                   default="starts in the folder of the worker",
                   chose=f"cwd: {folder}")  # fmt: skip
        return folder

    def _commands(self, line: str, env: Mapping[str, str]) -> Iterator[tuple[bool, list[str]]]:
        """Yield each command: whether any exit code is fine, and the program with its arguments."""
        for words in _read_key("ExecStart", split_commands, line):
            prefix = re.match(r"[-@:+!|]*", words[0])
            signs = prefix[0] if prefix else ""
            if "@" in signs:
                raise NotCalendar("ExecStart=@ gives the program another name")
            if set(signs) & set("+!|"):
                self._note("user", f"ExecStart={signs}: with other rights than the unit",
                           default="runs with the rights of the worker")  # fmt: skip
            command_words = (
                [words[0][len(signs) :], *words[1:]] if words[0][len(signs) :] else words[1:]
            )
            if not command_words:
                raise NotCalendar("ExecStart is empty")
            if ":" not in signs:
                command_words = _read_key("ExecStart", lambda it: expand(it, env), command_words)
            yield "-" in signs, [_plain(word) for word in command_words]

    def _env(self) -> dict[str, str]:
        env: dict[str, str] = {}
        for line in self._service.get("Environment", []):
            for pair in _read_key("Environment", split_words, line):
                name, sign, value = pair.partition("=")
                if not sign:
                    raise NotCalendar(f"Environment: {pair!r:.40} is no NAME=value")
                env[name] = _plain(value)
        return env

    def _ok_codes(self) -> list[int]:
        text = " ".join(self._service.get("SuccessExitStatus", []))
        codes, others = exit_codes(text)
        if others:
            self._note("exit codes", f"SuccessExitStatus={' '.join(others)} counts as success",
                       default="not kept: an end by a signal is a failure")  # fmt: skip
        return list(dict.fromkeys([0, *codes])) if codes else []

    def _limits(self) -> dict[str, Any]:
        limits: dict[str, Any] = {"retries": 0}
        self._note("retries", "a failure is not tried again", default="3 retries",
                   chose="retries: 0")  # fmt: skip
        if _last(self._service, "Restart") not in ("", "no"):
            self._note("retries", f"Restart={_last(self._service, 'Restart')}",
                       default="not kept; set retries: and retry_delay:")  # fmt: skip
        kind = _last(self._service, "Type")
        if kind not in _PLAIN_TYPES:
            self._note("type", f"Type={kind}: the unit is up when the program says so",
                       default="not kept: a run lasts until its program has ended")  # fmt: skip
        spans = ("TimeoutStartSec", "TimeoutSec") if kind == "oneshot" else ("RuntimeMaxSec",)
        span = next((it for key in spans if (it := _last(self._service, key))), "")
        if span not in _ENDLESS:
            limits["timeout"] = span_text(read_span(span))
        for key in {"TimeoutStartSec", "TimeoutSec", "RuntimeMaxSec"}.difference(spans):
            if _last(self._service, key) not in _ENDLESS:
                self._note("timeout", f"{key}={_last(self._service, key)} of a unit of Type="
                           f"{kind or 'simple'}", default="not kept")  # fmt: skip
        user, group = _last(self._service, "User"), _last(self._service, "Group")
        if user or group:
            self._note("user", f"runs as {user or 'root'}{f' with group {group}' if group else ''}",
                       default="runs as the worker does; start one as that user")  # fmt: skip
        return limits

    def _triggers(self) -> list[dict[str, Any]]:
        by_zone: dict[str, list[dict[str, Any]]] = {}
        for event in self._timer.get("OnCalendar", []):
            trigger, zone_name = read_event(event)
            by_zone.setdefault(zone_name or self._zone, []).append(trigger)
        triggers_by_zone = [
            _join(triggers) | {"timezone": name} for name, triggers in by_zone.items()
        ]
        if triggers_by_zone:
            self._calendar_notes(by_zone)
        for key, from_end in (("OnUnitActiveSec", False), ("OnUnitInactiveSec", True)):
            for span in self._timer.get(key, []):
                every = {"every": span_text(read_span(span)), "timezone": self._zone}
                triggers_by_zone.append(every | ({"from_end": True} if from_end else {}))
                self._note("interval", f"{key}={span}: counted from the last "
                           f"{'end' if from_end else 'start'}",
                           chose="every: with from_end" if from_end else "every: counted from the "
                           "Unix epoch")  # fmt: skip
        if triggers_by_zone:
            self._notes += boot_notes(self._timer)
            return triggers_by_zone
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
        within = _last(self._timer, "AccuracySec") or "1min"
        self._note("accuracy", f"starts up to {within} after its time (AccuracySec)",
                   default="starts on time")  # fmt: skip
        span = read_span(_last(self._timer, "RandomizedDelaySec") or "0")
        if not span:
            return {}
        fixed = _last(self._timer, "FixedRandomDelay").lower() in _TRUE
        kind = "fixed" if fixed else "random"
        always = ", always the same (FixedRandomDelay)" if fixed else ""
        self._note("jitter", f"a random delay of up to {span_text(span)}{always}",
                   chose=f"jitter: {span_text(span)}, jitter_kind: {kind}")  # fmt: skip
        return {"jitter": span_text(span), "jitter_kind": kind}

    def _note(self, topic: str, old: str, *, default: str = "", chose: str = "") -> None:
        note = Note(topic=topic, old=old, default=default, chose=chose)
        if note not in self._notes:
            self._notes.append(note)


def _read_key(key: str, read: Callable[[T], R], value: T) -> R:
    """Read a value and add its key to the error if it is wrong."""
    try:
        return read(value)
    except NotWords as error:
        raise NotCalendar(f"{key}: {error}") from error


def _join(triggers: list[dict[str, Any]]) -> dict[str, Any]:
    return triggers[0] if len(triggers) == 1 else {"any_of": triggers}


def _plain(text: str) -> str:
    """Return the text with `%%` as a percent sign; other specifiers are refused."""
    rest = text.replace("%%", "")
    if "%" in rest:
        raise NotCalendar(f"{text!r:.60} has a specifier (%) that only systemd knows")
    return text.replace("%%", "%")
