"""Alerts on security: strong tokens, guesses at credentials, and a chain that does not hold."""

from __future__ import annotations

import pytest

from rota.engine.alerts import security
from rota.engine.alerts.outbox import raise_alert
from rota.engine.identity.audit_chain import seal
from rota.rules.alerts.plan import SETTLED_MS
from rota.store.base import Store
from tests.contract.alerts.builders import given_rule, open_incidents, titles, watch
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.identity.builders import given_token
from tests.contract.identity.test_audit import meddle


def given_chain(store: Store, entries: int = 3) -> None:
    """Sealed entries of the audit: a token each, which nobody is told of."""
    for _ in range(entries):
        given_token(store)
    store.write(seal)


@pytest.mark.parametrize("role", ["admin", "exec"])
def test_a_strong_token_is_told_once_and_is_never_over(
    store: Store, clock: Clock, role: str
) -> None:
    given_rule(store, on=("security.token",))
    _, view = given_token(store, roles=("operator", role))

    assert [watch(store), watch(store)] == [1, 0]
    assert titles(store) == [f"A token was made that has the role {role}"]
    assert [each["subject"] for each in open_incidents(store)] == [f"token {view.id}"]
    clock.advance(SETTLED_MS)
    assert watch(store) == 0
    assert open_incidents(store) == []


def test_a_token_for_plain_work_is_not_told(store: Store) -> None:
    given_rule(store, on=("security.token",))
    given_token(store, roles=("operator", "author"))

    assert watch(store) == 0


def test_an_address_that_guesses_is_told(store: Store) -> None:
    given_rule(store, on=("security.sign_in",))
    for address in ("203.0.113.1", "203.0.113.1", "203.0.113.2"):
        facts = {"address": address}
        at = (7, address)
        store.write(
            lambda tx, facts=facts, at=at: raise_alert(  # type: ignore[misc]
                tx, "security.sign_in", facts, namespace=HOME, change=at
            )
        )

    assert watch(store) == 2
    assert sorted(titles(store)) == [
        "203.0.113.1 sent too many bad credentials",
        "203.0.113.2 sent too many bad credentials",
    ]


def test_a_chain_that_holds_is_not_told(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "WALKED", 2)
    given_rule(store, on=("security.audit",))
    given_chain(store, 5)

    assert [watch(store) for _ in range(5)] == [0] * 5
    given_chain(store, 2)
    assert [watch(store) for _ in range(5)] == [0] * 5


def test_an_entry_that_was_changed_is_found_wherever_it_is(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(security, "WALKED", 2)
    given_rule(store, on=("security.audit",))
    given_chain(store, 5)
    meddle(store.url, "update rota.act set who = 'nobody' where seq = 4")

    assert sum(watch(store) for _ in range(3)) == 1

    assert titles(store)[0].startswith("The audit was changed: act 4")
    assert [watch(store) for _ in range(3)] == [0] * 3
    assert len(open_incidents(store)) == 1, "it stays so"


def test_a_chain_that_lost_its_end_is_found(store: Store) -> None:
    given_rule(store, on=("security.audit",))
    given_chain(store, 5)
    meddle(store.url, "delete from rota.act where seq > 3")

    assert watch(store) == 1
    assert titles(store) == ["The audit was changed: act 4 is missing, and all after it"]


def test_a_chain_that_was_cut_with_its_head_is_found_by_who_saw_it(store: Store) -> None:
    given_rule(store, on=("security.audit",))
    given_chain(store, 5)
    assert watch(store) == 0
    hashes = run_sql(store.url, "select hash from rota.act where seq = 3")
    meddle(store.url, "delete from rota.act where seq > 3")
    run_sql(store.url, f"update rota.chain set seq = 3, hash = '{hashes[0][0]}'")

    assert watch(store) == 1
    assert titles(store) == ["The audit was changed: act 4 is missing, and all after it"]
