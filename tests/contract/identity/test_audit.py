"""The audit: acts are chained in order, and any meddling with one of them is noticed."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import apsw
import psycopg
import pytest

from rota.engine.identity.audit_chain import holds, prune_acts, seal, verify
from rota.engine.identity.audit_log import Actor, acts, record
from rota.ids import new_id
from rota.model.identity.audit import ChainVerdict
from rota.store.base import Row, Store, Tx
from tests.contract.builders import HOME, Clock, run_sql

BROKEN = (apsw.ConstraintError, psycopg.errors.RaiseException)


def act(store: Store, verb: str = "pause", *, namespace: str = HOME) -> str:
    by = Actor(act_id=new_id(), who="ann", address="10.0.0.7", request_id="r-1")
    store.write(
        lambda tx: record(tx, by, namespace=namespace, verb=verb, subject="mail", detail={"n": 1})
    )
    return by.act_id


def given_chain(store: Store, count: int = 4) -> list[str]:
    ids = [act(store, f"verb {number}") for number in range(count)]
    store.write(seal)
    return ids


def check(store: Store, namespace: str = HOME) -> ChainVerdict:
    return store.read(lambda tx: verify(tx, namespace=namespace, limit=3))


def meddle(url: str, statement: str) -> None:
    """As somebody with all rights on the database would."""
    if url.startswith("sqlite"):
        for trigger in ("rota_act_stays", "rota_act_goes_by_retention"):
            run_sql(url, f"drop trigger {trigger}")
        run_sql(url, statement)
    else:
        with psycopg.connect(url) as connection:
            connection.execute("set session_replication_role = replica")
            connection.execute(statement.encode())


def test_acts_get_their_places_in_the_order_they_were_made(store: Store) -> None:
    ids = given_chain(store)
    act(store, namespace="other")
    late = act(store)
    assert not check(store, "other").acts
    store.write(seal)

    told = store.read(lambda tx: acts(tx, namespace=HOME))

    assert [each.id for each in reversed(told)] == [*ids, late]
    assert [each.seq for each in reversed(told)] == [1, 2, 3, 4, 5]
    assert told[0].address == "10.0.0.7"
    found = check(store)
    assert found == ChainVerdict(is_good=True, acts=5, seq=5, hash=told[0].hash or "")
    assert check(store, "other").acts == 1
    assert check(store, "nowhere") == ChainVerdict(is_good=True, acts=0, seq=0, hash="")


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("update rota.act set who = 'bob' where seq = 2", "act 2 (id"),
        ("update rota.act set detail = '{\"n\":2}' where seq = 3", "act 3 (id"),
        ("update rota.act set address = null where seq = 1", "act 1 (id"),
        ("delete from rota.act where seq = 1", "act 1 is missing"),
        ("delete from rota.act where seq = 3", "act 3 is missing"),
        ("delete from rota.act where seq >= 3", "act 3 is missing, and all after it"),
        ("update rota.act set seq = 5 - seq where seq in (2, 3)", ""),
        ("update rota.chain set hash = 'x'", "act 5 is missing, and all after it"),
    ],
)
def test_meddling_is_found_where_it_happened(
    store: Store, empty_url: str, statement: str, says: str
) -> None:
    given_chain(store)
    if "5 - seq" in statement:
        # Two acts change places; a unique index allows it in three steps only.
        meddle(empty_url, "update rota.act set seq = 99 where seq = 2")
        for step in ("set seq = 2 where seq = 3", "set seq = 3 where seq = 99"):
            run_sql_raw(empty_url, f"update rota.act {step}")
        says = "act 2 (id"
    else:
        meddle(empty_url, statement)

    found = check(store)

    assert not found.is_good
    assert found.says.startswith(says)


def run_sql_raw(url: str, statement: str) -> None:
    if url.startswith("sqlite"):
        run_sql(url, statement)
    else:
        meddle(url, statement)


def test_an_act_that_was_slipped_in_is_found(store: Store, empty_url: str) -> None:
    ids = given_chain(store)
    columns = "namespace, at, who, verb, subject, detail, seq, hash"
    meddle(
        empty_url,
        f"insert into rota.act (id, {columns}) select '{new_id()}', namespace, at, who, verb, "
        f"subject, detail, 5, hash from rota.act where id = '{ids[0]}'",
    )

    assert check(store).says.startswith("act 5 (id")


@pytest.mark.parametrize(
    "statement",
    [
        "update rota.act set who = 'bob'",
        "update rota.act set seq = 9, hash = 'x' where seq = 1",
        "delete from rota.act",
    ],
)
def test_the_database_itself_refuses_to_change_an_act(
    store: Store, empty_url: str, statement: str
) -> None:
    given_chain(store)

    with pytest.raises(BROKEN, match="an act on record"):
        run_sql(empty_url, statement)

    assert check(store).acts == 4


def test_many_who_seal_at_once_make_one_chain(store: Store) -> None:
    with ThreadPoolExecutor(8) as crowd:
        for _ in range(10):
            list(crowd.map(lambda _: act(store), range(8)))
            list(crowd.map(lambda _: store.write(lambda tx: seal(tx, limit=3)), range(4)))
    while store.write(seal):
        pass

    assert check(store).acts == 80
    assert check(store).is_good


def test_retention_cuts_the_chain_where_it_begins_and_the_rest_still_holds(
    store: Store, clock: Clock
) -> None:
    given_chain(store)
    clock.advance(1_000)
    young = given_chain(store, 2)

    gone = store.write(lambda tx: prune_acts(tx, keep_ms=500, limit=3))
    gone += store.write(lambda tx: prune_acts(tx, keep_ms=500, limit=3))
    gone += store.write(lambda tx: prune_acts(tx, keep_ms=500, limit=3))

    assert gone == 4
    assert [each.id for each in store.read(lambda tx: acts(tx, namespace=HOME))] == young[::-1]
    assert (check(store).is_good, check(store).acts, check(store).seq) == (True, 2, 6)


def test_a_hash_that_was_noted_is_found_again_or_missed(store: Store, clock: Clock) -> None:
    given_chain(store)
    noted = check(store).hash
    clock.advance(1_000)
    given_chain(store, 1)

    def has(head: str) -> bool:
        return store.read(lambda tx: holds(tx, head, namespace=HOME))

    assert has(noted)
    assert not has("0" * 64)
    store.write(lambda tx: prune_acts(tx, keep_ms=500, limit=10))
    assert has(noted), "the chain begins after it now"


class Meanwhile:
    """A transaction, after whose first look at the chain others do something."""

    def __init__(self, tx: Tx, act: Callable[[], object]) -> None:
        self._tx = tx
        self._acts = [act]

    def one(self, name: str, /, **params: Any) -> Row | None:
        row = self._tx.one(name, **params)
        while name == "find_chain" and self._acts:
            self._acts.pop()()
        return row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)


@pytest.mark.postgres
def test_acts_that_get_places_or_go_during_the_walk_are_no_meddling(
    postgres_store: Store, clock: Clock
) -> None:
    store = postgres_store
    given_chain(store)
    clock.advance(1_000)
    act(store)

    def check_while(others: Callable[[Tx], object]) -> ChainVerdict:
        def walk(tx: Tx) -> ChainVerdict:
            watched: Any = Meanwhile(tx, lambda: store.write(others))
            return verify(watched, namespace=HOME, limit=3)

        return store.read(walk)

    sealed = check_while(seal)
    pruned = check_while(lambda tx: prune_acts(tx, keep_ms=500, limit=100))

    assert (sealed.is_good, sealed.acts, sealed.seq) == (True, 5, 5)
    assert (pruned.is_good, pruned.acts, pruned.seq) == (True, 1, 5)
    assert pruned == check(store)
