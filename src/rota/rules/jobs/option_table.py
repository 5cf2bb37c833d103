"""The table of options for jobs and submits; files, docs and readers use it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, get_args

import msgspec

from rota.errors import BadOption
from rota.model.admission.breaker import BreakerBody
from rota.model.graphs.graph import Cache
from rota.model.jobs.isolation import Isolation
from rota.model.jobs.spec import Breaker, Delivery
from rota.model.runs.labels import Labels
from rota.rules.admission.dependencies import read_dependencies
from rota.rules.admission.order import parse_priority
from rota.rules.failures.breaker_options import parse_breaker
from rota.rules.failures.on_failure import read_on_failure
from rota.rules.failures.retry import MAX_CRASHES, MAX_LOSSES
from rota.rules.failures.retry_options import RETRY
from rota.rules.runs.labels import read_labels
from rota.rules.text.checks import duration_ms, positive_ms, whole_number
from rota.rules.text.names import check_key, check_name
from rota.rules.text.option import (
    DEADLINE,
    DURATION,
    LABELS,
    NAME,
    NAMES,
    TEXT,
    Option,
    Time,
)
from rota.rules.text.size import parse_size

MAX_DESCRIPTION = 10_000
MOST_DEATHS = 1000
MIN_MEMORY_MB = 16
"""A Python process that has imported nothing takes about 10 MB."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def _queue(_: str, value: object) -> str:
    return check_name("queue", value)


def _priority(_: str, value: object) -> int:
    return parse_priority(value)


def _instant(option: str, value: object) -> int:
    if not isinstance(value, datetime) or value.utcoffset() is None:
        raise BadOption(f"{option}={value!r:.64} is not a datetime with a time zone")
    return (value - _EPOCH) // timedelta(milliseconds=1)


def _key(_: str, value: object) -> str:
    return check_key(value)


def _word(words: tuple[str, ...]) -> Callable[[str, object], str]:
    def read(option: str, value: object) -> str:
        if value not in words:
            raise BadOption(f"{option}={value!r:.64} is not one of {', '.join(words)}")
        return str(value)

    return read


def _deadline(option: str, value: object) -> str:
    # Late: zones cost 30 ms, which programs without deadlines need not pay.
    from rota.rules.runs.deadlines import read_deadline  # noqa: PLC0415

    return read_deadline(option, value)


def _memory(option: str, value: Any) -> int:
    memory_mb = parse_size(value) // 1024**2
    if memory_mb < MIN_MEMORY_MB:
        raise BadOption(
            f"{option}={value!r:.64} is less than {MIN_MEMORY_MB}MB, too little to start"
        )
    return memory_mb


def _deaths(least: int, usual: int) -> Callable[[str, object], int | msgspec.UnsetType]:
    """Return a reader that leaves the default unset, so that the job's definition stays equal."""

    def read(option: str, value: object) -> int | msgspec.UnsetType:
        number = whole_number(option, value, least, MOST_DEATHS)
        return msgspec.UNSET if number == usual else number

    return read


def _description(option: str, value: object) -> str | msgspec.UnsetType:
    if value == "":
        return msgspec.UNSET
    if not isinstance(value, str) or len(value) > MAX_DESCRIPTION:
        raise BadOption(f"{option}={value!r:.64} is not a text of {MAX_DESCRIPTION:,} signs")
    return value


def _labels(option: str, value: object) -> Labels | msgspec.UnsetType:
    """Leave none unset, so that the definition of a job without labels stays equal."""
    return read_labels(option, value) or msgspec.UNSET


def _cache(_: str, value: object) -> Cache | None:
    # Late: programs without a cache need not pay for expressions.
    from rota.rules.jobs.cache_options import parse_cache  # noqa: PLC0415

    return parse_cache(value)


def _breaker(_: str, value: object) -> Breaker | None:
    return parse_breaker(value)


def _schedule(_: str, value: object) -> object:
    """Return the schedule unread: it is read together with the options beside it."""
    return value


