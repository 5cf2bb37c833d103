"""`rota db`, `rota bench`: the schema, the safety of the data, the speed."""

from __future__ import annotations

import apsw
import psycopg
import pytest

from tests.support.cli import Rota


def test_a_store_is_migrated_once_and_checked(bare_rota: Rota) -> None:
    first = bare_rota.good("db", "migrate", "--json").documents[0]["applied"]
    second = bare_rota.good("db", "migrate")
    checked = bare_rota("db", "check", "--json")
    page = bare_rota("db", "check")

    facts = checked.documents[0]
    assert first[0] == "0001_core"
    assert second.out == "the schema is up to date\n"
    assert facts["missing"] == []
    # The throw-away PostgreSQL of the tests runs without fsync, and must be told off for it.
    is_safe = bare_rota.env["ROTA_URL"].startswith("sqlite")
    assert facts["is_good"] is is_safe
    assert facts["bad"] == ([] if is_safe else ["fsync", "full_page_writes"])
    assert checked.code == page.code == (0 if is_safe else 5)
    assert ("may lose committed runs" in page.out) is not is_safe


def test_a_store_without_a_schema_does_not_pass_the_check(
    bare_postgres_url: str, local: Rota
) -> None:
    said = local("db", "check", "--url", bare_postgres_url)

    assert said.code == 5
    assert "lacks 0001_core" in said.out


def test_the_printed_schema_can_be_applied_by_hand(local: Rota) -> None:
    script = local.good("db", "sql").out
    with apsw.Connection(str(local.folder / "rota.db")) as connection:
        connection.execute(script)

    assert local.good("db", "check").code == 0


def test_the_printed_schema_can_be_applied_by_hand_to_postgresql(
    bare_postgres_url: str, local: Rota
) -> None:
    script = local.good("db", "sql", "--dialect", "postgres").out
    with psycopg.connect(bare_postgres_url) as session:
        session.execute(script.encode())

    assert (
        local.good("db", "migrate", "--url", bare_postgres_url).out == "the schema is up to date\n"
    )


def test_the_benchmark_measures_and_leaves_nothing_behind(rota: Rota) -> None:
    rota.good("submit", "add", "1", "--app", "shop.py")

    figures = rota.good("bench", "--runs", "300", "--slots", "4", "--json").documents[0]
    namespaces = {run["namespace"] for run in rota.good("runs", "--json").documents}

    assert figures["runs"] == 300
    for name in ("bulk_submit_per_s", "drain_per_s", "end_to_end_per_s", "latency_p50_ms"):
        assert figures[name] > 0
    assert namespaces == {"default"}
    assert count_runs(rota.env["ROTA_URL"]) == 1


def count_runs(url: str) -> int:
    """Of all namespaces, live and ended."""
    text = "select (select count(*) from {0}run) + (select count(*) from {0}run_history)"
    if url.startswith("sqlite"):
        with apsw.Connection(url.removeprefix("sqlite:///")) as connection:
            return int(next(connection.execute(text.format("rota_")))[0])
    with psycopg.connect(url) as session:
        row = session.execute(text.format("rota.").encode()).fetchone()
        return int(row[0]) if row else -1


@pytest.mark.parametrize("words", [["bench", "--runs", "100"]])
def test_without_a_store_the_benchmark_makes_none(local: Rota, words: list[str]) -> None:
    said = local.good(*words)

    assert "end to end" in said.out
    assert not list(local.folder.glob("*.db"))
