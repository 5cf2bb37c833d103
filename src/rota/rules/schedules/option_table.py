"""The table of schedule options; files, docs and readers use it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any, get_args

import msgspec

from rota.errors import BadOption
from rota.model.schedules.definitions import Calendar, Catchup, Fold, Gap, JitterKind, Overlap, Roll
from rota.rules.runs.deadlines import read_deadline
from rota.rules.runs.labels import read_labels
from rota.rules.schedules.arguments import written
from rota.rules.schedules.trigger_options import flag, time_text
from rota.rules.schedules.zones import zone
from rota.rules.text.checks import duration_ms, one_of, positive_ms, whole_number
from rota.rules.text.duration import format_duration
from rota.rules.text.names import check_name
from rota.rules.text.option import (
    COUNT,
    DEADLINE,
    DURATION,
    FLAG,
    LABELS,
    NAME,
    OBJECT,
    TEXT,
    Option,
    Time,
)

MAX_PARALLEL = 10_000
MAX_WAITING = 100_000
MAX_RUNS = 1_000_000_000
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _name(_: str, value: object) -> str:
    return check_name("schedule", value)


def _zone(_: str, value: object) -> str:
    return zone(str(value)).name


def _word(words: tuple[str, ...]) -> Callable[[str, object], str]:
    return lambda field, value: one_of(field, value, words)


def _number(low: int, high: int) -> Callable[[str, object], int]:
    return lambda field, value: whole_number(field, value, low, high)


def _duration(field: str, value: Any) -> str:
    """Return a duration as written; numbers of seconds and timedeltas are converted to text."""
    ms = duration_ms(field, value)
    return value if isinstance(value, str) else format_duration(ms)


def _positive(field: str, value: Any) -> str:
    positive_ms(field, value)
    return _duration(field, value)


def _arguments(field: str, value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
        raise BadOption(f"{field}={value!r:.64} is not a mapping from parameters to values")
    try:
        args: dict[str, Any] = written(value)
        msgspec.json.encode(args)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadOption(f"{field}: {error}") from error
    return args


def _calendar(field: str, raw: object) -> str | Calendar:
    if isinstance(raw, str):
        return raw
    data = msgspec.to_builtins(raw) if isinstance(raw, Calendar) else raw
    if not isinstance(data, Mapping):
        raise BadOption(f"{field}={raw!r:.64} is neither a name, a code nor a calendar")
    # YAML reads the bare words `on` and `off` as true and false, also where they are keys.
    fields = {{True: "on", False: "off"}.get(key, key): value for key, value in data.items()}
    try:
        return msgspec.convert({key: _plain(key, fields[key]) for key in fields}, type=Calendar)
    except msgspec.ValidationError as error:
        raise BadOption(f"{field}: {error}") from error


def _plain(key: object, value: object) -> object:
    """Return dates as text, since YAML parses them, and weekdays as numbers."""
    if not isinstance(value, list | tuple):
        return value
    if key == "weekend":
        return [_weekday(day) for day in value]
    return [day.isoformat() if isinstance(day, date) else day for day in value]


def _weekday(value: object) -> object:
    if not isinstance(value, str):
        return value
    name = value.strip().lower()[:3]
    if name not in _WEEKDAYS:
        raise BadOption(f"calendar: weekend has {value!r:.40}, which is no day of the week")
    return _WEEKDAYS.index(name)


_RULE = ("rule",)
OPTIONS = (
    Option("name", _name, {"type": "string", "pattern": NAME}),
    Option(
        "zone",
        _zone,
        TEXT,
        "the time zone of its wall times",
        default="`UTC`",
        synonym="timezone",
        where=_RULE,
        body=str,
    ),
    Option(
        "gap",
        _word(get_args(Gap)),
        {"enum": list(get_args(Gap))},
        "[wall times that do not exist, or come twice](cron.md#when-clocks-are-changed)",
        default="`cron`",
        where=_RULE,
        body=Gap,
    ),
    Option(
        "fold",
        _word(get_args(Fold)),
        {"enum": list(get_args(Fold))},
        default="`cron`",
        where=_RULE,
        body=Fold,
    ),
    Option("start", time_text, TEXT, "[bounds](triggers.md#bounds)", body=str),
    Option("end", time_text, TEXT, body=str),
    Option("count", _number(1, MAX_RUNS), COUNT, body=int),
    Option(
        "calendar",
        _calendar,
        {"anyOf": [TEXT, {"$ref": "#/$defs/calendar"}]},
        "[business days](triggers.md#calendars)",
        where=_RULE,
        body=str | dict[str, Any],
    ),
    Option("roll", _word(get_args(Roll)), {"enum": list(get_args(Roll))}, where=_RULE, body=Roll),
    Option(
        "overlap",
        _word(get_args(Overlap)),
        {"type": "string", "examples": list(get_args(Overlap))},
        "[starts while the last run has not ended](#overlap)",
        default="`allow`",
        body=Overlap,
    ),
    Option("parallel", _number(1, MAX_PARALLEL), COUNT, default="`1`", body=int),
    Option("backlog", _number(1, MAX_WAITING), COUNT, default="`100`", body=int),
    Option(
        "catchup",
        _word(get_args(Catchup)),
        {"enum": list(get_args(Catchup))},
        "[firings that were missed](#missed-firings)",
        default="`last`",
        body=Catchup,
    ),
    Option("catchup_limit", _number(1, MAX_WAITING), COUNT, default="`100`", body=int),
    Option("catchup_window", _positive, DURATION, default="`1d`", body=Time),
    Option("grace", _duration, DURATION, default="`1m`", body=Time),
    Option(
        "jitter",
        _positive,
        DURATION,
        "[a small delay, so that not all start at once](#jitter)",
        default="none",
        body=Time,
    ),
    Option(
        "jitter_kind",
        _word(get_args(JitterKind)),
        {"enum": list(get_args(JitterKind))},
        default="`hash`",
        body=JitterKind,
    ),
    Option(
        "start_within",
        _positive,
        DURATION,
        "[the latest start after a firing](#missed-firings)",
        body=Time,
    ),
    Option(
        "deadline",
        read_deadline,
        DEADLINE,
        "[the deadline of its runs](#deadlines), instead of that of the job",
        body=Time,
    ),
    Option(
        "pause_after",
        _number(1, MAX_RUNS),
        COUNT,
        "[pause after this many failures in a row](#pausing)",
        body=int,
    ),
    Option(
        "is_paused",
        flag,
        FLAG,
        "begin paused",
        default="`False`",
        synonym="paused",
        body=bool,
        body_name="paused",
    ),
    Option(
        "labels",
        read_labels,
        LABELS,
        "[labels](labels.md) of its runs, besides those of the job; only in a mapping",
        body=dict[str, Any],
    ),
    Option(
        "args", _arguments, OBJECT, "arguments of its runs; only in a mapping", body=dict[str, Any]
    ),
)
"""All options of a schedule, in the order of the docs."""
BY_NAME = {option.name: option for option in OPTIONS}
SYNONYMS = {option.synonym: option.name for option in OPTIONS if option.synonym}
SCHEDULE_OPTIONS = frozenset(BY_NAME) - {"name"} | frozenset(SYNONYMS)
"""The options beside `schedule=`; in the mapping of a schedule its name as well."""
