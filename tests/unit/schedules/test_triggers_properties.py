"""Triggers against brute force with zoneinfo, around shifts of every kind."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, get_args
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rota.model.schedules.definitions import (
    AnyOf,
    At,
    BusinessDay,
    Calendar,
    CalendarEvery,
    Cron,
    Every,
    Fold,
    Gap,
    Roll,
    Rrule,
    Trigger,
    Unless,
)
from rota.rules.schedules.timetable import firings
from tests.support.schedules import assert_consistent, compiled, ms

DAY_MS = 86_400_000
SHIFTS = (
    ("America/New_York", "2024-03-10"),
    ("America/New_York", "2024-11-03"),
    ("Australia/Lord_Howe", "2024-04-07"),
    ("Australia/Lord_Howe", "2024-10-06"),
    ("America/Sao_Paulo", "2018-11-04"),
    ("America/St_Johns", "2007-11-04"),
    ("America/Havana", "2024-11-03"),
    ("Pacific/Apia", "2011-12-30"),
    ("Africa/Casablanca", "2024-03-10"),
    ("UTC", "2024-03-10"),
)
GAPS: tuple[Gap, ...] = get_args(Gap)
FOLDS: tuple[Fold, ...] = get_args(Fold)


@pytest.fixture(autouse=True, scope="module")
def _short_searches() -> Iterator[None]:
    """Much is left out here; nobody has to search for it through fifty years."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rota.rules.schedules.triggers.unless.SEARCH_MS", 60 * DAY_MS)
        patch.setattr("rota.rules.schedules.triggers.unless.MAX_EXCLUDED", 2_000)
        yield


def resolved(wall: datetime, zone: str, gap: str, fold: str) -> Iterator[int]:
    """The instants of a wall time, by zoneinfo alone."""
    info = ZoneInfo(zone)
    both = [wall.replace(tzinfo=info, fold=number).astimezone(UTC) for number in (0, 1)]
    real = sorted({at for at in both if at.astimezone(info).replace(tzinfo=None) == wall})
    if real:
        chosen = {"both": real, "second": real[-1:]}.get(fold, real[:1])
    elif gap == "skip":
        chosen = []
    elif gap == "same":
        chosen = [both[0]]
    else:
        chosen = [gap_end(both[1], info)]
    return (round(at.timestamp() * 1_000) for at in chosen)


def gap_end(before: datetime, info: ZoneInfo) -> datetime:
    """The first minute with another offset; fold=1 reads a missing time by the later offset."""
    at = before
    offset = at.astimezone(info).utcoffset()
    while at.astimezone(info).utcoffset() == offset:
        at += timedelta(minutes=1)
    return at


@given(
    st.sampled_from(SHIFTS),
    st.integers(0, 95),
    st.integers(1, 3),
    st.sampled_from(GAPS),
    st.sampled_from(FOLDS),
    st.integers(-3 * DAY_MS, 3 * DAY_MS),
)
def test_calendar_intervals_are_those_of_walking_day_by_day(
    shift: tuple[str, str], quarter: int, days: int, gap: Any, fold: Any, offset: int
) -> None:
    zone, day = shift
    start = datetime.fromisoformat(day) - timedelta(days=9) + timedelta(minutes=15 * quarter)
    trigger = CalendarEvery(start=start.isoformat(), days=days)
    walls = (start + timedelta(days=days) * count for count in range(30))
    expected = sorted({at for wall in walls for at in resolved(wall, zone, gap, fold)})
    timetable = compiled(trigger, zone, gap=gap, fold=fold)
    until = ms(day) + 6 * DAY_MS

    found = list(firings(timetable, ms(day) - 12 * DAY_MS, until))

    assert found == [at for at in expected if at <= until]
    probe = ms(day) + offset
    assert timetable.after(probe) == next(at for at in expected if at > probe)


@given(
    st.sampled_from(SHIFTS),
    st.sets(st.integers(0, 95), min_size=1, max_size=12),
    st.sampled_from(GAPS),
    st.sampled_from(FOLDS),
    st.integers(-2 * DAY_MS, 2 * DAY_MS),
)
def test_many_wall_times_a_day_come_in_the_order_of_their_instants(
    shift: tuple[str, str], quarters: set[int], gap: Any, fold: Any, offset: int
) -> None:
    zone, day = shift
    first = datetime.fromisoformat(day) - timedelta(days=4)
    walls = [
        first + timedelta(days=days, minutes=15 * quarter)
        for days in range(9)
        for quarter in quarters
    ]
    expected = sorted({at for wall in walls for at in resolved(wall, zone, gap, fold)})
    timetable = compiled(At(tuple(wall.isoformat() for wall in walls)), zone, gap=gap, fold=fold)

    found = list(firings(timetable, ms(day) - 20 * DAY_MS, ms(day) + 20 * DAY_MS))

    assert found == expected
    probe = ms(day) + offset
    assert timetable.after(probe) == next(at for at in expected if at > probe)