_JOB = ("job",)
_SUBMIT = ("submit",)
_BOTH = ("job", "submit")
OPTIONS = (
    Option(
        "queue",
        _queue,
        {"type": "string", "pattern": NAME},
        "[which queue the run waits in](#queue)",
        where=_BOTH,
        default="`default`",
        body=str,
    ),
    Option(
        "priority",
        _priority,
        {"type": ["string", "integer"], "examples": ["high", "medium", "low", 5]},
        "[which runs go first](#priority)",
        where=_BOTH,
        default="`medium`",
        body=int | Literal["high", "medium", "low"],
    ),
    Option(
        "delay",
        duration_ms,
        None,
        "[start after a while](#delay-and-at)",
        where=_SUBMIT,
        field="delay_ms",
        body=Time,
    ),
    Option(
        "at",
        _instant,
        None,
        "[start at a time](#delay-and-at)",
        where=_SUBMIT,
        field="due_at_ms",
        body=datetime,
    ),
    Option("key", _key, None, "[the same key is the same run](#key)", where=_SUBMIT, body=str),
    Option(
        "key_window",
        positive_ms,
        None,
        "[how long a key is remembered](#key)",
        where=_SUBMIT,
        default="`7d`",
        field="key_window_ms",
        body=Time,
    ),
    Option(
        "expires",
        positive_ms,
        DURATION,
        "[the longest wait for a start](#expires)",
        where=_BOTH,
        field="expires_ms",
        body=Time,
    ),
    Option(
        "timeout",
        positive_ms,
        DURATION,
        "[stop an attempt that takes longer](#timeout)",
        where=_BOTH,
        field="timeout_ms",
        body=Time,
    ),
    Option(
        "deadline",
        _deadline,
        DEADLINE,
        "[tell people if a run has not ended by then](#deadline)",
        where=_JOB,
        body=Time,
    ),
    *RETRY,
    Option(
        "delivery",
        _word(get_args(Delivery)),
        {"enum": list(get_args(Delivery))},
        "[at least once, or at most once](#delivery)",
        where=_JOB,
        default="`at_least_once`",
    ),
    Option(
        "isolation",
        _word(get_args(Isolation)),
        {"enum": list(get_args(Isolation))},
        "[in a thread, or in a separate process](#isolation-and-memory)",
        where=_JOB,
        default="`thread`",
    ),
    Option(
        "schedule",
        _schedule,
        None,
        "[the times of its starts](#schedule), with the options of "
        "[schedules](schedules.md#options)",
        where=_JOB,
        body=str | dict[str, Any],
    ),
    Option(
        "dependencies",
        read_dependencies,
        NAMES,
        "[start after other jobs of the same time](#dependencies)",
        where=_JOB,
        body=list[str],
    ),
    Option(
        "on_failure",
        read_on_failure,
        TEXT,
        "[the job that handles a run that failed for good](#on_failure)",
        where=_JOB,
        body=str,
    ),
    Option(
        "labels",
        _labels,
        LABELS,
        "[names and values to find runs by](#labels)",
        where=_BOTH,
        body=dict[str, Any],
    ),
    Option("description", _description, TEXT, "[the purpose of the job](#description)", where=_JOB),
    Option(
        "cache",
        _cache,
        {"type": ["string", "number", "object"], "examples": ["1h", {"ttl": "1d"}]},
        "[reuse a result](#cache)",
        where=_BOTH,
        body=Literal[False],
        bodies=_SUBMIT,
    ),
    Option(
        "breaker",
        _breaker,
        {"type": ["string", "object"], "examples": ["50% of 20 in 1m"]},
        "[hold all runs back while they keep failing](#breaker)",
        where=_JOB,
        body=str | BreakerBody,
    ),
    Option(
        "max_crashes",
        _deaths(1, MAX_CRASHES),
        {"type": "integer", "minimum": 1},
        "[the number of crashes of its own process that end a run](#max_crashes)",
        where=_JOB,
        default="`3`",
    ),
    Option(
        "max_losses",
        _deaths(0, MAX_LOSSES),
        {"type": "integer", "minimum": 0},
        "[the number of worker deaths that end a run that was the only suspect](#max_losses)",
        where=_JOB,
        default="`10`",
    ),
    Option(
        "memory",
        _memory,
        {"type": ["string", "integer"], "description": f"At least {MIN_MEMORY_MB}MB."},
        "[the memory limit of the separate process](#isolation-and-memory)",
        where=_JOB,
        field="memory_mb",
    ),
)
"""All options of jobs and submits, in the order of the docs."""
