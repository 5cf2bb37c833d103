"""The option `breaker=`: reads "50% of 20 in 1m" or a Breaker, and normalises it."""

from __future__ import annotations

import re
from typing import Any

from msgspec.structs import replace

from rota.errors import BadDuration, BadOption
from rota.model.admission.breaker import BreakerBody
from rota.model.jobs.spec import Breaker
from rota.rules.text.duration import format_duration, parse_duration

MAX_LEAST = 1_000_000
SHORTEST_MS, LONGEST_MS = 1_000, 86_400_000
MIN_COOL_MS = 100
_TEXT = re.compile(r"\s*([0-9]{1,3}(?:\.[0-9]{1,3})?)\s?%\s+of\s+([0-9]{1,7})\s+in\s+(.{1,40})")
_FORMS = 'write "50% of 20 in 1m", or Breaker(share=0.5, least=20, window="1m")'


def parse_breaker(value: object) -> Breaker | None:
    """Return the rule with normalised durations; None for None. A bad rule raises BadOption."""
    if value is None:
        return None
    if isinstance(value, BreakerBody):
        value = value.rule()
    rule = _read(value) if isinstance(value, str) else value
    if not isinstance(rule, Breaker):
        raise BadOption(f"breaker={value!r:.64} is not a breaker; {_FORMS}")
    _check_numbers(rule)
    window_ms = _duration("window", rule.window)
    cool_ms, cap_ms = _duration("cool", rule.cool), _duration("cool_cap", rule.cool_cap)
    if not SHORTEST_MS <= window_ms <= LONGEST_MS:
        raise BadOption(f"breaker: window={rule.window!r:.64} is not between 1s and 1d")
    if cool_ms < MIN_COOL_MS:
        raise BadOption(f"breaker: cool={rule.cool!r:.64} is less than 100ms")
    if cap_ms < cool_ms:
        raise BadOption("breaker: cool_cap is shorter than cool; no wait could obey both")
    return replace(
        rule,
        share=float(rule.share),
        window=format_duration(window_ms),
        cool=format_duration(cool_ms),
        cool_cap=format_duration(cap_ms),
    )


def breaker_text(rule: Breaker) -> str:
    """Return the rule in its short form, such as `50% of 20 in 1m`."""
    return f"{rule.share * 100:.10g}% of {rule.least} in {rule.window}"


def _read(text: str) -> Breaker:
    match = _TEXT.fullmatch(text)
    if match is None:
        raise BadOption(f"breaker={text!r:.64} cannot be read; {_FORMS}")
    return Breaker(share=float(match[1]) / 100, least=int(match[2]), window=match[3])


def _check_numbers(rule: Breaker) -> None:
    share: object = rule.share
    least: object = rule.least
    pauses: object = rule.pauses
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share <= 1:
        raise BadOption(f"breaker: share={share!r:.64} must be more than 0 and at most 1 (100%)")
    if isinstance(least, bool) or not isinstance(least, int) or not 1 <= least <= MAX_LEAST:
        raise BadOption(f"breaker: least={least!r:.64} is not a number from 1 to {MAX_LEAST:,}")
    if not isinstance(pauses, bool):
        raise BadOption(f"breaker: pauses={pauses!r:.64} is not True or False")


def _duration(field: str, value: Any) -> int:
    try:
        return parse_duration(value)
    except BadDuration as error:
        raise BadDuration(f"breaker: {field}: {error}") from error
