"""How many deaths end a run: of its own process, and of workers around it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.rules.failures.retry import MAX_CRASHES, MAX_LOSSES
from rota.rules.text.checks import whole_number

MOST_DEATHS = 1000


def read_death_limits(options: Mapping[str, Any]) -> dict[str, int | msgspec.UnsetType]:
    """The fields of a spec; unset for a default, so that such a job is the job that it was."""
    return {
        "max_crashes": _limit(options, "max_crashes", least=1, usual=MAX_CRASHES),
        "max_losses": _limit(options, "max_losses", least=0, usual=MAX_LOSSES),
    }


def _limit(
    options: Mapping[str, Any], name: str, *, least: int, usual: int
) -> int | msgspec.UnsetType:
    given = options.get(name)
    if given is None:
        return msgspec.UNSET
    number = whole_number(name, given, least, MOST_DEATHS)
    return msgspec.UNSET if number == usual else number
