"""Statements that a handler may make inside our transaction."""

from __future__ import annotations

import pytest

from rota.errors import NotAllowed
from rota.store.foreign.allowed_statements import check_statement


@pytest.mark.parametrize(
    "text",
    [
        "commit",
        "  COMMIT WORK",
        "/* please */ rollback",
        "-- now\nend;",
        "set local statement_timeout = 0",
        "SET\tsession_replication_role = replica",
        "savepoint a",
        "release a",
        "begin",
        "start transaction",
        "prepare transaction 'x'",
        "pragma synchronous = off",
        "attach 'x' as y",
        "reset all",
        "discard all",
        "vacuum",
    ],
)
def test_a_statement_that_would_end_or_bend_the_transaction_is_refused(text: str) -> None:
    with pytest.raises(NotAllowed, match="is not allowed here"):
        check_statement(text)


@pytest.mark.parametrize(
    "text", ["select 1; commit", "select ';' ; rollback", "select 1;;select 2"]
)
def test_a_second_statement_is_refused(text: str) -> None:
    with pytest.raises(NotAllowed, match="one statement at a time"):
        check_statement(text)


@pytest.mark.parametrize(
    "text",
    [
        "select 1;",
        "update t set note = 'commit; rollback'",
        "insert into t values ($$a; b$$)",
        "insert into t values ($tag$a; commit$tag$)",
        'select "a;b" from t -- ; commit',
        "with x as (select 1) select * from x",
        "settings_of()",
        "select /* ; */ 1",
    ],
)
def test_a_plain_statement_passes_unchanged(text: str) -> None:
    assert check_statement(text) == text
