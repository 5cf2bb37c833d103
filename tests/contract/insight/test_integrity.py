"""A look at what is stored: one broken page is found, wherever it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from rota.rules.insight.integrity import Integrity, integrity
from rota.store.base import Store
from rota.store.open import examine_integrity, open_store
from tests.contract.builders import finish_with, given_lease, run_sql
from tests.support.broken_page import break_page_of_history


def looked(url: str, *, deep: bool) -> Integrity | None:
    store = open_store(url)
    try:
        return examine_integrity(store, deep=deep)
    finally:
        store.close()


@pytest.mark.parametrize("empty_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("deep", [False, True])
def test_one_broken_page_of_history_is_found(store: Store, *, deep: bool) -> None:
    for number in range(200):
        finish_with(store, given_lease(store), result=f'"{number:0>400}"')
    url = store.url
    path = Path(url.removeprefix("sqlite:///"))
    store.close()
    good = looked(url, deep=deep)
    page = break_page_of_history(path)
    bad = looked(url, deep=deep)

    assert good is not None
    assert integrity(good).status == "ok"
    assert bad is not None
    assert integrity(bad).status == "problem"
    assert f"page {page}" in integrity(bad).found


@contextmanager
def amcheck(url: str) -> Iterator[None]:
    try:
        run_sql(url, "create extension amcheck")
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("this PostgreSQL has no amcheck")
    yield


@pytest.mark.postgres
def test_postgresql_is_looked_into_when_somebody_wants_it_and_amcheck_is_there(
    postgres_store: Store,
) -> None:
    finish_with(postgres_store, given_lease(postgres_store))
    without = examine_integrity(postgres_store, deep=True)  # type: ignore[arg-type]
    with amcheck(postgres_store.url):
        quick = examine_integrity(postgres_store, deep=False)  # type: ignore[arg-type]
        deep = examine_integrity(postgres_store, deep=True)  # type: ignore[arg-type]

    assert quick is None
    assert without is not None
    assert (integrity(without).status, "create extension" in without.hint) == ("warning", True)
    assert deep is not None
    assert integrity(deep).status == "ok"
    assert int(deep.looked_at.split()[0]) > 20


def test_an_unfinished_check_is_not_called_good() -> None:
    cut = integrity(Integrity("rota.db (quick_check)", is_whole=False))
    many = integrity(Integrity("rota.db", problems=tuple("abcde")))

    assert (cut.status, cut.advice) == ("warning", "check with more time: --deep")
    assert many.found == "a; b; c; and 2 more"
