"""The tables of docs/cron.md that promise times, row by row."""

from __future__ import annotations

import re

import pytest

from rota.model.schedules.definitions import Fold, Gap
from tests.support.source import ROOT
from tests.unit.schedules.test_cron_dst import NEW_YORK, fired

PAGE = (ROOT / "docs" / "cron.md").read_text()
GAP = ("2024-03-10T06:15Z", "2024-03-10T08:15Z")
FOLD = ("2024-11-03T04:45Z", "2024-11-03T07:45Z")
GAPS: tuple[Gap, ...] = ("cron", "next", "skip", "same")
FOLDS: tuple[Fold, ...] = ("cron", "first", "second", "both")


def rows(head: str) -> list[tuple[str, list[str]]]:
    """Each line of the table with this first column, and its other cells."""
    table = re.search(rf"^\| ?{head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    assert table is not None, head
    split = [[cell.strip() for cell in row[1:-1].split("|")] for row in table[1].splitlines()]
    return [(line.strip("`"), cells) for line, *cells in split]


def told(times: list[str]) -> str:
    return " ".join(times) or "-"


@pytest.mark.parametrize(("line", "cells"), rows("line in the gap"))
def test_the_page_is_right_about_the_gap(line: str, cells: list[str]) -> None:
    assert [told(fired(line, NEW_YORK, GAP, gap=gap)) for gap in GAPS] == cells


@pytest.mark.parametrize(("line", "cells"), rows("line in the fold"))
def test_the_page_is_right_about_the_fold(line: str, cells: list[str]) -> None:
    assert [told(fired(line, NEW_YORK, FOLD, fold=fold)) for fold in FOLDS] == cells


SETTINGS = re.compile(r"`gap` (?P<gap>\w+), `fold` (?P<fold>\w+)")


@pytest.mark.parametrize(("name", "cells"), rows(""))
def test_the_page_is_right_about_how_to_do_as_others_do(name: str, cells: list[str]) -> None:
    in_gap, in_fold, setting = cells
    chosen = SETTINGS.fullmatch(setting)
    gap: Gap = next(one for one in GAPS if one == (chosen["gap"] if chosen else "cron"))
    fold: Fold = next(one for one in FOLDS if one == (chosen["fold"] if chosen else "cron"))

    assert told(fired("30 2 * * *", NEW_YORK, GAP, gap=gap)) == in_gap
    assert told(fired("30 1 * * *", NEW_YORK, FOLD, fold=fold)) == in_fold
