"""Tokens: found by their digest while they are good, and never shown again."""

from __future__ import annotations

import pytest

from rota.engine.acts import acts
from rota.engine.tokens import credential_of_token, find_token, has_tokens, revoke, tokens, touch
from rota.errors import UnknownNamespace, UnknownToken
from rota.ids import new_id
from rota.model.identity import Credential, TokenView
from rota.rules.secrets import digest_of
from rota.store.base import Store
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.identities import by, given_token


def credential_of(store: Store, secret: str) -> Credential | None:
    return store.read(lambda tx: credential_of_token(tx, digest_of(secret)))


def test_a_token_is_known_by_its_secret_with_what_it_allows(store: Store) -> None:
    secret, view = given_token(store, roles=("author", "exec"), queues=("mail",))

    found = credential_of(store, secret)

    assert found == Credential(
        id=view.id,
        who="token:ci",
        namespace=HOME,
        roles=("author", "exec"),
        queues=("mail",),
    )
    assert credential_of(store, secret[:-1]) is None


def test_the_store_keeps_nothing_that_could_be_used_as_the_token(
    store: Store, empty_url: str
) -> None:
    secret, view = given_token(store)

    (row,) = run_sql(empty_url, "select * from rota.token")

    assert secret not in map(str, row)
    assert not any(str(value) in secret for value in row if len(str(value)) > len(view.prefix))
    assert secret.startswith(view.prefix)


def test_a_token_ends_when_its_time_is_over(store: Store, clock: Clock) -> None:
    secret, view = given_token(store, ttl_ms=1_000)
    assert view.expires_at == clock.ms + 1_000

    clock.advance(999)
    assert credential_of(store, secret) is not None
    clock.advance(1)

    assert credential_of(store, secret) is None
    assert store.read(lambda tx: tokens(tx, namespace=HOME)) == []
    assert [each.id for each in store.read(lambda tx: tokens(tx, namespace=HOME, past=True))] == [
        view.id
    ]


def test_a_revoked_token_is_refused_and_says_by_whom(store: Store, clock: Clock) -> None:
    secret, view = given_token(store)

    gone = store.write(lambda tx: revoke(tx, view.id, namespace=HOME, by=by("bob")))
    again = store.write(lambda tx: revoke(tx, view.id, namespace=HOME, by=by("eve")))

    assert credential_of(store, secret) is None
    assert (gone.revoked_at, gone.revoked_by) == (clock.ms, "bob")
    assert again == gone
    told = store.read(lambda tx: acts(tx, namespace=HOME))
    assert [(act.verb, act.who) for act in told] == [
        ("revoke token", "bob"),
        ("create token", "ann@desk"),
    ]


def test_a_token_of_another_namespace_looks_like_none(store: Store) -> None:
    _, view = given_token(store)

    for work in (
        lambda tx: find_token(tx, view.id, namespace="b"),
        lambda tx: revoke(tx, view.id, namespace="b", by=by()),
        lambda tx: find_token(tx, new_id(), namespace=HOME),
        lambda tx: find_token(tx, "../x", namespace=HOME),
    ):
        with pytest.raises(UnknownToken):
            store.write(work)

    assert find_in(store, view.id).revoked_at is None


def find_in(store: Store, token_id: str) -> TokenView:
    return store.read(lambda tx: find_token(tx, token_id, namespace=HOME))


def test_no_token_is_issued_for_a_namespace_that_nobody_made(store: Store) -> None:
    with pytest.raises(UnknownNamespace, match="rota namespaces create nowhere"):
        given_token(store, namespace="nowhere")

    assert not store.read(has_tokens)


def test_the_last_use_only_moves_forward(store: Store) -> None:
    _, first = given_token(store)
    _, other = given_token(store)
    store.write(lambda tx: touch(tx, [first.id], used_at=500))
    store.write(lambda tx: touch(tx, [first.id], used_at=400))

    views = {each.id: each.used_at for each in store.read(lambda tx: tokens(tx, namespace=HOME))}

    assert views == {first.id: 500, other.id: None}
    assert store.read(has_tokens)


def test_pages_of_tokens_follow_each_other(store: Store) -> None:
    ids = [given_token(store)[1].id for _ in range(3)]

    page = store.read(lambda tx: tokens(tx, namespace=HOME, limit=2))
    rest = store.read(lambda tx: tokens(tx, namespace=HOME, limit=2, before=page[-1].id))

    assert [each.id for each in (*page, *rest)] == ids[::-1]
