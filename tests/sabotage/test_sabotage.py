"""Every deliberate bug is noticed by the tests that claim to, and by nothing else than a look."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sabotage.edit import Edit, Sabotage, StaleEdit, edited
from tests.sabotage.table import SABOTAGES, named_tests
from tests.sabotage.trial import Trials

ENOUGH = 15


# First, because it is the longest: the others run beside it.
@pytest.mark.postgres
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_without_sabotage_every_named_test_passes(trials: Trials, tmp_path: Path) -> None:
    trial = trials.hold_unbroken(named_tests(), tmp_path)

    assert trial.complaints == ()


def _param(sabotage: Sabotage) -> object:
    marks = [pytest.mark.postgres] if sabotage.on_postgres else []
    return pytest.param(sabotage, id=sabotage.name.replace(" ", "-"), marks=marks)


@pytest.mark.parametrize("sabotage", [_param(each) for each in SABOTAGES])
def test_the_tests_notice(trials: Trials, sabotage: Sabotage, tmp_path: Path) -> None:
    trial = trials.hold(sabotage, tmp_path)

    assert trial.complaints == ()
    if trial.is_skipped:
        pytest.skip("its tests were skipped")


def test_there_are_many_sabotages_each_with_a_name_of_its_own_and_a_reason() -> None:
    harmful = [sabotage for sabotage in SABOTAGES if not sabotage.is_harmless]

    assert len(harmful) >= ENOUGH
    assert len({sabotage.name for sabotage in SABOTAGES}) == len(SABOTAGES)
    assert all(sabotage.edits and sabotage.caught_by for sabotage in SABOTAGES)


SQL = "-- name: one\nselect 1\n\n-- name: two\nselect 1\n  from run\n"
CODE = "def one(\n    a: int,\n) -> int:\n    return a\n\n\ndef two() -> int:\n    return a\n"


@pytest.mark.parametrize(
    ("path", "text", "within", "old", "expected"),
    [
        (
            "a.sql",
            SQL,
            "two",
            "select 1",
            "-- name: one\nselect 1\n\n-- name: two\nX\n  from run\n",
        ),
        (
            "a.sql",
            SQL,
            "one",
            "select 1",
            "-- name: one\nX\n\n-- name: two\nselect 1\n  from run\n",
        ),
        ("a.py", CODE, "two", "return a", CODE[: CODE.rindex("return a")] + "X\n"),
        ("a.py", CODE, "", "a: int", CODE.replace("a: int", "X")),
    ],
)
def test_an_edit_stays_in_its_place(
    path: str, text: str, within: str, old: str, expected: str
) -> None:
    assert edited(text, Edit(path=path, within=within, old=old, new="X")) == expected


@pytest.mark.parametrize(
    ("path", "text", "within", "old"),
    [
        ("a.sql", SQL, "one", "from run"),
        ("a.sql", SQL, "", "select 1"),
        ("a.sql", SQL, "three", "select 1"),
        ("a.py", CODE, "one", "def two"),
        ("a.py", CODE, "three", "return a"),
    ],
)
def test_an_edit_that_does_not_fit_is_noticed(path: str, text: str, within: str, old: str) -> None:
    with pytest.raises(StaleEdit):
        edited(text, Edit(path=path, within=within, old=old, new="X"))
