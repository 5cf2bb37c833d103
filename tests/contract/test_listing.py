"""Runs by a text that people type, and by the error that ended them."""

from __future__ import annotations

from typing import Any

import pytest

from rota.engine.inspect import now_ms
from rota.engine.listing import FEW_JOBS, Wanted, listed
from rota.errors import BadInput
from rota.model.states import State
from rota.store.base import Store
from tests.contract.builders import HOME, finish_with, given_lease, given_run, run_sql
from tests.contract.letters import error_text, letter_of


def find(store: Store, *, namespace: str = HOME, **asked: Any) -> list[str]:
    names = set(Wanted.__struct_fields__)
    wanted = Wanted(namespace=namespace, **{k: v for k, v in asked.items() if k in names})
    rest = {k: v for k, v in asked.items() if k not in names}
    return [run.id for run in store.read(lambda tx: listed(tx, wanted, **rest))]


def given_jobs(store: Store, *names: str) -> None:
    for name in names:
        run_sql(
            store.url,
            f"insert into rota.job (namespace, name, version) values ('{HOME}', '{name}', 1)",
        )


def given_failure(store: Store, kind: str) -> str:
    lease = given_lease(store)
    finish_with(store, lease, "fail", kind="error", error=error_text(kind=kind))
    return lease.run_id


def test_a_run_is_found_by_its_id_or_the_beginning_or_the_end_of_it(store: Store) -> None:
    lease = given_lease(store)
    finish_with(store, lease)
    waits = given_run(store)

    for run_id in (waits, lease.run_id):
        assert find(store, text=run_id) == [run_id]
        assert find(store, text=run_id[-12:]) == [run_id]
        assert run_id in find(store, text=run_id[:8])
        assert find(store, text=run_id[:-1]) == [run_id]
        assert find(store, text=run_id, namespace="other") == []
    for digits in (1, 2, 8):  # whatever the last ones are, also all f
        assert find(store, text=waits[:-digits]) == [waits]
    assert find(store, text=waits, state=State.SUCCESS) == []
    assert find(store, text=waits[:5]) == [], "so few characters are a part of a name"


def test_a_run_is_found_by_its_key_and_only_by_all_of_it(store: Store) -> None:
    given_jobs(store, "noop")
    run_id = given_run(store, key="order-17")
    given_run(store, key="order-170")

    assert find(store, text="order-17") == [run_id]
    assert find(store, text="order-17", queue="mail") == []
    assert find(store, text="order") == []


@pytest.mark.parametrize("count", [2, FEW_JOBS + 2])
def test_runs_are_found_by_a_part_of_the_name_of_their_job(store: Store, count: int) -> None:
    names = [f"Report-{number}" for number in range(count)]
    given_jobs(store, *names, "mail")
    mine = [given_run(store, job=name) for name in names for _ in range(2)]
    given_run(store, job="mail")

    newest = sorted(mine, reverse=True)
    assert find(store, text="report-") == newest
    assert find(store, text="port-", limit=3) == newest[:3]
    assert find(store, text="port-", limit=3, before=newest[2]) == newest[3:6]
    assert find(store, text="port", job="Report-1") == [
        each for each in newest if each in mine[2:4]
    ]
    assert find(store, text="report-", job="mail") == []


def test_pages_of_a_beginning_have_each_run_once(store: Store) -> None:
    mine = sorted((given_run(store, queue=("a", "b")[n % 2]) for n in range(30)), reverse=True)
    text = mine[0][:6]
    seen: list[str] = []
    while page := find(store, text=text, queue="a", limit=4, before=seen[-1] if seen else None):
        seen += page

    assert len(seen) == len(set(seen)) == 15
    assert seen == sorted(seen, reverse=True)


def test_runs_are_found_by_the_type_or_the_fingerprint_of_their_error(store: Store) -> None:
    given_jobs(store, "noop")
    broken = [given_failure(store, "ValueError") for _ in range(3)]
    other = letter_of(store, given_failure(store, "KeyError"))
    given_run(store)

    newest = sorted(broken, reverse=True)
    assert find(store, error="ValueError") == newest
    assert find(store, error="ValueError", limit=2) == newest[:2]
    assert find(store, error="ValueError", limit=2, before=newest[1]) == newest[2:]
    assert find(store, error=other.fingerprint) == [other.run_id]
    assert find(store, error="ValueError", text=newest[1]) == [newest[1]]
    assert find(store, error="ValueError", text="noop") == newest
    assert find(store, error="ValueError", text="mail") == []
    assert find(store, error="ValueError", state=State.SUCCESS) == []
    assert find(store, error="ValueError", since=store.read(now_ms) + 1) == []
    assert find(store, error="ValueError", namespace="other") == []


@pytest.mark.parametrize("text", ["", "x" * 201])
def test_a_text_of_no_use_is_refused(store: Store, text: str) -> None:
    with pytest.raises(BadInput, match="1 to 200"):
        find(store, text=text)
    with pytest.raises(BadInput, match="1 to 200"):
        find(store, error=text)


def test_signs_are_only_signs(store: Store) -> None:
    given_run(store)
    for text in ("%", "_", "'", "\\", "noop; drop", "é", "0" * 36, "ffffffff-ffff"):
        assert find(store, text=text) == find(store, error=text) == []
