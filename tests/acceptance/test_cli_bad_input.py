"""Bad input: a clear line on stderr, the right exit code, no traceback, nothing changed."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import psycopg
import pytest

from tests.support.cli import Rota, Said


def refused(said: Said, code: int, *words: str) -> None:
    assert said.code == code, said
    assert "Traceback" not in said.err
    assert said.out == ""
    for word in words:
        assert word in said.err


@pytest.mark.parametrize(
    ("words", "hints"),
    [
        (["fly"], ["No such command 'fly'"]),
        (["runs", "--stat", "failed"], ["--stat", "--state"]),
        (["runs", "--state", "broken"], ["'broken'", "failed"]),
        (["up"], ["which app?", "rota up shop.py"]),
        (["up", "shop.py", "--slots", "many"], ["--slots", "'many'", "1 to 1,000"]),
        (["up", "shop.py", "--drain", "soon"], ["--drain", "'soon'", "90s"]),
        (["up", "shop.py", "--log-format", "xml"], ["--log-format", "text, json"]),
        (["runs", "--url", "mysql://db"], ["mysql://db", "postgresql://"]),
        (["up", "shop.py", "--url", "sqlite://rota.db"], ["sqlite:///rota.db"]),
        (["submit", "add", "1", "--app", "shop.py", "--delay", "1x"], ["delay", "'1x'", "10m"]),
        (["submit", "add", "1", "--app", "shop.py", "--at", "2100-01-01T00:00"], ["zone"]),
        (["submit", "add", "1", "--app", "shop.py", "--at", "noon"], ["--at noon"]),
        (["submit", "add", "1", "--app", "shop.py", "--priority", "urgent"], ["urgent", "high"]),
        (["submit", "add", "one", "--app", "shop.py"], ["add(a: int, b: int = 1)", "`int`"]),
        (["submit", "add", "--app", "shop.py"], ["add(a: int, b: int = 1)", "'a'"]),
        (["submit", "ad", "--app", "shop.py"], ["no job named 'ad'", "Did you mean 'add'?"]),
        (["submit", "qqq", "--app", "shop.py"], ["no job named 'qqq'", "There are: add"]),
        (["submit", "add", "--app", "shop.py", "--json-args", "[1]"], ["--json-args"]),
        (["submit", "add", "1", "--app", "shop.py", "--timeout", "1s"], ["--job-timeout"]),
        (["submit", "add", "a=1", "a=2", "--app", "shop.py"], ["a is given twice"]),
        (["completion", "powershell"], ["'powershell'", "bash"]),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_bad_input_is_refused(local: Rota, words: list[str], hints: list[str]) -> None:
    refused(local(*words), 2, *hints)


@pytest.mark.parametrize("when", ["2100-01-01", "2100-01-01T08:30"])
def test_a_time_without_a_zone_is_refused_with_advice_that_works(local: Rota, when: str) -> None:
    words = ("submit", "add", "1", "--app", "shop.py", "--at")
    said = local(*words, when)
    advised = re.findall(r"(\S+T\S+(?:Z|\+\d\d:\d\d))", said.err)

    refused(said, 2, f"--at {when}", "add the zone")
    assert len(advised) == 2
    for each in advised:
        assert each.startswith(when)
        local.good(*words, each)


def test_arguments_beyond_the_limit_are_refused(local: Rota) -> None:
    big = f'{{"text": "{"x" * 2_000_000}"}}'

    said = local("submit", "label", "--app", "shop.py", "--json-args", "-", stdin=big)

    refused(said, 2, "the limit is", "pass a reference instead")


def test_a_job_that_the_store_does_not_know_is_refused_with_a_guess(rota: Rota) -> None:
    rota.good("db", "migrate")
    rota.good("submit", "add", "1", "--app", "shop.py")

    refused(rota("submit", "adds", "1"), 2, "no job named 'adds'", "Did you mean 'add'?")
    refused(rota("submit", "add", "c=1"), 2, "add(a: int", "'c'")
    refused(rota("jobs", "show", "adds"), 2, "Did you mean 'add'?")


def test_an_unknown_run_is_refused(rota: Rota) -> None:
    rota.good("db", "migrate")

    refused(rota("runs", "show", "0" * 12), 2, "no run has the id")
    refused(rota("runs", "show", "01a1e0fc-d1ea-7742-b1a8-1c1eebfaae1b"), 2, "no run has the id")
    refused(rota("runs", "cancel", "abc"), 2, "too short")


def test_looking_at_a_store_that_is_not_there_creates_none(local: Rota) -> None:
    refused(local("runs"), 4, "there is no store at", "rota up")

    assert not (local.folder / "rota.db").exists()


@pytest.mark.parametrize("words", [["runs"], ["up", "shop.py", "--no-wait"], ["db", "check"]])
def test_a_database_that_is_down_is_told_at_once(local: Rota, words: list[str]) -> None:
    said = local(*words, "--url", "postgresql://rota@127.0.0.1:1/rota")

    refused(said, 4, "cannot connect to PostgreSQL", "127.0.0.1")


def test_a_file_that_is_no_database_is_told(local: Rota) -> None:
    (local.folder / "rota.db").write_text("this is not a database, " * 100)

    refused(local("runs"), 4, "rota.db")


@pytest.mark.parametrize("words", [["runs"], ["worker", "shop.py"], ["db", "migrate"]])
def test_a_newer_schema_is_refused(rota: Rota, words: list[str]) -> None:
    rota.good("db", "migrate")
    pretend_newer(rota.env["ROTA_URL"])

    refused(rota(*words), 5, "schema 9999", "upgrade Rota")


def pretend_newer(url: str) -> None:
    row = "(number, name, digest) values (9999, 'future', 'x')"
    if url.startswith("sqlite"):
        with apsw.Connection(url.removeprefix("sqlite:///")) as connection:
            connection.execute(f"insert into rota_migration {row}")
    else:
        with psycopg.connect(url) as session:
            session.execute(f"insert into rota.migration {row}".encode())


def test_a_schema_that_was_not_made_yet_is_not_made_by_looking(
    bare_rota: Rota, tmp_path: Path
) -> None:
    if bare_rota.env["ROTA_URL"].startswith("sqlite"):
        (tmp_path / "rota.db").touch()

    refused(bare_rota("queues"), 5, "rota db migrate")


def test_the_traceback_is_there_for_those_who_ask(local: Rota) -> None:
    said = local("runs", ROTA_DEBUG="1")

    assert said.code == 4
    assert "Traceback" in said.err
