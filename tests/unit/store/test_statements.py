"""Statements: tokens become SQL, both dialects know the same names, and few texts differ."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import apsw
import psycopg
import pytest

from rota.model.states import TRANSITIONS
from rota.store import statements
from rota.store.migrate import migrations, printable
from rota.store.open import open_store
from rota.store.postgres import dialect as postgres_dialect
from rota.store.row_shapes import SHAPES
from rota.store.sqlite import dialect as sqlite_dialect
from rota.store.statements import Dialect, expand, load

DIALECTS = [sqlite_dialect.DIALECT, postgres_dialect.DIALECT]
MAX_REPLACED = 10
POSTGRES_ONLY = {
    "drop_login", "gone_sessions", "has_amcheck", "list_indexes", "list_logins", "lock_holders",
    "login_facts", "login_roles", "long_statements", "migrate_lock", "news", "own_session",
    "policy_tables", "role_facts", "room_facts", "room_role", "snapshot", "timeline",
    "try_rotate_lock", "wake", "whoami",
}  # fmt: skip

both = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: str(dialect.name))


def names_in(files: Iterable[Path]) -> list[str]:
    texts = (path.read_text() for path in files)
    return [name for text in texts for name in re.findall(r"^-- name: (\w+)$", text, re.MULTILINE)]


def shared_files() -> list[Path]:
    """Those of all rooms, without the folders of one dialect or one kind of connection."""
    folder = statements._FOLDER
    rooms = [path for path in folder.glob("*/*.sql") if path.parent.name not in statements._APART]
    return [*folder.glob("*.sql"), *rooms]


def test_few_statements_have_a_second_text() -> None:
    shared = set(names_in(shared_files()))
    own = {each.name: (statements._FOLDER / each.name).glob("*.sql") for each in DIALECTS}
    replaced = {name: shared.intersection(names_in(files)) for name, files in own.items()}

    assert len(shared) > 400

    assert sum(map(len, replaced.values())) <= MAX_REPLACED, replaced


def test_each_dialect_fills_the_same_gaps_and_not_many() -> None:
    assert sqlite_dialect.DIALECT.sql.keys() == postgres_dialect.DIALECT.sql.keys()
    assert sqlite_dialect.DIALECT.types.keys() == postgres_dialect.DIALECT.types.keys()
    assert len(sqlite_dialect.DIALECT.sql) <= MAX_REPLACED


def test_both_dialects_know_the_same_statements_but_for_partitions() -> None:
    known = [set(load(dialect)) for dialect in DIALECTS]

    assert known[1] - known[0] == POSTGRES_ONLY
    assert known[0] <= known[1]


def test_no_statement_is_named_twice_in_the_shared_texts() -> None:
    names = names_in(shared_files())

    assert sorted(names) == sorted(set(names))


@both
def test_no_token_and_no_comment_survives(dialect: Dialect) -> None:
    for name, statement in load(dialect).items():
        bare = statement.text.replace("'{}'", "")
        assert not re.search(r"\{\w+[:}]", bare), name
        assert "--" not in statement.text, name


@both
def test_the_guard_of_each_verb_is_that_of_the_table(dialect: Dialect) -> None:
    for verb, change in TRANSITIONS.items():
        guard = expand(f"{{from:{verb}}}", dialect)
        assert set(re.findall(r"'(\w+)'", guard)) == set(change.allowed)
        assert expand(f"{{to:{verb}}}", dialect) == f"'{change.to}'"


@both
def test_the_guards_of_a_group_of_verbs_are_those_of_the_table(dialect: Dialect) -> None:
    text = expand("{allowed:final}", dialect)

    told = dict(re.findall(r"v\.verb = '(\w+)' and run\.(state[^)]*\)?)", text))
    assert set(told) == {
        *(
            "succeed",
            "fail",
            "abort",
            "cancel",
            "expire",
            "skip",
            "complete",
            "fail_graph",
            "refuse",
        )
    }
    for verb, guard in told.items():
        assert set(re.findall(r"'(\w+)'", guard)) == set(TRANSITIONS[verb].allowed)


def test_an_unknown_token_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown token 'nonsense'"):
        expand("select {nonsense:x}", sqlite_dialect.DIALECT)


def test_parameters_are_found_and_casts_and_times_are_not() -> None:
    found = statements._statement("select :one, a::text, '12:30', :two_b", postgres_dialect.DIALECT)

    assert found.params == {"one", "two_b"}
    assert found.text == "select %(one)s, a::text, '12:30', %(two_b)s"


@both
def test_tables_are_named_as_the_dialect_wants(dialect: Dialect) -> None:
    wanted = {"sqlite": "select 1 from rota_run", "postgres": "select 1 from rota.run"}

    assert expand("select 1 from rota.run", dialect) == wanted[dialect.name]


@both
def test_the_digest_of_a_migration_changes_with_its_text(dialect: Dialect) -> None:
    (first, *_) = migrations(dialect)

    assert first._replace(text=first.text + " ").digest != first.digest
    assert first.digest in printable(dialect)


def test_every_statement_is_accepted_by_sqlite(tmp_path: Path) -> None:
    open_store(f"sqlite:///{tmp_path}/rota.db").close()
    connection = apsw.Connection(str(tmp_path / "rota.db"))

    for statement in load(sqlite_dialect.DIALECT).values():
        for part in statement.text.split(";"):
            named_in = frozenset(re.findall(r":([a-z_]+)", part))
            connection.execute(f"explain {part}", dict.fromkeys(named_in))

    connection.close()


@pytest.fixture
def session(postgres_url: str) -> Iterator[psycopg.Connection]:
    open_store(postgres_url).close()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        yield connection


@pytest.mark.postgres
def test_every_statement_is_accepted_by_postgres(session: psycopg.Connection) -> None:
    for name, statement in load(postgres_dialect.DIALECT).items():
        numbers = {param: n for n, param in enumerate(sorted(statement.params), start=1)}
        text = re.sub(r"%\((\w+)\)s", lambda match: f"${numbers[match[1]]}", statement.text)  # noqa: B023  # used at once
        session.execute(f"prepare p_{name} as {text}".encode(), prepare=False)


def test_shapes_use_only_types_that_both_dialects_have() -> None:
    kinds = {kind for shape in SHAPES.values() for kind in shape.values()}

    assert kinds <= sqlite_dialect.DIALECT.types.keys()
