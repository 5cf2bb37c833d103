"""Options of a job and of a submit, checked once and turned into the fields of a spec."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.errors import BadOption
from rota.model.jobs.spec import JobSpec, PolicyChange, PythonTarget, RetryPolicy, Target
from rota.model.runs.labels import Labels
from rota.model.schedules.definitions import Schedule
from rota.rules.admission.dependencies import check_other
from rota.rules.failures.on_failure import check_told_is_other
from rota.rules.failures.retry_options import (
    RETRY_OPTIONS,
    RetryFunction,
    retry_function,
    retry_policy,
)
from rota.rules.jobs.option_table import OPTIONS
from rota.rules.text.checks import hint
from rota.rules.text.names import check_name
from rota.rules.text.option import names_of, read_options

JOB_OPTIONS = names_of(OPTIONS, "job")
TIMING_OPTIONS = {*Schedule.__struct_fields__, "paused", "timezone"} - {"trigger", *JOB_OPTIONS}
"""Options of a job's schedules; `jitter` is that of retries, so a schedule has its own mapping."""
SUBMIT_OPTIONS = names_of(OPTIONS, "submit")
GRAPH_RUN_OPTIONS = frozenset(
    {"deadline", "dependencies", "labels", "on_failure", "queue", "priority"}
)
"""Options of jobs that a graph has, too; others are those of its nodes."""

_JOINT = {*RETRY_OPTIONS, "retry", "schedule"}
"""Options that are read together with others."""
_OF_JOB = {each.name: each for each in OPTIONS if each.name in JOB_OPTIONS - _JOINT}
_OF_SUBMIT = {each.name: each for each in OPTIONS if each.name in SUBMIT_OPTIONS - _JOINT}
del _OF_SUBMIT["cache"]  # False says something else there: do not use a result again


_OF_WORK = {"target", "parameters", "defaults", "schemas", "more"}
"""Fields of JobSpec that follow from what a job does; the others are its options."""


class JobOptions(JobSpec, frozen=True, kw_only=True):
    """The checked options of a job: a definition that does not say yet what is done."""

    target: Target = PythonTarget(ref="")
    retry_function: RetryFunction | None = None
    schedules: tuple[Schedule, ...] = ()

    def spec_fields(self) -> dict[str, Any]:
        """Return the keyword arguments for JobSpec that do not follow from what the job does."""
        fields = (name for name in JobSpec.__struct_fields__ if name not in _OF_WORK)
        return {name: getattr(self, name) for name in fields}


class SubmitOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options that one submit changes; None keeps the job's own."""

    queue: str | None = None
    priority: int | None = None
    policy: PolicyChange | None = None
    expires_ms: int | None = None
    key: str | None = None
    key_window_ms: int | None = None
    delay_ms: int | None = None
    due_at_ms: int | None = None
    labels: Labels | msgspec.UnsetType | None = None


def job_options(name: str, options: Mapping[str, Any]) -> JobOptions:
    """Check the options of `@app.job(...)`; BadOption or BadDuration says what is wrong."""
    _refuse_unknown(options, JOB_OPTIONS | TIMING_OPTIONS, what=f"job {name!r:.140}")
    check_name("job", name)
    fields = read_options(_OF_JOB, options)
    function = retry_function(options)
    options_read = JobOptions(
        name=name,
        **fields | _isolation(options, fields),
        retry=_job_retry(options, has_function=function is not None),
        retry_function=function,
        schedules=_schedules(options),
    )
    check_other(name, options_read.dependencies)
    check_told_is_other(name, options_read.on_failure)
    return options_read


def submit_options(options: Mapping[str, Any], *, retry: RetryPolicy) -> SubmitOptions:
    """Check the options of one submit; `retry` is the job's policy, which the submit may change."""
    if not options:
        return UNCHANGED
    _refuse_unknown(options, SUBMIT_OPTIONS, what="a submit")
    if options.get("at") is not None and options.get("delay") is not None:
        raise BadOption("delay= and at= both say when to start; give one of them")
    if options.get("key") is None and options.get("key_window") is not None:
        raise BadOption("key_window= says how long a key= counts; give the key too")
    fields = read_options(_OF_SUBMIT, options)
    policy = _policy_change(options, retry, timeout_ms=fields.pop("timeout_ms", None))
    return SubmitOptions(policy=policy, **fields)


UNCHANGED = SubmitOptions()


def _refuse_unknown(options: Mapping[str, Any], allowed: frozenset[str], *, what: str) -> None:
    for name in options:
        if name not in allowed:
            raise BadOption(
                f"{what} has no option {name!r}.{hint(name, sorted(allowed))} "
                f"Options are: {', '.join(sorted(allowed))}"
            )


def _job_retry(options: Mapping[str, Any], *, has_function: bool) -> RetryPolicy:
    base = RetryPolicy(backoff="custom") if has_function else RetryPolicy()
    policy = retry_policy(options, base=base)
    if has_function:
        policy = msgspec.structs.replace(policy, backoff="custom")
    elif policy.backoff == "custom":
        raise BadOption('backoff="custom" needs the function: retry=...')
    if options.get("delivery") != "at_most_once":
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


def _isolation(options: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the isolation; a memory limit implies a process, as no thread can be limited."""
    if "memory_mb" not in fields:
        return {}
    if options.get("isolation") == "thread":
        raise BadOption('memory= needs isolation="process"; a thread has no memory of its own')
    return {"isolation": "process"}


def _policy_change(
    options: Mapping[str, Any], retry: RetryPolicy, *, timeout_ms: int | None
) -> PolicyChange | None:
    changed = retry_policy(options, base=retry) if RETRY_OPTIONS & options.keys() else None
    fresh = _is_fresh(options.get("cache"))
    if changed is None and timeout_ms is None and not fresh:
        return None
    if changed is not None and changed.backoff == "custom" != retry.backoff:
        raise BadOption('backoff="custom" needs a job that has a retry function')
    return PolicyChange(retry=changed, timeout_ms=timeout_ms, fresh=fresh)


def _is_fresh(cache: object) -> bool:
    if cache not in (None, True, False):
        raise BadOption(
            f"cache={cache!r:.64} of a submit can only be False: run the job whatever is cached"
        )
    return cache is False
