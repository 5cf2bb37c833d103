"""Random cron lines around the shifts of all zones, for Rota and for the oracle.

Case number n is the same on every machine. One round goes through all zones; each zone takes
another of its shifts in each round, so that enough rounds meet every shift.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random

from rota.errors import BadCron
from rota.model.schedules.definitions import Cron, Dialect, Fold, Gap
from rota.rules.schedules.cron import compile_cron
from rota.rules.schedules.timetable import Timetable, firings
from rota.rules.schedules.zones import zone
from tests.support.cron_oracle import Oracle, shifts, zone_info, zone_names

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MS = timedelta(milliseconds=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    expression: str
    dialect: Dialect
    zone: str
    gap: Gap
    fold: Fold
    low: datetime
    high: datetime
    instants: tuple[int, ...]
    """Instants to compute one by one, in this order."""


def complaint(number: int, seed: int = 0) -> str | None:
    """Return the difference between Rota and the oracle; None if they agree."""
    case = make_case(number, seed)
    oracle = Oracle(case.expression, case.dialect, case.zone, gap=case.gap, fold=case.fold)
    expected = [(moment - EPOCH) // MS for moment in oracle.between(case.low, case.high)]
    try:
        timetable = _compile(case)
    except BadCron as error:
        return f"{case}: refused: {error}" if expected else None
    low, high = (case.low - EPOCH) // MS, (case.high - EPOCH) // MS
    found = list(firings(timetable, low, high))
    if found != expected:
        return f"{case}: {_texts(found)} instead of {_texts(expected)}"
    return _ask_one_by_one(case, _compile(case), expected)


def _compile(case: Case) -> Timetable:
    line = Cron(case.expression, case.dialect)
    return compile_cron(line, zone=zone(case.zone), gap=case.gap, fold=case.fold)


def _ask_one_by_one(case: Case, timetable: Timetable, expected: list[int]) -> str | None:
    """Compute in any order: what Rota caches for one answer must not spoil the next."""
    low, high = (case.low - EPOCH) // MS, (case.high - EPOCH) // MS
    close = [one + by for one in expected[-20:] for by in (0, -1, 1, -1_000)]
    for instant in (*case.instants, *reversed(close)):
        if instant < low:
            continue
        found = timetable.after(instant)
        place = bisect_right(expected, instant)
        if place == len(expected):
            right = found is None or found > high
        else:
            right = found == expected[place]
        if not right:
            return f"{case}: after {instant} comes {found}"
    return None


def make_case(number: int, seed: int) -> Case:
    chance = Random(f"{seed}/{number}")
    name, moment = _moment(number, seed, chance)
    shown = moment.astimezone(zone_info(name))
    dialect: Dialect = chance.choice(("vixie", "vixie", "vixie", "quartz", "kubernetes"))
    low = moment - timedelta(minutes=chance.randrange(20 * 60))
    high = moment + timedelta(minutes=chance.randrange(20 * 60))
    inside = range((low - EPOCH) // MS, (high - EPOCH) // MS + 1)
    own = chance.random() < 0.5
    return Case(
        expression=LineWriter(chance, shown, dialect).line(),
        dialect=dialect,
        zone=name,
        gap="cron" if own else chance.choice(("cron", "next", "skip", "same")),
        fold="cron" if own else chance.choice(("cron", "first", "second", "both")),
        low=low,
        high=high,
        instants=tuple(chance.choice(inside) for _ in range(8)) if len(inside) > 1 else (),
    )


def _moment(number: int, seed: int, chance: Random) -> tuple[str, datetime]:
    names = zone_names()
    turn, place = divmod(number, len(names))
    name = names[place]
    found = shifts(name)
    if not found or chance.random() < 0.05:
        return name, EPOCH + timedelta(days=2, minutes=chance.randrange(60 * 24 * 365 * 67))
    order = list(range(len(found)))
    Random(f"{seed}/{name}").shuffle(order)
    return name, found[order[turn % len(order)]]


class LineWriter:
    """Writes lines that often mean a time near the shift, and sometimes any time."""

    def __init__(self, chance: Random, shown: datetime, dialect: Dialect) -> None:
        self.chance = chance
        self.shown = shown
        self.dialect = dialect

    def line(self) -> str:
        minute = self.pick(
            "*",
            "0",
            str(self.shown.minute),
            "30",
            "*/15",
            "*/7",
            "0-59/20",
            "0,30",
            "15,45",
            str(self.any(0, 59)),
            f"{self.any(0, 29)}-{self.any(30, 59)}",
            f"{self.any(0, 29)}-{self.any(30, 59)}/{self.any(2, 9)}",
        )
        parts = [minute, self.hour(), *self.days()]
        if self.dialect == "quartz" or (self.dialect == "vixie" and self.chance.random() < 0.15):
            parts.insert(0, self.pick("0", "0", "0", "30", "*/20", "5,55"))
            if self.chance.random() < 0.2:
                parts.append(self.pick("*", str(self.shown.year), f"{self.shown.year}-2099"))
        return " ".join(parts)

    def hour(self) -> str:
        near = (self.shown.hour + self.any(-2, 1)) % 24
        other = (near + self.any(1, 4)) % 24
        low, high = sorted((near, other))
        forms = ["*", "*/2", "*/3", str(near), str(near), str(near), f"{low},{high}"]
        forms += [f"{low}-{high}", "0-23", str(self.any(0, 23)), f"{low}-23/2"]
        if self.dialect == "quartz":
            forms += [f"{high}-{low}", f"{low}/2"]
        if self.dialect == "kubernetes":
            forms.append(f"{low}/2")
        return self.chance.choice(forms)

    def days(self) -> tuple[str, str, str]:
        month = self.pick("*", "*", "*", str(self.shown.month), f"{self.shown:%b}", "*/2", "1-11")
        if self.dialect == "quartz":
            if self.chance.random() < 0.6:
                return self.pick("*", "*", self.month_day()), month, "?"
            return "?", month, self.week_day()
        day = "*" if self.chance.random() < 0.6 else self.month_day()
        weekday = "*" if self.chance.random() < 0.6 else self.week_day()
        return day, month, weekday

    def month_day(self) -> str:
        today = self.shown.day
        forms = [str(today), "*/2", "?", f"{max(1, today - 2)}-{min(31, today + 1)}", "1,15"]
        if self.dialect == "quartz":
            forms = ["1/2", "25-5", *forms[:2], *forms[3:]]
        if self.dialect != "kubernetes":
            forms += ["L", "L-1", "LW", f"{today}W", f"L-{self.any(1, 9)}", "1W,L", "L-2W"]
        return self.chance.choice(forms)

    def week_day(self) -> str:
        base = 1 if self.dialect == "quartz" else 0
        today = self.shown.isoweekday() % 7 + base
        name = f"{self.shown:%a}"
        nth = (self.shown.day + 6) // 7
        forms = [str(today), name, f"{base}-{base + 6}", "MON-FRI", f"{base},{base + 6}"]
        if self.dialect != "kubernetes":
            forms += [f"{today}L", f"{name}L", f"{name}#{nth}", f"{today}#{self.any(1, 5)}"]
        if self.dialect == "vixie":
            forms += ["7", "sat-0", "*/2", "5-7", "sat-sun", "?"]
        if self.dialect == "quartz":
            forms += ["FRI-MON", "6-2"]
        if self.dialect == "kubernetes":
            forms += ["*/2", "?"]
        return self.chance.choice(forms)

    def pick(self, *forms: str) -> str:
        return self.chance.choice(forms)

    def any(self, low: int, high: int) -> int:
        return self.chance.randint(low, high)


def _texts(instants: list[int]) -> list[str]:
    return [(EPOCH + instant * MS).strftime("%Y-%m-%dT%H:%M:%SZ") for instant in instants[:30]]
