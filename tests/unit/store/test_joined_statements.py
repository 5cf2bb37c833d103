"""Statements that go to PostgreSQL in one trip."""

from __future__ import annotations

from rota.store.postgres.joined_statements import joined, numbered


def test_parameters_of_joined_statements_do_not_meet() -> None:
    text = joined([b"insert into a values (%(batch)s, %(now)s)", b"delete from b where %(batch)s"])
    assert b"(%(batch_0)s, %(now)s) returning 1" in text
    assert b"where %(batch_1)s returning 1" in text
    asks = [("first", {"batch": 1}), ("second", {"batch": 2, "limit": 3})]
    assert numbered(asks) == {"batch_0": 1, "batch_1": 2, "limit_1": 3}
