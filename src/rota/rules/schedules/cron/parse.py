"""Parse a cron line, or explain which field is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rota.errors import BadCron, BadDuration
from rota.model.schedules.definitions import Cron
from rota.rules.schedules.cron.days import EVERY_DAY, EVERY_WEEKDAY, Days, MonthDays, WeekDays
from rota.rules.schedules.cron.dialects import DIALECTS, Rules
from rota.rules.schedules.cron.fields import MONTHS, CronField
from rota.rules.schedules.cron.line import CronLine, Interval
from rota.rules.text.duration import parse_duration

MAX_CHARS = 4_096
MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_ZONE = re.compile(r"(?:CRON_)?TZ=", re.IGNORECASE)
_FROM_END = re.compile(r"L(?:-([0-9]{1,2}))?(W)?")
_NEAREST = re.compile(r"([0-9]{1,2})W")
_NTH = re.compile(r"([A-Z0-9]+)#([0-9]+)")
_LAST = re.compile(r"([A-Z]{3}|[0-9])L")
_HASHED = re.compile(r"(?:^|[\s,])H", re.IGNORECASE)
_DAY_FIELDS = (3, 5)
_SHORTEST_MS = 1_000
_PLAIN, _FULL = 5, 7
_FURTHEST_BACK = 30


def parse_cron(cron: Cron, *, seed: str = "") -> CronLine | Interval:
    """Parse a line; `seed` decides the values of `H`.

    BadCron names the field, what is wrong with it and what would be right. A day that no calendar
    has, such as 31 February, is refused; a year that has passed is not.
    """
    text: object = cron.expression
    if not isinstance(text, str):
        raise BadCron(f"cron line {text!r:.64}: it is not a text")
    try:
        return _parse(text, cron.dialect, seed if _HASHED.search(text) else "")
    except BadCron as error:
        raise BadCron(f"cron line {cron.expression!r:.64}: {error}") from None


@lru_cache(maxsize=16_384)
def _parse(expression: str, dialect: str, seed: str) -> CronLine | Interval:
    rules = DIALECTS.get(dialect)
    if rules is None:
        raise BadCron(f"no dialect is named {dialect!r:.20}; there are {', '.join(DIALECTS)}")
    if len(expression) > MAX_CHARS:
        raise BadCron(f"it has {len(expression):,} characters, more than {MAX_CHARS:,}")
    text = expression.strip()
    if text.startswith("@"):
        return _macro(text, rules, seed)
    if _ZONE.match(text):
        raise BadCron("a zone cannot be part of the line; give it as the schedule's zone")
    return _Reader(rules, _split(text.upper(), rules), seed).line()


def _macro(text: str, rules: Rules, seed: str) -> CronLine | Interval:
    name, *others = text.lower().split()
    rest = " ".join(others)
    if name == "@every":
        if not rules.has_every:
            raise BadCron(f'@every is not a cron line; write every="{rest or "90s":.20}"')
        return _interval(rest)
    if name == "@reboot":
        raise BadCron("@reboot is not a time; submit the job when the program starts")
    if rest or name not in MACROS:
        raise BadCron(f"{text!r:.20} is unknown; there are {', '.join(MACROS)}")
    fields = ["0", *MACROS[name].split(), "*"]
    if rules.must_leave_a_day_open:
        # Sunday is 1 there, and exactly one day field has to stay open.
        fields[3], fields[5] = ("?", "1") if name == "@weekly" else (fields[3], "?")
    return _Reader(rules, fields, seed).line()


def _interval(text: str) -> Interval:
    try:
        ms = parse_duration(text)
    except BadDuration as error:
        raise BadCron(f"@every: {error}") from None
    if ms < _SHORTEST_MS:
        raise BadCron("@every: less than a second; write @every 1s or more")
    return Interval(ms // 1_000 * 1_000)


def _split(text: str, rules: Rules) -> list[str]:
    """Split into all seven fields; missing ones are second 0 and every year."""
    fields = text.split()
    if len(fields) not in rules.lengths:
        lengths = " or ".join(map(str, rules.lengths))
        raise BadCron(f"it has {len(fields)} fields, {rules.name} has {lengths}: {_order(rules)}")
    if len(fields) == _PLAIN:
        fields.insert(0, "0")
    return fields if len(fields) == _FULL else [*fields, "*"]


def _order(rules: Rules) -> str:
    second, *plain, year = (one.name for one in rules.fields)
    if _FULL in rules.lengths:
        second = f"[{second}]" if _PLAIN in rules.lengths else second
        return ", ".join((second, *plain, f"[{year}]"))
    return ", ".join(plain)


@dataclass(frozen=True, slots=True)
class _Reader:
    rules: Rules
    texts: Sequence[str]
    seed: str

    def line(self) -> CronLine:
        seconds, minutes, hours = (self._numbers(place) for place in range(3))
        is_wildcard = any(text[0] in "*?" for text in self.texts[1:3])
        return CronLine(
            seconds=seconds,
            minutes=minutes,
            hours=hours,
            days=self._days(),
            is_wildcard=is_wildcard,
            hashed=frozenset(
                one.name
                for one, text in zip(self.rules.fields, self.texts, strict=True)
                if any(item.startswith("H") for item in text.split(","))
            ),
        )

    def _items(self, place: int) -> list[str]:
        items = self.texts[place].split(",")
        if not all(items):
            raise self._field(place).fail(self.texts[place], "the list has an empty item")
        if "?" not in self.texts[place]:
            return items
        if self.rules.must_leave_a_day_open and items != ["?"]:
            raise self._field(place).fail(self.texts[place], "'?' must stand alone")
        if place not in _DAY_FIELDS and self.rules.has_special_days:
            raise self._field(place).fail(self.texts[place], "'?' is for the day fields; write *")
        return [f"*{item[1:]}" if item.startswith("?") else item for item in items]

    def _field(self, place: int) -> CronField:
        return self.rules.fields[place]

    def _numbers(self, place: int) -> tuple[int, ...]:
        numbers: set[int] = set()
        for item in self._items(place):
            numbers |= self._field(place).values(item, self.seed)
        return tuple(sorted(numbers))

    def _days(self) -> Days:
        month_text, week_text = self.texts[3], self.texts[5]
        if self.rules.must_leave_a_day_open:
            _leave_one_open(month_text, week_text)
        years = None if self.texts[6] == "*" else frozenset(self._numbers(6))
        days = Days(
            month_days=EVERY_DAY if self._is_bare(3) else self._month_days(),
            week_days=EVERY_WEEKDAY if self._is_bare(5) else self._week_days(),
            is_either=not self._is_star(3) and not self._is_star(5),
            months=frozenset(self._numbers(4)),
            years=years,
        )
        if not days.is_possible():
            raise self._never(days)
        return days

    def _is_bare(self, place: int) -> bool:
        return self.texts[place] in {"*", "?"}

    def _is_star(self, place: int) -> bool:
        """Whether this day field leaves the choice of the day to the other one."""
        if self.rules.star_with_step_is_star:
            return self.texts[place][0] in "*?"
        return any(item in {"*", "*/1"} for item in self._items(place))

    def _special(self, place: int, item: str) -> None:
        if not self.rules.has_special_days:
            raise self._field(place).fail(item, f"{self.rules.name} has no L, W and #")

    def _month_days(self) -> MonthDays:
        month_days = MonthDays()
        for item in self._items(3):
            month_days = self._add_month_day(month_days, item)
        return month_days

    def _add_month_day(self, days: MonthDays, item: str) -> MonthDays:
        if match := _FROM_END.fullmatch(item):
            self._special(3, item)
            back = int(match[1] or 0)
            if back > _FURTHEST_BACK:
                raise self._field(3).fail(item, "no month is that long; write L-1 to L-30")
            if match[2]:
                return replace(days, nearest_from_end=days.nearest_from_end | {back})
            return replace(days, from_end=days.from_end | {back})
        if match := _NEAREST.fullmatch(item):
            self._special(3, item)
            day = self._field(3).number(item, match[1])
            return replace(days, nearest=days.nearest | {day})
        return replace(days, days=days.days | self._field(3).values(item, self.seed))

    def _week_days(self) -> WeekDays:
        week_days = WeekDays()
        for item in self._items(5):
            week_days = self._add_week_day(week_days, item)
        return week_days

    def _add_week_day(self, week_days: WeekDays, item: str) -> WeekDays:
        field = self._field(5)
        if match := _NTH.fullmatch(item):
            self._special(5, item)
            if match[2] not in {"1", "2", "3", "4", "5"}:
                raise field.fail(item, "after # comes a number from 1 to 5")
            return replace(
                week_days, nth=week_days.nth | {(self._weekday(item, match[1]), int(match[2]))}
            )
        if match := _LAST.fullmatch(item):
            self._special(5, item)
            return replace(week_days, last=week_days.last | {self._weekday(item, match[1])})
        if item == "L" and self.rules.has_special_days:
            if self.rules.lone_last_weekday is None:
                raise field.fail(item, "L needs a weekday here; write 5L for the last Friday")
            return replace(week_days, days=week_days.days | {self.rules.lone_last_weekday})
        days = {(day - field.low) % 7 for day in field.values(item, self.seed)}
        return replace(week_days, days=week_days.days | days)

    def _weekday(self, item: str, text: str) -> int:
        field = self._field(5)
        return (field.number(item, text) - field.low) % 7

    def _never(self, days: Days) -> BadCron:
        months = ", ".join(MONTHS[month - 1].title() for month in sorted(days.months))
        where = f"no {months}" if len(days.months) < len(MONTHS) else "no month"
        when = f" of {self.texts[6]:.40}" if days.years is not None else ""
        which = "day of month" if not self._is_bare(3) else "day of week"
        text = self.texts[3] if not self._is_bare(3) else self.texts[5]
        return BadCron(f"{which} {text!r:.40}: {where}{when} has such a day; it would never fire")


def _leave_one_open(month_text: str, week_text: str) -> None:
    if (month_text == "?") == (week_text == "?"):
        both = "both are" if month_text == "?" else "neither is"
        raise BadCron(
            f"day of month {month_text!r:.20} and day of week {week_text!r:.20}: {both} '?'; "
            "in quartz exactly one of the two must be '?'"
        )
