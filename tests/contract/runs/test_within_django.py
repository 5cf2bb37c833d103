"""Submits inside a transaction of Django, which is configured for the store of each test.

Django is configured once in a process, so each test is a program of its own.
"""

from __future__ import annotations

import subprocess
import sys
from contextlib import closing
from pathlib import Path
from textwrap import dedent, indent

import pytest

from rota.store.open import open_store
from tests.support.connections import driver_at

PROGRAM = """
import os, sys
import django
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.db.transaction import TransactionManagementError
from rota import App, WrongConnection

settings.configure(DATABASES={databases!r}, USE_TZ=True)
django.setup()
app = App({url!r})

@app.job
def add(a: int, b: int = 1) -> int:
    return a + b

def own(number):
    with connection.cursor() as cursor:
        cursor.execute("insert into ordered values (%s)", [number])

{body}
connections.close_all()
"""


@pytest.fixture
def url(empty_url: str) -> str:
    open_store(empty_url).close()
    with closing(driver_at(empty_url)) as mine:
        mine.execute("drop table if exists ordered")
        mine.execute("create table ordered (number int)")
        mine.commit()
    return empty_url


def database_at(url: str) -> dict[str, object]:
    if url.startswith("sqlite"):
        return {"ENGINE": "django.db.backends.sqlite3", "NAME": url.removeprefix("sqlite:///")}
    from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415

    facts = {key.upper(): value for key, value in conninfo_to_dict(url).items()}
    facts["NAME"] = facts.pop("DBNAME")
    return {"ENGINE": "django.db.backends.postgresql", **facts}


def run_django(url: str, body: str, **more: dict[str, object]) -> None:
    databases = {"default": database_at(url), **more}
    program = PROGRAM.format(databases=databases, url=url, body=dedent(body))
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr + indent(program, "    ")


def rows(url: str, text: str) -> list[object]:
    text = text.replace("rota.", "rota_") if url.startswith("sqlite") else text
    with closing(driver_at(url)) as eye:
        return sorted(row[0] for row in eye.execute(text))


def test_a_run_exists_if_and_only_if_the_block_commits(url: str) -> None:
    run_django(
        url,
        """
        with transaction.atomic():
            own(1)
            add.within(connection).submit(1)
        try:
            with transaction.atomic():
                own(2)
                add.within(connection).submit(2)
                raise KeyError
        except KeyError:
            pass
        with transaction.atomic():
            add.within(connection).submit_many([3, (4, 4)])
            try:
                with transaction.atomic():
                    own(5)
                    add.within(connections["default"]).submit(5)
                    raise KeyError
            except KeyError:
                pass
        """,
    )

    assert rows(url, "select number from ordered") == [1]
    assert rows(url, "select args from rota.run") == ['{"a":1}', '{"a":3}', '{"a":4,"b":4}']


def test_outside_of_a_block_it_is_refused(url: str) -> None:
    run_django(
        url,
        """
        try:
            add.within(connection).submit(1)
        except WrongConnection as error:
            assert "autocommit" in str(error), error
        else:
            raise AssertionError("it was accepted")
        """,
    )

    assert rows(url, "select args from rota.run") == []


def test_a_block_that_will_roll_back_is_refused(url: str) -> None:
    run_django(
        url,
        """
        with transaction.atomic():
            transaction.set_rollback(True)
            try:
                add.within(connection).submit(1)
            except TransactionManagementError:
                pass
            else:
                raise AssertionError("it was accepted")
        """,
    )

    assert rows(url, "select args from rota.run") == []


def test_another_database_of_the_site_is_named_by_its_connection(url: str, tmp_path: Path) -> None:
    other: dict[str, object] = {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": f"{tmp_path}/other.db",
    }
    run_django(
        url,
        """
        with transaction.atomic(using="other"):
            try:
                add.within(connections["other"]).submit(1)
            except WrongConnection as error:
                assert "database" in str(error) or "to sqlite" in str(error), error
            else:
                raise AssertionError("it was accepted")
        """,
        other=other,
    )
