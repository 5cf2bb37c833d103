"""A SQLite file is the user's as well: Rota's names begin with rota_, and no other is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from rota.engine.logs import search
from rota.errors import SchemaMismatch
from rota.model.states import State
from rota.store.migrate import migrations
from rota.store.open import open_store, pending
from rota.store.sqlite import dialect as sqlite_dialect
from rota.store.sqlite.legacy_names import DIGESTS, objects_of
from rota.store.statements import load
from tests.contract.builders import (
    HOME,
    Clock,
    claim_one,
    finish_with,
    given_run,
    given_worker,
    look,
)

OLD_SCHEMA = Path(__file__).with_name("sqlite_0_1_0.sql").read_text()
QUEUED, ENDED = "01890a5d-ac96-7000-8000-00000000000a", "01890a5d-ac96-7000-8000-00000000000b"
OLD_ROWS = f"""
insert into job_version (namespace, name, version, digest, spec, created_at)
values ('default', 'noop', 1, 'd', '{{"name":"noop"}}', 1);
insert into job (namespace, name, version) values ('default', 'noop', 1);
insert into run (id, namespace, job, version, queue, priority, state, rank, args, at_most_once,
    created_at, due_at, ready_at)
values ('{QUEUED}', 'default', 'noop', 1, 'default', 0, 'queued', 1, '{{}}', 0, 1, 1, 1);
insert into run_history (id, namespace, job, version, queue, priority, state, args,
    at_most_once, created_at, due_at, ready_at, attempt, failures, crashes, fence, finished_at)
values ('{ENDED}', 'default', 'noop', 1, 'default', 0, 'success', '{{}}',
    0, 1, 1, 1, 1, 0, 0, 1, 2);
insert into log_chunk (id, run_id, namespace, job, attempt, fence, seq, first_at, marks, body)
values (1, '{ENDED}', 'default', 'noop', 1, 1, 0, 1, '[1,0,1,0]', 'a rare word');
insert into log_words (rowid, body) values (1, 'a rare word');
"""
MINE = """
create table job (id integer primary key, title text);
insert into job values (1, 'mine');
create table migration (number int, name text, digest text);
insert into migration values (1, 'mine', 'too');
create table effect (colour text);
create table run (id text, namespace text, state text);
create index run_ready on run (id);
create view worker as select title from job;
"""


@contextmanager
def opened(path: Path) -> Iterator[apsw.Connection]:
    with closing(apsw.Connection(str(path))) as connection:
        yield connection


def names(path: Path) -> set[str]:
    with opened(path) as connection:
        rows = connection.execute("select name from sqlite_schema").fetchall()
    return {str(row[0]) for row in rows}


def ask(path: Path, text: str) -> list[tuple[object, ...]]:
    with opened(path) as connection:
        return connection.execute(text).fetchall()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "rota.db"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


@pytest.fixture
def old(path: Path) -> Path:
    """A file as 0.1.0 leaves it, with a table of the user's in it."""
    with opened(path) as connection:
        connection.execute(OLD_SCHEMA + OLD_ROWS + "create table price (cents int);")
    return path


def test_all_that_rota_makes_has_its_prefix(path: Path, url: str) -> None:
    open_store(url).close()

    strange = {name for name in names(path) if not name.startswith(("rota_", "sqlite_"))}

    assert strange == set()


def test_tables_of_the_user_are_neither_read_nor_changed(path: Path, url: str) -> None:
    with opened(path) as connection:
        connection.execute(MINE)

    with closing(open_store(url, clock=Clock())) as store:
        run_id = given_run(store)
        finish_with(store, claim_one(store, given_worker(store)))

        assert look(store, run_id).state is State.SUCCESS
    assert ask(path, "select * from job") == [(1, "mine")]
    assert ask(path, "select * from migration") == [(1, "mine", "too")]
    assert ask(path, "select count(*) from run") == [(0,)]


def test_no_statement_names_a_table_without_the_prefix(path: Path, url: str) -> None:
    open_store(url).close()
    tables = ask(path, "select name from sqlite_schema where type = 'table' and name like 'rota%'")
    plain = {str(row[0]).removeprefix("rota_") for row in tables}
    touched: dict[str, set[str]] = {}

    with opened(path) as connection:
        for name in sorted(plain):
            connection.execute(f'create table "{name}" as select * from rota_{name}')
        for name, statement in load(sqlite_dialect.OWN).items():
            touched[name] = _tables_of(connection, statement.text) & plain

    assert {name: found for name, found in touched.items() if found} == {}


def _tables_of(connection: apsw.Connection, text: str) -> set[str]:
    found: set[str] = set()

    def note(_action: int, one: str | None, *_others: str | None) -> int:
        found.add(one or "")
        return int(apsw.SQLITE_OK)

    connection.authorizer = note
    for part in text.split(";"):
        params = dict.fromkeys(re.findall(r":([a-z_]+)", part))
        connection.execute(f"explain {part}", params, can_cache=False)
    connection.authorizer = None
    return found


