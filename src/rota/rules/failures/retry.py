"""Retrying: whether a failed attempt is tried again, and when.

The caller brings the time, the random number and what a custom function said.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.spec import JobSpec, RetryPolicy
from rota.rules.text.duration import format_duration

MAX_CRASHES = 3
"""A run is held to be the cause when so many processes died in which it was alone."""
MAX_LOSSES = 10
"""For one of which nobody can tell whether it is the cause: so many losses are too many.

It cannot be tried alone; or it was alone in its process, and each time the worker died instead.
"""


class RetryIn(msgspec.Struct, frozen=True):
    """Try again after so long."""

    delay_ms: int
    asked_ms: int | None = None
    """What was asked for, where that was longer than the policy allows."""


class GiveUp(msgspec.Struct, frozen=True):
    """The failure is final, for a reason people can read."""

    reason: str


class Requeue(msgspec.Struct, frozen=True):
    """Put the run back at once: not the run failed, its worker did."""


def next_delay_ms(policy: RetryPolicy, *, retry: int, random: float) -> int:
    """How long to wait before retry 1, 2, ...; `random` is in [0, 1).

    Exponential is delay times factor^(retry-1), at most the cap: 1, 2, 4 s by default.
    Jitter only shortens, so the cap holds.
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

    A delay the error brought wins over the policy's, but never over its limits: numbers come from
    servers and functions, and none of them makes a run wait longer than the cap. With
    `backoff="custom"` the function's answer is `custom_delay_ms`, None to give up. A handler
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
    """What a server, a handler or a function asked for, as far as the policy allows."""
    most_ms = longest_ms(policy)
    return RetryIn(most_ms, asked_ms) if asked_ms > most_ms else RetryIn(max(0, asked_ms))


def _in_time(policy: RetryPolicy, then: RetryIn, *, waited_ms: int) -> RetryIn | GiveUp:
    if policy.within_ms is not None and waited_ms + then.delay_ms > policy.within_ms:
        return GiveUp(f"no retry within {format_duration(policy.within_ms)}")
    return then


def longest_ms(policy: RetryPolicy) -> int:
    """The longest wait that somebody else may ask for; its own delay may be longer than the cap."""
    return max(policy.cap_ms, policy.delay_ms)


def _refused_by_type(policy: RetryPolicy, types: Sequence[str]) -> GiveUp | None:
    name = types[0].rpartition(".")[2] if types else "the failure"
    if not set(policy.give_up_on).isdisjoint(types):
        return GiveUp(f"gave up on {name}")
    if policy.retry_on and set(policy.retry_on).isdisjoint(types):
        return GiveUp(f"gave up: {name} is not in retry_on")
    return None


def after_loss(*, at_most_once: bool) -> Requeue | GiveUp:
    """Decide what follows the death of a worker: whatever killed it, the run has no part in it.

    It may have been one of the runs beside, a deploy, a lack of memory. From now on the run is
    alone in its process, and when that dies, `quarantine` knows whose fault it was.
    """
    if at_most_once:
        return GiveUp("lost: the outcome is unknown and the job is at_most_once")
    return Requeue()


def quarantine(how: str, *, crashes: int, limit: int) -> GiveUp | None:
    """Decide whether a run has killed processes of its own often enough; `how` the last one died.

    `crashes` are those in which it was alone, this one too.
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
    """How many losses of workers end a run that nobody can clear; 0 for never."""
    return spec.max_losses if isinstance(spec.max_losses, int) else MAX_LOSSES


def quarantine_lost(*, losses: int, limit: int) -> GiveUp | None:
    """Decide whether too many workers died while this run was the only one under suspicion.

    That is: alone in a process of its own, after an earlier loss, and no other such run beside it.
    """
    if losses < limit:
        return None
    return GiveUp(
        f"quarantined: its worker died {_times(losses)} while it ran in a process of its own and "
        "no other run there had lost a worker before; a program that it starts may kill the "
        "worker. Find out why before you redrive it"
    )
