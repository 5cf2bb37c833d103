"""Sessions end by time, by idleness, by hand and with their token; tickets are good once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from rota.engine.identity import sessions
from rota.engine.identity.sessions import (
    IDLE_MS,
    LIFE_MS,
    TOUCH_MS,
    close_session,
    credential_of_session,
    give_ticket,
    open_session,
    take_ticket,
    touch_session,
)
from rota.engine.identity.tokens import revoke
from rota.model.identity.credentials import Credential
from rota.store.base import Store
from tests.contract.builders import HOME, Clock
from tests.contract.identity.builders import given_token

ANN = Credential(id="x", who="ann", namespace=HOME, roles=("operator",), queues=("mail",))


def signed_in(store: Store, *, token_id: str | None = None) -> str:
    store.write(lambda tx: open_session(tx, "digest", ANN, token_id=token_id))
    return "digest"


def look(store: Store) -> tuple[Credential, bool] | None:
    return store.read(lambda tx: credential_of_session(tx, "digest"))


def test_a_session_allows_what_was_proved(store: Store, clock: Clock) -> None:
    _, token = given_token(store)
    signed_in(store, token_id=token.id)

    found = look(store)

    assert found is not None
    credential, is_due = found
    assert (credential.id, credential.who, credential.is_session) == (token.id, "ann", True)
    assert (credential.roles, credential.queues) == (("operator",), ("mail",))
    assert credential.expires_at == clock.ms + LIFE_MS
    assert not is_due


def test_an_idle_session_ends_and_a_used_one_goes_on(store: Store, clock: Clock) -> None:
    signed_in(store)
    clock.advance(TOUCH_MS + 1)
    found = look(store)
    assert found is not None
    assert found[1], "worth noting"
    store.write(lambda tx: touch_session(tx, "digest"))

    clock.advance(IDLE_MS - 1)
    assert look(store) is not None
    clock.advance(1)
    assert look(store) is None


def test_a_session_ends_however_busy_it_is(store: Store, clock: Clock) -> None:
    signed_in(store)
    for _ in range(LIFE_MS // (IDLE_MS // 2)):
        assert look(store) is not None
        clock.advance(IDLE_MS // 2)
        store.write(lambda tx: touch_session(tx, "digest"))

    assert look(store) is None


def test_a_session_ends_with_its_token(store: Store) -> None:
    _, token = given_token(store)
    signed_in(store, token_id=token.id)

    store.write(lambda tx: revoke(tx, token.id, namespace=HOME, who="ann"))

    assert look(store) is None


def test_signing_out_is_for_good(store: Store) -> None:
    signed_in(store)

    assert store.write(lambda tx: close_session(tx, "digest"))
    assert not store.write(lambda tx: close_session(tx, "digest"))
    assert look(store) is None


def test_a_ticket_admits_exactly_one_of_many(store: Store) -> None:
    _, token = given_token(store)
    store.write(lambda tx: give_ticket(tx, "t", purpose="login", token_id=token.id, ttl_ms=1_000))
    assert store.write(lambda tx: take_ticket(tx, "t", purpose="stream")) is None

    with ThreadPoolExecutor(8) as crowd:
        takes = [
            crowd.submit(store.write, lambda tx: take_ticket(tx, "t", purpose="login"))
            for _ in range(8)
        ]
        found = [take.result() for take in takes]

    (good,) = [each for each in found if each is not None]
    assert good.id == token.id


def test_an_old_ticket_and_one_of_a_revoked_token_are_worth_nothing(
    store: Store, clock: Clock
) -> None:
    _, token = given_token(store)

    def give(digest: str) -> None:
        store.write(
            lambda tx: give_ticket(
                tx, digest, purpose="login", token_id=token.id, ttl_ms=sessions.LINK_MS
            )
        )

    give("old")
    clock.advance(sessions.LINK_MS)
    assert store.write(lambda tx: take_ticket(tx, "old", purpose="login")) is None
    give("revoked")
    store.write(lambda tx: revoke(tx, token.id, namespace=HOME, who="ann"))
    assert store.write(lambda tx: take_ticket(tx, "revoked", purpose="login")) is None
