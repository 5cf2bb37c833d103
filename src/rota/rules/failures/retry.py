"""Retrying: whether a failed attempt is tried again, and when.

The caller supplies the time, the random number and the answer of a custom retry function.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.jobs.spec import JobSpec, RetryPolicy
from rota.rules.text.duration import format_duration

MAX_CRASHES = 3
"""A run is held to be the cause after this many processes died in which it ran alone."""
MAX_LOSSES = 10
"""Losses of workers after which a run is quarantined though nobody can tell if it is the cause.

Either the run cannot be tried alone, or it was alone in its process and the worker died instead.
"""


class RetryIn(msgspec.Struct, frozen=True):
    """The delay before the next attempt."""

    delay_ms: int
    asked_ms: int | None = None
    """The delay that was requested, if the policy allows less."""


class GiveUp(msgspec.Struct, frozen=True):
    """A final failure, with a reason for people."""

    reason: str


class Requeue(msgspec.Struct, frozen=True):
    """Put the run back in the queue at once: its worker failed, not the run."""


def next_delay_ms(policy: RetryPolicy, *, retry: int, random: float) -> int:
    """Return the delay before retry 1, 2, ...; `random` is in [0, 1).

    An exponential backoff waits delay times factor^(retry-1), at most the cap: 1, 2, 4 s by
    default. Jitter only shortens, so the cap holds.
    """
    if policy.backoff == "none" or policy.delay_ms == 0:
        return 0
    delay: float = policy.delay_ms
    if policy.backoff == "exponential":
        delay = min(_grown(policy, retry - 1), policy.cap_ms)
    return int(delay - delay * policy.jitter * random)


def _grown(policy: RetryPolicy, times: int) -> float:
    try:
        return policy.delay_ms * policy.factor**times
    except OverflowError:
        # 2.0 ** 1024 is beyond a float, and far beyond any cap.
        return policy.cap_ms


def decide(  # noqa: PLR0913  # one fact each, all named at the call
    policy: RetryPolicy,
    *,
    failures: int,
    types: Sequence[str] = (),
    wants_retry: bool = False,
    gives_up: bool = False,
    retry_after_ms: int | None = None,
    custom_delay_ms: int | None = None,
    at_most_once: bool = False,
    now_ms: int,
    due_at_ms: int,
    random: float,
) -> RetryIn | GiveUp:
    """Decide what follows a failed attempt; `failures` counts this one too.

    A delay that the error carries wins over the policy's own, but never over its limits. Such
    numbers come from servers and functions, and none of them makes a run wait longer than the cap.
    With `backoff="custom"` the function's answer is `custom_delay_ms`, None to give up. A handler
    that raised Retry (`wants_retry`) overrules the error lists, not the limits.
    """
    if gives_up:
        return GiveUp("another attempt cannot help")
    if at_most_once:
        return GiveUp("not retried: the job is at_most_once")
    refusal = None if wants_retry else _refused_by_type(policy, types)
    if refusal is not None:
        return refusal
    if failures > policy.limit:
        return GiveUp(f"retries used up ({policy.limit})" if policy.limit else "no retries allowed")
    delay_ms = retry_after_ms
    if delay_ms is None and policy.backoff == "custom":
        delay_ms = custom_delay_ms
        if delay_ms is None and not wants_retry:
            return GiveUp("the retry function gave up")
    if delay_ms is None:
        then = RetryIn(next_delay_ms(policy, retry=failures, random=random))
    else:
        then = _as_asked(policy, delay_ms)
    return _in_time(policy, then, waited_ms=now_ms - due_at_ms)


def _as_asked(policy: RetryPolicy, asked_ms: int) -> RetryIn:
    """Return the delay requested by a server, handler or function, within the policy."""
    most_ms = longest_ms(policy)
    return RetryIn(most_ms, asked_ms) if asked_ms > most_ms else RetryIn(max(0, asked_ms))


def _in_time(policy: RetryPolicy, then: RetryIn, *, waited_ms: int) -> RetryIn | GiveUp:
    if policy.within_ms is not None and waited_ms + then.delay_ms > policy.within_ms:
        return GiveUp(f"no retry within {format_duration(policy.within_ms)}")
    return then


def longest_ms(policy: RetryPolicy) -> int:
    """Return the longest delay that may be requested; the policy's own delay may exceed the cap."""
    return max(policy.cap_ms, policy.delay_ms)


def _refused_by_type(policy: RetryPolicy, types: Sequence[str]) -> GiveUp | None:
    name = types[0].rpartition(".")[2] if types else "the failure"
    if not set(policy.give_up_on).isdisjoint(types):
        return GiveUp(f"gave up on {name}")
    if policy.retry_on and set(policy.retry_on).isdisjoint(types):
        return GiveUp(f"gave up: {name} is not in retry_on")
    return None


def after_loss(*, at_most_once: bool) -> Requeue | GiveUp:
    """Decide what follows the death of a worker; the run is not to blame.

    Another run in the process, a deploy or a lack of memory may have killed the worker. From now on
    the run is alone in its process. If that process dies, `quarantine` knows which run is to blame.
    """
    if at_most_once:
        return GiveUp("lost: the outcome is unknown and the job is at_most_once")
    return Requeue()


def quarantine(how: str, *, crashes: int, limit: int) -> GiveUp | None:
    """Give up a run that killed too many of its own processes; `how` tells how the last one died.

    `crashes` counts the processes in which the run was alone, this one included.
    """
    if crashes < limit:
        return None
    return GiveUp(
        f"quarantined: {how} while it ran alone, {_times(crashes)}; "
        "find out why before you redrive it"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def max_losses(spec: JobSpec) -> int:
    """Return after how many losses of workers an unproven suspect run ends; 0 for never."""
    return spec.max_losses if isinstance(spec.max_losses, int) else MAX_LOSSES


def quarantine_lost(*, losses: int, limit: int) -> GiveUp | None:
    """Give up a run if too many workers died while it was the only suspect.

    A run is the only suspect if it was alone in its process after an earlier loss, and no other
    such run was beside it.
    """
    if losses < limit:
        return None
    return GiveUp(
        f"quarantined: its worker died {_times(losses)} while it ran in a process of its own and "
        "no other run there had lost a worker before; a program that it starts may kill the "
        "worker. Find out why before you redrive it"
    )
