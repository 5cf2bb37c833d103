"""Describe a cron line in a sentence, from its meaning: equal words in every dialect.

`H` is described by the time it has with this seed, so that the sentence agrees with the preview.
"""

from __future__ import annotations

from calendar import day_name, month_name
from collections.abc import Callable, Iterable, Sequence

from rota.model.schedules.definitions import Cron
from rota.rules.schedules.cron.days import EVERY_DAY, EVERY_WEEKDAY, Days, MonthDays, WeekDays
from rota.rules.schedules.cron.line import CronLine, Interval
from rota.rules.schedules.cron.parse import parse_cron
from rota.rules.text.duration import format_duration

_MOST_TIMES = 6
_RUN = 3
"""The number of values in a row from which they are described as a range."""
_ALL_60, _ALL_24 = tuple(range(60)), tuple(range(24))
_MONTHS = range(1, 13)
_NTH = ("first", "second", "third", "fourth", "fifth")


def describe(cron: Cron, zone: str, *, seed: str = "") -> str:
    """Return e.g. "At 06:00, Monday to Friday, Europe/Paris"; BadCron if unreadable."""
    line = parse_cron(cron, seed=seed)
    if isinstance(line, Interval):
        return f"Every {format_duration(line.every_ms)}"
    parts = [_time(line), *_days(line), zone]
    spread = f" (H spreads the {_join(sorted(line.hashed))})" if line.hashed else ""
    return ", ".join(parts) + spread


def _time(line: CronLine) -> str:
    times = [(hour, minute) for hour in line.hours for minute in line.minutes]
    is_rhythm = len(line.minutes) >= _RUN and _even(line.minutes, 60)
    if len(line.seconds) == 1 and len(times) <= _MOST_TIMES and not is_rhythm:
        return f"At {_join([_clock(*time, line.seconds[0]) for time in times])}"
    if len(line.seconds) == 1:
        at = f", at second {line.seconds[0]}" if line.seconds[0] else ""
        return f"{_minutes(line)}{at}"
    seconds = _rhythm(line.seconds, 60, "second")
    if (line.minutes, line.hours) == (_ALL_60, _ALL_24):
        return seconds if seconds.startswith("Every") else f"{seconds} of every minute"
    if len(times) <= _MOST_TIMES:
        return f"{seconds} of {_join([_clock(*time) for time in times])}"
    return f"{seconds}, {_lower(_minutes(line))}"


def _minutes(line: CronLine) -> str:
    hours, minutes = line.hours, line.minutes
    if len(minutes) == 1:
        return _once_an_hour(hours, minutes[0])
    rhythm = _rhythm(minutes, 60, "minute")
    if hours == _ALL_24:
        return rhythm if rhythm.startswith("Every") else f"{rhythm} of every hour"
    if not _is_run(hours):
        return f"{rhythm} of {_some_hours(hours)}"
    # The clock says where it begins.
    rhythm = rhythm.partition(" from ")[0]
    return f"{rhythm} from {_clock(hours[0], minutes[0])} to {_clock(hours[-1], minutes[-1])}"


def _once_an_hour(hours: tuple[int, ...], minute: int) -> str:
    if _is_run(hours) and hours != _ALL_24:
        return f"Every hour from {_clock(hours[0], minute)} to {_clock(hours[-1], minute)}"
    if minute:
        of = "every hour" if hours == _ALL_24 else _some_hours(hours)
        return f"At minute {minute} of {of}"
    rhythm = _rhythm(hours, 24, "hour")
    return (
        rhythm if rhythm.startswith("Every") else f"At {_join([_clock(one, 0) for one in hours])}"
    )


def _some_hours(hours: Sequence[int]) -> str:
    if hours[0] == 0 and (step := _even(hours, 24)):
        return f"every {_ordinal(step)} hour"
    return f"the hours {_ranges(hours, str)}"


def _rhythm(numbers: Sequence[int], size: int, unit: str) -> str:
    """Return words for even distances over the whole circle, or for the single values."""
    step = _even(numbers, size)
    if step and len(numbers) > 1:
        start = f" from {unit} {numbers[0]}" if numbers[0] else ""
        return f"Every {unit}" if step == 1 else f"Every {step} {unit}s{start}"
    if step and not numbers[0]:
        return f"Every {unit}" if step == 1 else f"Every {step} {unit}s"
    return f"At {unit}{'s' if len(numbers) > 1 else ''} {_ranges(numbers, str)}"