@given(st.integers(1, 18), st.integers(1, 31), st.integers(1, 12), st.integers(0, 4_000))
def test_months_are_counted_from_the_start(step: int, day: int, month: int, later: int) -> None:
    start = datetime.fromisoformat(f"2019-{month:02}-01T06:00") + timedelta(days=day - 1)
    timetable = compiled(CalendarEvery(start=start.isoformat(), months=step))
    expected = []
    for count in range(400 // step):
        months = start.month - 1 + step * count
        year, index = start.year + months // 12, months % 12 + 1
        last = monthrange(year, index)[1]
        expected.append(
            ms(start.replace(year=year, month=index, day=min(start.day, last)).isoformat())
        )
    probe = ms(start.isoformat()) + later * DAY_MS - DAY_MS

    assert timetable.after(probe) == next(at for at in expected if at > probe)


simple = st.one_of(
    st.sampled_from([15, 20, 45, 90]).map(lambda minutes: Every(f"{minutes}m")),
    st.sampled_from(["30 2 * * *", "0 */3 * * *", "15,45 * * * *", "0 0 * * sun"]).map(Cron),
    st.just(CalendarEvery(start="2007-01-01T01:30", days=1)),
    st.just(BusinessDay(1, "02:30")),
    st.just(Rrule("FREQ=DAILY;BYHOUR=0,1,2;BYMINUTE=30", "2007-01-01T00:00")),
)
triggers: st.SearchStrategy[Trigger] = st.one_of(
    simple,
    st.lists(simple, min_size=1, max_size=3).map(lambda each: AnyOf(tuple(each))),
    st.builds(Unless, simple, simple, st.booleans()),
)


@given(
    triggers,
    st.sampled_from(SHIFTS),
    st.sampled_from(GAPS),
    st.sampled_from(FOLDS),
    st.sampled_from([None, "skip", "next", "previous", "modified_following"]),
    st.integers(0, 5 * DAY_MS),
)
def test_every_answer_is_the_first_firing_later(
    trigger: Trigger, shift: tuple[str, str], gap: Any, fold: Any, roll: Roll | None, offset: int
) -> None:
    zone, day = shift
    policies: dict[str, Any] = {"gap": gap, "fold": fold}
    if roll is not None:
        policies |= {"calendar": Calendar(weekend=(4, 6)), "roll": roll}
    timetable = compiled(trigger, zone, **policies)
    begin = ms(day) - 2 * DAY_MS

    assert_consistent(timetable, begin, begin + 5 * DAY_MS, begin + offset)


@given(st.lists(simple, min_size=1, max_size=3), st.sampled_from(SHIFTS))
def test_a_union_is_the_union_of_the_sets(each: list[Trigger], shift: tuple[str, str]) -> None:
    zone, day = shift
    window = ms(day) - 2 * DAY_MS, ms(day) + 2 * DAY_MS
    sets = [set(firings(compiled(one, zone), *window)) for one in each]

    found = list(firings(compiled(AnyOf(tuple(each)), zone), *window))

    assert found == sorted(set().union(*sets))


@pytest.mark.parametrize("whole_day", [False, True])
@given(kept=simple, excluded=simple, shift=st.sampled_from(SHIFTS))
def test_an_exclusion_is_the_difference_of_the_sets(
    kept: Trigger, excluded: Trigger, shift: tuple[str, str], *, whole_day: bool
) -> None:
    zone, day = shift
    begin, end = ms(day) - 2 * DAY_MS, ms(day) + 2 * DAY_MS
    info = ZoneInfo(zone)

    def key(at: int) -> object:
        return datetime.fromtimestamp(at / 1_000, info).date() if whole_day else at

    left_out = set(
        map(key, firings(compiled(excluded, zone), begin - 2 * DAY_MS, end + 2 * DAY_MS))
    )
    plain = firings(compiled(kept, zone), begin, end)

    timetable = compiled(Unless(kept, excluded, whole_day), zone)

    assert list(firings(timetable, begin, end)) == [at for at in plain if key(at) not in left_out]