def test_a_file_of_the_first_version_goes_on_under_the_new_names(old: Path, url: str) -> None:
    with closing(open_store(url, clock=Clock())) as store:
        finish_with(store, claim_one(store, given_worker(store)))

        assert (look(store, QUEUED).state, look(store, ENDED).state) == ("success", "success")
        found = store.read(lambda tx: search(tx, "rare", namespace=HOME))
        assert [line.text for line in found] == ["a rare word"]
    made = objects_of(step.text for step in migrations(sqlite_dialect.DIALECT))
    assert set(made) <= names(old)
    strange = {name for name in names(old) if not name.startswith(("rota_", "sqlite_"))}
    assert strange == {"price", "migration"}


def test_what_is_renamed_is_what_a_new_file_has(old: Path, url: str, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    open_store(url).close()
    open_store(f"sqlite:///{fresh}").close()

    shape = (
        'select m.name, c.name, c.type, c."notnull", c.dflt_value, c.pk from sqlite_schema as m'
        " join pragma_table_info(m.name) as c where m.name like 'rota%' order by m.name, c.cid"
    )
    indexes = "select name, tbl_name from sqlite_schema where name like '%rota%' order by name"
    figures = "select tbl, idx, stat from sqlite_stat1 order by tbl, idx"
    noted = "select * from rota_migration order by number"
    for text in (shape, indexes, figures, noted):
        assert ask(old, text) == ask(fresh, text)


def test_the_first_version_refuses_a_file_that_was_renamed(old: Path, url: str) -> None:
    open_store(url).close()

    # It asks for the table `migration`, and refuses numbers that it does not know.
    assert ask(old, "select number from migration") == [(40,)]
    assert max(DIGESTS) < 40
    with closing(open_store(url)) as store:  # we are not misled by it
        assert pending(store) == []


def test_a_look_at_a_file_of_the_first_version_says_what_it_lacks(old: Path, url: str) -> None:
    before = names(old)

    with pytest.raises(SchemaMismatch, match=r"lacks .*0040_names.*run `rota db migrate` first"):
        open_store(url, upgrade=False)

    assert names(old) == before


def test_a_name_that_a_migration_gave_up_is_the_users(old: Path, url: str) -> None:
    with opened(old) as connection:
        connection.execute("create table log_chunk_next (mine text)")

    open_store(url).close()

    assert "log_chunk_next" in names(old)


def test_only_what_the_applied_migrations_made_is_renamed(old: Path, url: str) -> None:
    with opened(old) as connection:  # as a build before the sheaves left it
        connection.execute(
            "drop index log_chunk_sheaf; alter table log_chunk drop column last_id;"
            "alter table log_chunk drop column parts; delete from migration where number = 35;"
            "create table log_chunk_sheaf (mine text)"
        )

    open_store(url).close()

    assert {"log_chunk_sheaf", "rota_log_chunk_sheaf"} <= names(old)


def test_a_rename_that_fails_leaves_the_file_as_it_was(old: Path, url: str) -> None:
    with opened(old) as connection:
        connection.execute("create view broken as select * from nowhere")
    before = names(old)

    with pytest.raises(SchemaMismatch, match=r"table \w+ cannot be renamed .*error in view broken"):
        open_store(url)

    assert names(old) == before


@pytest.mark.parametrize("mine", ["rota_job", "rota_migration", "ROTA_RUN", "rota_log_words_data"])
@pytest.mark.parametrize("kind", ["fresh", "old"])
def test_a_table_of_the_user_in_the_way_is_named(
    path: Path, url: str, mine: str, kind: str
) -> None:
    with opened(path) as connection:
        connection.execute(OLD_SCHEMA if kind == "old" else "")
        connection.execute(f"create table {mine} (id int)")
    before = names(path)

    with pytest.raises(SchemaMismatch, match=rf"has a table {mine} that Rota did not make.*rename"):
        open_store(url)

    assert names(path) == before


def test_a_table_named_migration_with_other_rows_is_no_file_of_ours(path: Path, url: str) -> None:
    with opened(path) as connection:
        connection.execute(MINE)
        connection.execute("create index mine on run (state)")

    open_store(url).close()

    assert {"job", "run", "effect", "migration", "run_ready", "mine"} <= names(path)
    assert "rota_job" in names(path)


def test_a_file_whose_notes_were_changed_is_refused(old: Path, url: str) -> None:
    with opened(old) as connection:
        connection.execute("update migration set digest = 'other' where number = 3")

    with pytest.raises(SchemaMismatch, match="migration 3 in the database differs"):
        open_store(url)

    assert "rota_run" not in names(old)


def test_no_old_key_of_a_remote_worker_stays_good(old: Path, url: str) -> None:
    with opened(old) as connection:
        connection.execute(
            "insert into worker (id, namespace, name, host, pid, queues, slots, version,"
            " started_at, seen_at, lease_until, attempt_key)"
            " values ('a', 'default', 'w', 'h', 1, '[]', 1, '1', 1, 1, 1, 'aa'),"
            " ('b', 'default', 'w', 'h', 1, '[]', 1, '1', 1, 1, 1, null)"
        )

    open_store(url).close()

    assert ask(old, "select id, attempt_key from rota_worker") == [("b", None)]
