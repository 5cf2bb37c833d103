"""Tokens: found by their digest while they are good, and never shown again."""

from __future__ import annotations

import pytest

from rota.clock import moment
from rota.engine.identity.audit_log import acts
from rota.engine.identity.tokens import (
    credential_of_token,
    find_token,
    has_tokens,
    revoke,
    rotate,
    tokens,
    touch,
)
from rota.errors import NotAllowed, UnknownNamespace, UnknownToken
from rota.ids import new_id
from rota.model.identity.credentials import Credential, TokenView
from rota.operations.identity.new_tokens import draw_next
from rota.operations.identity.tokens import revoke_token, rotate_token
from rota.rules.security.secrets import digest_of
from rota.store.base import Store
from tests.contract.backends import backend_of
from tests.contract.builders import HOME, Clock, run_sql
from tests.contract.identity.builders import given_token


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
    assert view.expires_at == moment(clock.ms + 1_000)

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

    gone = backend_of(store).acting_as("bob").call(revoke_token, view.id)
    again = backend_of(store).acting_as("eve").call(revoke_token, view.id)

    assert credential_of(store, secret) is None
    assert (gone.revoked_at, gone.revoked_by) == (moment(clock.ms), "bob")
    assert (again.revoked_at, again.revoked_by) == (gone.revoked_at, "bob")
    told = store.read(lambda tx: acts(tx, namespace=HOME))
    assert [(act.verb, act.who) for act in told] == [
        ("revoke token", "bob"),
        ("create token", "ann@desk"),
    ]


def test_a_new_secret_and_the_old_one_are_both_good_for_a_while(store: Store, clock: Clock) -> None:
    secret, view = given_token(store, roles=("author",), queues=("mail",), ttl_ms=90_000)
    clock.advance(50_000)

    made = backend_of(store).acting_as("bob").call(rotate_token, view.id, overlap="10s")
    fresh = str(made.token)

    assert (made.name, made.roles, made.queues) == (view.name, view.roles, view.queues)
    assert made.expires_at == moment(clock.ms + 90_000), "as long as the old one was given for"
    clock.advance(9_999)
    assert credential_of(store, secret)
    assert credential_of(store, fresh)
    clock.advance(1)
    assert credential_of(store, secret) is None
    assert credential_of(store, fresh)
    (act, _) = store.read(lambda tx: acts(tx, namespace=HOME))
    assert (act.verb, act.who, act.subject) == ("rotate token", "bob", view.id)
    assert act.detail == {"name": made.name, "new": made.id, "overlap_ms": 10_000}
    assert act.name == made.name


def test_a_rotation_makes_no_token_last_longer_and_revives_none(store: Store, clock: Clock) -> None:
    secret, view = given_token(store, ttl_ms=1_000)
    _, gone = given_token(store)
    store.write(lambda tx: revoke(tx, gone.id, namespace=HOME, who="ann"))

    def change(token_id: str, namespace: str = HOME) -> TokenView:
        fresh = draw_next().fresh
        at = {"overlap_ms": 60_000, "namespace": namespace}
        return store.write(lambda tx: rotate(tx, token_id, fresh, who="ann", **at))  # type: ignore[arg-type]

    change(view.id)
    clock.advance(1_000)

    assert credential_of(store, secret) is None
    for token_id in (gone.id, view.id):
        with pytest.raises(NotAllowed):
            change(token_id)
    with pytest.raises(UnknownToken):
        change(view.id, "elsewhere")


def test_a_token_of_another_namespace_looks_like_none(store: Store) -> None:
    _, view = given_token(store)

    for work in (
        lambda tx: find_token(tx, view.id, namespace="b"),
        lambda tx: revoke(tx, view.id, namespace="b", who="ann"),
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

    found = store.read(lambda tx: tokens(tx, namespace=HOME))
    views = {each.id: each.used_at and each.used_at.ms for each in found}

    assert views == {first.id: 500, other.id: None}
    assert store.read(has_tokens)


def test_pages_of_tokens_follow_each_other(store: Store) -> None:
    ids = [given_token(store)[1].id for _ in range(3)]

    page = store.read(lambda tx: tokens(tx, namespace=HOME, limit=2))
    rest = store.read(lambda tx: tokens(tx, namespace=HOME, limit=2, before=page[-1].id))

    assert [each.id for each in (*page, *rest)] == ids[::-1]