def _even(numbers: Sequence[int], size: int) -> int:
    """Return the distance if the values go evenly round the circle; else 0."""
    step = size // len(numbers)
    is_even = tuple(numbers) == tuple(range(numbers[0], size, step))
    return step if is_even and step * len(numbers) == size else 0


def _days(line: CronLine) -> list[str]:
    days = line.days
    parts = [_which_days(days)]
    if not _tells_months(days):
        parts.append(_in(sorted(days.months), lambda month: month_name[month]))
    if days.years is not None:
        parts.append(_in(sorted(days.years), str))
    if not any(parts) and ":" in _time(line):
        return ["every day"]
    return [part for part in parts if part]


def _tells_months(days: Days) -> bool:
    """Whether the months stand beside the day, as in the 1st of May; all months need no word."""
    is_date = days.month_days != EVERY_DAY and days.week_days == EVERY_WEEKDAY
    return len(days.months) == len(_MONTHS) or (is_date and len(days.months) < _RUN)


def _which_days(days: Days) -> str:
    by_month, by_week = days.month_days != EVERY_DAY, days.week_days != EVERY_WEEKDAY
    if not by_month:
        return _week_days(days.week_days) if by_week and not days.is_either else ""
    if not by_week:
        few = sorted(days.months) if len(days.months) < _RUN else []
        of = _join(month_name[month] for month in few) if few else "the month"
        return "" if days.is_either else _month_days(days.month_days, of)
    text = _month_days(days.month_days, "the month")
    link = " or " if days.is_either else ", but only if it falls "
    week = _week_days(days.week_days)
    return f"{text}{link}{week if week.startswith('on ') else f'on {week}'}"


def _month_days(rule: MonthDays, of: str) -> str:
    plain = sorted(rule.days)
    parts = []
    if plain:
        step = plain[1] - plain[0] if len(plain) > _RUN else 0
        if step > 1 and plain == list(range(plain[0], 32, step)):
            start = f" from the {_ordinal(plain[0])}" if plain[0] > 1 else ""
            parts.append(f"every {_ordinal(step)} day{start}")
        else:
            parts.append(f"the {_ranges(plain, _ordinal)}")
    parts += [f"the {_from_end(back)}" for back in sorted(rule.from_end)]
    parts += [f"the working day nearest to the {_ordinal(day)}" for day in sorted(rule.nearest)]
    for back in sorted(rule.nearest_from_end):
        near = f"working day nearest to the {_from_end(back)}"
        parts.append("the last working day" if back == 0 else f"the {near}")
    return f"on {_join(parts)} of {of}"


def _from_end(back: int) -> str:
    return "last day" if back == 0 else f"{_ordinal(back + 1)} last day"


def _week_days(rule: WeekDays) -> str:
    plain = sorted((day - 1) % 7 for day in rule.days)
    special = [
        f"the {_NTH[nth - 1]} {day_name[(day - 1) % 7]} of the month"
        for day, nth in sorted(rule.nth, key=lambda one: (one[1], one[0]))
    ]
    special += [f"the last {day_name[(day - 1) % 7]} of the month" for day in sorted(rule.last)]
    if not special and len(plain) >= _RUN and _is_run(plain):
        return f"{day_name[plain[0]]} to {day_name[plain[-1]]}"
    return f"on {_join([*(day_name[day] for day in plain), *special])}"


def _in(numbers: Sequence[int], spell: Callable[[int], str]) -> str:
    if len(numbers) >= _RUN and _is_run(numbers):
        return f"from {spell(numbers[0])} to {spell(numbers[-1])}"
    return f"in {_ranges(numbers, spell)}"


def _ranges(numbers: Sequence[int], spell: Callable[[int], str]) -> str:
    """Return a list such as 1, 5 to 9 and 12."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts: list[str] = []
    for run in runs:
        is_long = len(run) >= _RUN
        parts += [f"{spell(run[0])} to {spell(run[-1])}"] if is_long else map(spell, run)
    return _join(parts)


def _is_run(numbers: Sequence[int]) -> bool:
    return numbers[-1] - numbers[0] == len(numbers) - 1


def _clock(hour: int, minute: int, second: int = 0) -> str:
    return f"{hour:02}:{minute:02}" + (f":{second:02}" if second else "")


def _ordinal(number: int) -> str:
    ending = "th" if number // 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _join(texts: Iterable[str]) -> str:
    *most, last = texts
    return f"{', '.join(most)} and {last}" if most else last


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]
