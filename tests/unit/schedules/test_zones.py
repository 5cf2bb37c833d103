"""Zones: from the wheel, right at every shift, and honest about names that do not exist."""

from __future__ import annotations

import io
import zoneinfo
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from rota.errors import BadZone
from rota.rules.schedules import zones
from rota.rules.schedules.zones import LAST_YEAR, Zone, zone

HOUR = 3_600_000


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * 1_000)


def wall(text: str) -> datetime:
    return datetime.fromisoformat(text)


def stdlib(name: str) -> ZoneInfo:
    data = files("tzdata").joinpath("zoneinfo", *name.split("/")).read_bytes()
    return ZoneInfo.from_file(io.BytesIO(data), key=name)


def its_offset(info: ZoneInfo, instant: int) -> int:
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=instant)
    offset = moment.astimezone(info).utcoffset()
    assert offset is not None
    return int(offset.total_seconds() * 1_000)


@pytest.mark.parametrize("group", range(8))
def test_every_zone_agrees_with_the_standard_library_at_each_of_its_shifts(group: int) -> None:
    for name in sorted(zones.names())[group::8]:
        mine, info = zone(name), stdlib(name)
        for start in mine.starts:
            if start > at("1900-01-01T00:00:00Z"):
                assert mine.offset(start) == its_offset(info, start), (name, start)
                assert mine.offset(start - 1) == its_offset(info, start - 1), (name, start)


@pytest.mark.parametrize("group", range(4))
def test_no_shift_is_missing(group: int) -> None:
    """Each quarter until the last year: no shift stays away for so long."""
    quarters = range(at("1970-01-01T00:00:00Z"), at(f"{LAST_YEAR}-12-31T00:00:00Z"), 91 * 24 * HOUR)
    for name in sorted(zones.names())[group::12]:
        mine, info = zone(name), stdlib(name)
        assert [mine.offset(quarter) for quarter in quarters] == [
            its_offset(info, quarter) for quarter in quarters
        ]


def test_the_files_of_the_machine_do_not_matter(
    tmp_path: Path,
) -> None:
    """A machine whose Paris is Tokyo."""
    fake = tmp_path / "Europe"
    fake.mkdir()
    tokyo = files("tzdata").joinpath("zoneinfo", "Asia", "Tokyo").read_bytes()
    (fake / "Paris").write_bytes(tokyo)
    zone.cache_clear()
    zoneinfo.reset_tzpath([str(tmp_path)])
    try:
        ZoneInfo.clear_cache()
        assert its_offset(ZoneInfo("Europe/Paris"), 0) == 9 * HOUR
        assert zone("Europe/Paris").offset(0) == HOUR
    finally:
        zoneinfo.reset_tzpath()
        ZoneInfo.clear_cache()


@pytest.mark.parametrize(
    ("name", "local", "instants"),
    [
        ("America/New_York", "2024-03-10T01:59:59.999", ["2024-03-10T06:59:59.999Z"]),
        ("America/New_York", "2024-03-10T02:00", []),
        ("America/New_York", "2024-03-10T02:59:59.999", []),
        ("America/New_York", "2024-03-10T03:00", ["2024-03-10T07:00Z"]),
        ("America/New_York", "2024-11-03T01:30", ["2024-11-03T05:30Z", "2024-11-03T06:30Z"]),
        ("America/New_York", "2024-11-03T02:00", ["2024-11-03T07:00Z"]),
        ("Australia/Lord_Howe", "2024-04-07T01:45", ["2024-04-06T14:45Z", "2024-04-06T15:15Z"]),
        ("Australia/Lord_Howe", "2024-10-06T02:15", []),
        ("Pacific/Apia", "2011-12-30T12:00", []),
        ("America/Sao_Paulo", "2018-11-04T00:00", []),
        ("Europe/Dublin", "2024-10-27T01:30", ["2024-10-27T00:30Z", "2024-10-27T01:30Z"]),
        ("Africa/Casablanca", "2026-02-15T02:30", ["2026-02-15T01:30Z", "2026-02-15T02:30Z"]),
        ("Pacific/Chatham", "2026-09-27T03:00", []),
        ("Africa/Monrovia", "1972-01-07T00:20", []),
        ("UTC", "2024-03-10T02:30", ["2024-03-10T02:30Z"]),
        ("America/New_York", "2150-07-01T12:00", ["2150-07-01T16:00Z"]),
    ],
)
def test_a_wall_time_comes_never_once_or_twice(name: str, local: str, instants: list[str]) -> None:
    found = zone(name).instants(wall(local))

    assert found == tuple(at(text) for text in instants)
    assert all(zone(name).wall(instant) == wall(local) for instant in found)


@pytest.mark.parametrize(
    ("name", "local", "end", "same"),
    [
        ("America/New_York", "2024-03-10T02:30", "2024-03-10T07:00Z", "2024-03-10T07:30Z"),
        ("America/New_York", "2024-03-10T02:00", "2024-03-10T07:00Z", "2024-03-10T07:00Z"),
        ("Australia/Lord_Howe", "2024-10-06T02:15", "2024-10-05T15:30Z", "2024-10-05T15:45Z"),
        ("Pacific/Apia", "2011-12-30T12:00", "2011-12-30T10:00Z", "2011-12-30T22:00Z"),
        ("America/Sao_Paulo", "2018-11-04T00:10", "2018-11-04T03:00Z", "2018-11-04T03:10Z"),
        ("Europe/Paris", "2024-10-27T02:30", "2024-10-27T00:30Z", "2024-10-27T00:30Z"),
        ("Europe/Paris", "2024-07-01T12:00", "2024-07-01T10:00Z", "2024-07-01T10:00Z"),
    ],
)
def test_a_gap_has_an_end_and_a_same_instant(name: str, local: str, end: str, same: str) -> None:
    assert zone(name).gap_end(wall(local)) == at(end)
    assert zone(name).same(wall(local)) == at(same)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Europe/Pariss", "did you mean 'Europe/Paris'?"),
        ("europe/paris", "did you mean 'Europe/Paris'?"),
        ("Mars/Olympus_Mons", "write Europe/Paris or UTC"),
        ("../zoneinfo/UTC", "no time zone"),
        ("/etc/localtime", "no time zone"),
        ("Europe", "no time zone"),
        ("Europe/../Europe/Paris", "no time zone"),
        ("__init__.py", "no time zone"),
        ("UTC\0", "no time zone"),
        ("", "no time zone"),
        ("x" * 4_096, "no time zone"),
    ],
)
def test_an_unknown_zone_is_refused_with_the_nearest_name(name: str, hint: str) -> None:
    with pytest.raises(BadZone) as caught:
        zone(name)

    assert hint in str(caught.value)
    assert len(str(caught.value)) < 200


def test_a_zone_is_read_once() -> None:
    assert zone("Europe/Paris") is zone("Europe/Paris")
    assert isinstance(zone("UTC"), Zone)


def test_the_version_of_the_data_is_known() -> None:
    assert zones.data_version()[:2] == "20"
