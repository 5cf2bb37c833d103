"""Options of a job and of a submit: checked once, turned into the fields of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import msgspec

from rota.errors import BadDuration, BadOption
from rota.model.graph import Cache
from rota.model.isolation import Isolation
from rota.model.schedule import Schedule
from rota.model.spec import Breaker, Delivery, PolicyChange, RetryPolicy
from rota.rules.admission.dependencies import read_dependencies
from rota.rules.admission.order import parse_priority
from rota.rules.failures.breaker_options import parse_breaker
from rota.rules.failures.death_limits import read_death_limits
from rota.rules.failures.on_failure import read_on_failure
from rota.rules.failures.retry_options import (
    RETRY_OPTIONS,
    RetryFunction,
    retry_function,
    retry_policy,
)
from rota.rules.text.checks import hint
from rota.rules.text.duration import parse_duration
from rota.rules.text.names import check_key, check_name
from rota.rules.text.size import parse_size

MAX_DESCRIPTION = 10_000
MIN_MEMORY_MB = 16
"""A Python process that has imported nothing takes about ten."""

JOB_OPTIONS = RETRY_OPTIONS | {
    "breaker",
    "cache",
    "delivery",
    "dependencies",
    "description",
    "expires",
    "isolation",
    "max_crashes",
    "max_losses",
    "memory",
    "on_failure",
    "priority",
    "queue",
    "retry",
    "schedule",
    "timeout",
}
TIMING_OPTIONS = {*Schedule.__struct_fields__, "paused", "timezone"} - {"trigger", *JOB_OPTIONS}
"""Of a job's schedules; `jitter` is that of retries, a schedule's stands in its own mapping."""
SUBMIT_OPTIONS = RETRY_OPTIONS | {
    "at",
    "cache",
    "delay",
    "expires",
    "key",
    "key_window",
    "priority",
    "queue",
    "timeout",
}

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class JobOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The checked options of a job; all but the last two are fields of JobSpec."""

    name: str
    queue: str = "default"
    priority: int = 0
    retry: RetryPolicy = RetryPolicy()
    timeout_ms: int | None = None
    expires_ms: int | None = None
    delivery: Delivery = "at_least_once"
    isolation: Isolation = "thread"
    memory_mb: int | None = None
    max_crashes: int | msgspec.UnsetType = msgspec.UNSET
    max_losses: int | msgspec.UnsetType = msgspec.UNSET
    breaker: Breaker | None = None
    cache: Cache | None = None
    dependencies: tuple[str, ...] = ()
    on_failure: str | msgspec.UnsetType = msgspec.UNSET
    description: str | msgspec.UnsetType = msgspec.UNSET
    retry_function: RetryFunction | None = None
    schedules: tuple[Schedule, ...] = ()

    def spec_fields(self) -> dict[str, Any]:
        """The keyword arguments for JobSpec, all but target and parameters."""
        fields = msgspec.structs.asdict(self)
        del fields["retry_function"], fields["schedules"]
        return fields


class SubmitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What one submit changes; None means as the job says."""

    queue: str | None = None
    priority: int | None = None
    policy: PolicyChange | None = None
    expires_ms: int | None = None
    key: str | None = None
    key_window_ms: int | None = None
    delay_ms: int | None = None
    due_at_ms: int | None = None


def job_options(name: str, options: Mapping[str, Any]) -> JobOptions:
    """Check what `@app.job(...)` was given; BadOption or BadDuration says what is wrong."""
    _refuse_unknown(options, JOB_OPTIONS | TIMING_OPTIONS, what=f"job {name!r:.140}")
    delivery: Delivery = _one_of(options, "delivery", get_args(Delivery))
    isolation, memory_mb = _isolation(options)
    function = retry_function(options)
    return JobOptions(
        name=check_name("job", name),
        queue=check_name("queue", _given(options, "queue", "default")),
        priority=parse_priority(_given(options, "priority", 0)),
        retry=_job_retry(options, has_function=function is not None, delivery=delivery),
        timeout_ms=_positive(options, "timeout"),
        expires_ms=_positive(options, "expires"),
        delivery=delivery,
        isolation=isolation,
        memory_mb=memory_mb,
        **read_death_limits(options),
        breaker=parse_breaker(options.get("breaker")),
        cache=_cache(options.get("cache")),
        dependencies=read_dependencies(name, options.get("dependencies")),
        on_failure=read_on_failure(name, options.get("on_failure")),
        description=_description(options.get("description")),
        retry_function=function,
        schedules=_schedules(options),
    )


def submit_options(options: Mapping[str, Any], *, retry: RetryPolicy) -> SubmitOptions:
    """Check what one submit was given; `retry` is the job's policy, which it may change."""
    if not options:
        return UNCHANGED
    _refuse_unknown(options, SUBMIT_OPTIONS, what="a submit")
    if options.get("at") is not None and options.get("delay") is not None:
        raise BadOption("delay= and at= both say when to start; give one of them")
    return SubmitOptions(
        queue=None if options.get("queue") is None else check_name("queue", options["queue"]),
        priority=None if options.get("priority") is None else parse_priority(options["priority"]),
        policy=_policy_change(options, retry),
        expires_ms=_positive(options, "expires"),
        key=_key(options),
        key_window_ms=_positive(options, "key_window"),
        delay_ms=_duration(options, "delay"),
        due_at_ms=_instant(options),
    )


