"""The options that make a RetryPolicy: `retries=5, backoff="fixed", retry_delay="2s"`..."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, get_args

import msgspec

from rota.errors import BadDuration, BadOption
from rota.model.spec import Backoff, RetryPolicy
from rota.rules.text.duration import parse_duration
from rota.scripts import class_name

RetryFunction = Callable[[int, BaseException | None], float | timedelta | None]
"""Given the failures so far and the exception: how long to wait (seconds), or None to give up."""

RETRY_OPTIONS = frozenset(
    {
        "retries",
        "backoff",
        "retry_delay",
        "retry_cap",
        "jitter",
        "retry_on",
        "give_up_on",
        "retry_within",
    }
)
MAX_RETRIES = 10_000


def retry_policy(options: Mapping[str, Any], *, base: RetryPolicy) -> RetryPolicy:
    """The base changed by the options given; None counts as not given, save `retries=None`."""
    policy = _with_retries(options, base)
    changes: dict[str, Any] = {}
    for option, (field, read) in _FIELDS.items():
        if options.get(option) is not None:
            changes[field] = read(option, options[option])
    policy = msgspec.structs.replace(policy, **changes)
    if policy.backoff == "exponential" and policy.delay_ms > policy.cap_ms:
        if "cap_ms" in changes:
            raise BadOption("retry_cap is shorter than retry_delay; no delay could obey both")
        policy = msgspec.structs.replace(policy, cap_ms=policy.delay_ms)
    return policy


def _with_retries(options: Mapping[str, Any], base: RetryPolicy) -> RetryPolicy:
    if "retries" not in options:
        return base
    given = options["retries"]
    if isinstance(given, RetryPolicy):
        return given
    limit = 0 if given is None else given
    if isinstance(limit, bool) or not isinstance(limit, int) or not 0 <= limit <= MAX_RETRIES:
        raise BadOption(
            f"retries={given!r:.64} is not a number from 0 to {MAX_RETRIES:,}, nor a RetryPolicy"
        )
    return msgspec.structs.replace(base, limit=limit)


def retry_function(options: Mapping[str, Any]) -> RetryFunction | None:
    """The custom function given as `retry=`, which takes the place of a backoff."""
    function: RetryFunction | None = options.get("retry")
    if function is None:
        return None
    if not callable(function):
        raise BadOption(
            f"retry={function!r:.64} is not a function; for a number of retries write retries="
        )
    if options.get("backoff") is not None:
        raise BadOption("retry= and backoff= both say how long to wait; give one of them")
    return function


def _backoff(option: str, given: object) -> Backoff:
    known = [name for name in get_args(Backoff) if name != "custom"]
    if given not in known:
        hint = "; for a function of your own write retry=" if given == "custom" else ""
        raise BadOption(f"{option}={given!r:.64} is not one of {', '.join(known)}{hint}")
    return given  # type: ignore[return-value]  # checked against the Literal above


def _jitter(option: str, given: object) -> float:
    share = float(given) if isinstance(given, bool | int | float) else -1.0
    if not 0 <= share <= 1:
        raise BadOption(f"{option}={given!r:.64} is not True, False or a share from 0 to 1")
    return share


def _duration(option: str, given: Any) -> int:
    try:
        return parse_duration(given)
    except BadDuration as error:
        raise BadDuration(f"{option}: {error}") from error


def _class_names(option: str, given: object) -> tuple[str, ...]:
    """Qualified names of exception classes; text such as `shop.errors.Temporary` passes too."""
    each = given if isinstance(given, tuple | list | set | frozenset) else (given,)
    return tuple(_class_name(option, one) for one in each)


def _class_name(option: str, given: object) -> str:
    if isinstance(given, type) and issubclass(given, BaseException):
        return class_name(given)
    if isinstance(given, str) and all(part.isidentifier() for part in given.split(".")):
        return given if "." in given else f"builtins.{given}"
    raise BadOption(f"{option}: {given!r:.64} is not an exception class")


_FIELDS: Mapping[str, tuple[str, Callable[[str, Any], object]]] = {
    "backoff": ("backoff", _backoff),
    "retry_delay": ("delay_ms", _duration),
    "retry_cap": ("cap_ms", _duration),
    "jitter": ("jitter", _jitter),
    "retry_on": ("retry_on", _class_names),
    "give_up_on": ("give_up_on", _class_names),
    "retry_within": ("within_ms", _duration),
}
