"""The options that make a RetryPolicy: `retries=5, backoff="fixed", retry_delay="2s"`..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Literal, get_args

import msgspec

from rota.errors import BadOption
from rota.model.jobs.spec import Backoff, RetryPolicy
from rota.rules.text.checks import duration_ms
from rota.rules.text.option import DURATION, NAMES, Option, Time, names_of, read_options
from rota.scripts import class_name

RetryFunction = Callable[[int, BaseException | None], float | timedelta | None]
"""Takes the failures so far and the exception; returns seconds to wait, or None to give up."""

MAX_RETRIES = 10_000


def retry_policy(options: Mapping[str, Any], *, base: RetryPolicy) -> RetryPolicy:
    """Return the base policy with the options applied; None is unset, save `retries=None`."""
    policy = _with_retries(options, base)
    changes = read_options(_DETAILS, options)
    policy = msgspec.structs.replace(policy, **changes)
    if policy.backoff == "exponential" and policy.delay_ms > policy.cap_ms:
        if "cap_ms" in changes:
            raise BadOption("retry_cap is shorter than retry_delay; no delay could obey both")
        policy = msgspec.structs.replace(policy, cap_ms=policy.delay_ms)
    return policy


def _with_retries(options: Mapping[str, Any], base: RetryPolicy) -> RetryPolicy:
    if "retries" not in options:
        return base
    limit = _retries("retries", options["retries"])
    return limit if isinstance(limit, RetryPolicy) else msgspec.structs.replace(base, limit=limit)


def retry_function(options: Mapping[str, Any]) -> RetryFunction | None:
    """Return the function given as `retry=`, which replaces the backoff."""
    if options.get("retry") is None:
        return None
    function = _function("retry", options["retry"])
    if options.get("backoff") is not None:
        raise BadOption("retry= and backoff= both say how long to wait; give one of them")
    return function


def _retries(option: str, value: object) -> int | RetryPolicy:
    if isinstance(value, RetryPolicy):
        return value
    limit = 0 if value is None else value
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MAX_RETRIES:
        raise BadOption(
            f"{option}={value!r:.64} is not a number from 0 to {MAX_RETRIES:,}, nor a RetryPolicy"
        )
    return limit


def _function(option: str, value: Any) -> RetryFunction:
    if not callable(value):
        raise BadOption(
            f"{option}={value!r:.64} is not a function; for a number of retries write retries="
        )
    function: RetryFunction = value
    return function


def _backoff(option: str, value: object) -> Backoff:
    if value not in _BACKOFFS:
        hint = "; for a function of your own write retry=" if value == "custom" else ""
        raise BadOption(f"{option}={value!r:.64} is not one of {', '.join(_BACKOFFS)}{hint}")
    return value  # type: ignore[return-value]  # checked against the Literal above


def _jitter(option: str, value: object) -> float:
    share = float(value) if isinstance(value, bool | int | float) else -1.0
    if not 0 <= share <= 1:
        raise BadOption(f"{option}={value!r:.64} is not True, False or a share from 0 to 1")
    return share


def _class_names(option: str, value: object) -> tuple[str, ...]:
    """Return qualified names of exception classes; accepts text such as `shop.errors.Temporary`."""
    each = value if isinstance(value, tuple | list | set | frozenset) else (value,)
    return tuple(_class_name(option, one) for one in each)


def _class_name(option: str, value: object) -> str:
    if isinstance(value, type) and issubclass(value, BaseException):
        return class_name(value)
    if isinstance(value, str) and all(part.isidentifier() for part in value.split(".")):
        return value if "." in value else f"builtins.{value}"
    raise BadOption(f"{option}: {value!r:.64} is not an exception class")


_BACKOFFS = [each for each in get_args(Backoff) if each != "custom"]
_JOB = ("job",)
_BOTH = ("job", "submit")
RETRY = (
    Option(
        "retries",
        _retries,
        {"type": ["integer", "null"], "minimum": 0},
        "[the number of retries after failures](#retries)",
        where=_BOTH,
        default="`3`",
        field="limit",
        body=int,
    ),
    Option(
        "backoff",
        _backoff,
        {"enum": _BACKOFFS},
        "[how the delay grows](#backoff)",
        where=_BOTH,
        default="`exponential`",
        body=Literal["exponential", "fixed", "none"],
        bodies=_JOB,
    ),
    Option(
        "retry_delay",
        duration_ms,
        DURATION,
        "[the first delay](#backoff)",
        where=_BOTH,
        default="`1s`",
        field="delay_ms",
        body=Time,
        bodies=_JOB,
    ),
    Option(
        "retry_cap",
        duration_ms,
        DURATION,
        "[the longest delay](#backoff), even if a server or the handler requests more",
        where=_BOTH,
        default="`1h`",
        field="cap_ms",
        body=Time,
        bodies=_JOB,
    ),
    Option(
        "jitter",
        _jitter,
        {"type": ["boolean", "number"]},
        "[the random share of the delay](#jitter)",
        where=_BOTH,
        default="`False`",
        body=float,
        bodies=_JOB,
    ),
    Option(
        "retry",
        _function,
        None,
        "[a function of your own instead of a backoff](#a-function-of-your-own)",
        where=("job",),
    ),
    Option(
        "retry_on",
        _class_names,
        NAMES,
        "[errors that are retried](#retry_on-and-give_up_on)",
        where=_BOTH,
    ),
    Option(
        "give_up_on",
        _class_names,
        NAMES,
        "[errors that are final](#retry_on-and-give_up_on)",
        where=_BOTH,
    ),
    Option(
        "retry_within",
        duration_ms,
        DURATION,
        "[no retry later than this](#retry_within)",
        where=_BOTH,
        field="within_ms",
        body=Time,
        bodies=_JOB,
    ),
)
"""The options of retries, in the order of the docs."""
RETRY_OPTIONS = names_of(RETRY, "submit")
"""The options that make a RetryPolicy; a retry function is not part of a policy."""
_DETAILS = {each.name: each for each in RETRY if each.name not in ("retries", "retry")}