UNCHANGED = SubmitOptions()


def _refuse_unknown(options: Mapping[str, Any], known: frozenset[str], *, what: str) -> None:
    for name in options:
        if name not in known:
            raise BadOption(
                f"{what} has no option {name!r}.{hint(name, sorted(known))} "
                f"Options are: {', '.join(sorted(known))}"
            )


def _given(options: Mapping[str, Any], name: str, default: object) -> Any:
    return default if options.get(name) is None else options[name]


def _one_of(options: Mapping[str, Any], name: str, known: tuple[str, ...]) -> Any:
    given = _given(options, name, known[0])
    if given not in known:
        raise BadOption(f"{name}={given!r:.64} is not one of {', '.join(known)}")
    return given


def _job_retry(options: Mapping[str, Any], *, has_function: bool, delivery: str) -> RetryPolicy:
    base = RetryPolicy(backoff="custom") if has_function else RetryPolicy()
    policy = retry_policy(options, base=base)
    if has_function:
        policy = msgspec.structs.replace(policy, backoff="custom")
    elif policy.backoff == "custom":
        raise BadOption('backoff="custom" needs the function: retry=...')
    if delivery != "at_most_once":
        return policy
    if policy.limit and options.get("retries") is not None:
        raise BadOption('delivery="at_most_once" is never retried; leave retries= out')
    return msgspec.structs.replace(policy, limit=0)


def _schedules(options: Mapping[str, Any]) -> tuple[Schedule, ...]:
    timing = {name: options[name] for name in sorted(TIMING_OPTIONS & options.keys())}
    if timing and options.get("schedule") is None:
        raise BadOption(f"{next(iter(timing))}= belongs to schedule=; give that too")
    if options.get("schedule") is None:
        return ()
    # Late: zones and cron cost 30 ms, which programs without schedules need not pay.
    from rota.rules.schedules.options import read_schedules  # noqa: PLC0415

    return read_schedules(options["schedule"], timing, calendars=None)


def _isolation(options: Mapping[str, Any]) -> tuple[Isolation, int | None]:
    """A memory limit implies a process: a thread's memory cannot be limited."""
    isolation: Isolation = _one_of(options, "isolation", get_args(Isolation))
    given = options.get("memory")
    if given is None:
        return isolation, None
    if options.get("isolation") == "thread":
        raise BadOption('memory= needs isolation="process"; a thread has no memory of its own')
    memory_mb = parse_size(given) // 1024**2
    if memory_mb < MIN_MEMORY_MB:
        raise BadOption(f"memory={given!r:.64} is less than {MIN_MEMORY_MB}MB, too little to start")
    return "process", memory_mb


def _policy_change(options: Mapping[str, Any], retry: RetryPolicy) -> PolicyChange | None:
    changed = retry_policy(options, base=retry) if RETRY_OPTIONS & options.keys() else None
    timeout_ms = _positive(options, "timeout")
    fresh = _is_fresh(options.get("cache"))
    if changed is None and timeout_ms is None and not fresh:
        return None
    if changed is not None and changed.backoff == "custom" != retry.backoff:
        raise BadOption('backoff="custom" needs a job that has a retry function')
    return PolicyChange(retry=changed, timeout_ms=timeout_ms, fresh=fresh)


def _is_fresh(cache: object) -> bool:
    if cache not in (None, True, False):
        raise BadOption(f"cache={cache!r:.64} of a submit is False: run it, whatever is known")
    return cache is False


def _description(given: object) -> str | msgspec.UnsetType:
    if given is None or given == "":
        return msgspec.UNSET
    if not isinstance(given, str) or len(given) > MAX_DESCRIPTION:
        raise BadOption(f"description={given!r:.64} is not a text of {MAX_DESCRIPTION:,} signs")
    return given


def _cache(given: object) -> Cache | None:
    if given is None:
        return None
    # Late: programs without a cache need not pay for expressions.
    from rota.rules.jobs.cache_options import parse_cache  # noqa: PLC0415

    return parse_cache(given)


def _duration(options: Mapping[str, Any], name: str) -> int | None:
    if options.get(name) is None:
        return None
    try:
        return parse_duration(options[name])
    except BadDuration as error:
        raise BadDuration(f"{name}: {error}") from error


def _positive(options: Mapping[str, Any], name: str) -> int | None:
    ms = _duration(options, name)
    if ms == 0:
        raise BadOption(f"{name}={options[name]!r:.64} leaves no time at all; leave it out instead")
    return ms


def _key(options: Mapping[str, Any]) -> str | None:
    key = options.get("key")
    if key is None:
        if options.get("key_window") is not None:
            raise BadOption("key_window= says how long a key= counts; give the key too")
        return None
    return check_key(key)


def _instant(options: Mapping[str, Any]) -> int | None:
    at = options.get("at")
    if at is None:
        return None
    if not isinstance(at, datetime) or at.utcoffset() is None:
        raise BadOption(f"at={at!r:.64} is not a datetime with a time zone")
    return (at - _EPOCH) // timedelta(milliseconds=1)
