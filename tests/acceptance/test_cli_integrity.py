"""A broken page in the file of the database, as `rota doctor` and `rota db check` tell of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rota.store.open import open_store
from tests.contract.builders import finish_with, given_lease
from tests.support.broken_page import break_page_of_history
from tests.support.cli import Rota

PROBLEM, NOT_FIT = 1, 5


@pytest.fixture
def broken(local: Rota) -> int:
    """The number of the page of history that is broken in the database of the folder."""
    path = local.folder / "rota.db"
    store = open_store(f"sqlite:///{path}")
    for number in range(40):
        finish_with(store, given_lease(store), result=f'"{number:0>400}"')
    store.close()
    good = local("db", "check", "--deep")
    assert (good.code, "no fault in" in good.out) == (0, True)
    return break_page_of_history(Path(path))


def test_doctor_and_db_check_find_a_broken_page_of_history(local: Rota, broken: int) -> None:
    for words, code in (
        (("doctor",), PROBLEM),
        (("doctor", "--deep"), PROBLEM),
        (("db", "check"), NOT_FIT),
        (("db", "check", "--deep"), NOT_FIT),
    ):
        said = local(*words)

        assert said.code == code, said
        assert f"page {broken}" in said.out
        assert "restore a backup" in said.out
        assert "Traceback" not in said.out + said.err


def test_the_same_is_told_to_programs(local: Rota, broken: int) -> None:
    doctor, check = (
        local(*words, "--deep", "--json").documents for words in (("doctor",), ("db", "check"))
    )

    (found,) = [each for each in doctor if each["check"] == "integrity"]
    assert (found["status"], f"page {broken}" in found["found"]) == ("problem", True)
    assert (check[0]["is_good"], check[0]["bad"]) == (False, ["integrity"])
    assert f"page {broken}" in check[0]["integrity"]
