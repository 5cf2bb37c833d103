"""The differences between the dialects of cron, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rota.model.schedules.definitions import Dialect
from rota.rules.schedules.cron.fields import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    SECOND,
    WEEKDAY,
    WEEKDAYS,
    YEAR,
    CronField,
    numbered,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one dialect. The fields stand in the order of a line with all seven."""

    name: Dialect
    fields: tuple[CronField, ...]
    lengths: tuple[int, ...]
    has_special_days: bool = True
    """Whether L, W and # are allowed."""
    has_every: bool = False
    """Whether `@every 90s` is allowed."""
    must_leave_a_day_open: bool = False
    """Whether exactly one of the day fields must be `?`."""
    star_with_step_is_star: bool = True
    """Whether `*/2` in a day field counts as `*`: then a day must match the other field, too."""
    lone_last_weekday: int | None = None
    """The meaning of a lone `L` as a day of the week."""


def _all(
    weekday: CronField, *, wraps: bool = False, has_open_steps: bool = True, has_hash: bool = True
) -> tuple[CronField, ...]:
    fields = (SECOND, MINUTE, HOUR, DAY, MONTH, weekday)
    return (
        *(
            replace(one, wraps=wraps, has_open_steps=has_open_steps, has_hash=has_hash)
            for one in fields
        ),
        replace(YEAR, has_open_steps=has_open_steps),
    )


VIXIE = Rules(
    name="vixie",
    fields=_all(replace(WEEKDAY, also=7, wraps_to_low=True), has_open_steps=False),
    lengths=(5, 6, 7),
)
QUARTZ = Rules(
    name="quartz",
    fields=_all(
        replace(WEEKDAY, low=1, high=7, names=numbered(WEEKDAYS, 1), hint="; Sunday is 1"),
        wraps=True,
    ),
    lengths=(6, 7),
    must_leave_a_day_open=True,
    lone_last_weekday=6,
)
KUBERNETES = Rules(
    name="kubernetes",
    fields=_all(replace(WEEKDAY, hint="; Sunday is 0"), has_hash=False),
    lengths=(5,),
    has_special_days=False,
    has_every=True,
    star_with_step_is_star=False,
)
DIALECTS: dict[str, Rules] = {rules.name: rules for rules in (VIXIE, QUARTZ, KUBERNETES)}
