"""`rota doctor` as people and monitoring meet it."""

from __future__ import annotations

from tests.support.cli import Rota


def test_the_doctor_looks_and_says_what_to_do(rota: Rota) -> None:
    rota.good("db", "migrate")
    said = rota("doctor")
    findings = rota("doctor", "--json").documents

    # The throw-away PostgreSQL of the tests runs without fsync, which is a problem indeed.
    is_well = rota.env["ROTA_URL"].startswith("sqlite")
    assert said.code == (0 if is_well else 1)
    assert "warning  chores" in said.out
    assert "-> no worker with chores runs" in said.out
    assert {each["status"] for each in findings} <= {"ok", "warning", "problem"}
    bad = {each["check"] for each in findings if each["status"] == "problem"}
    assert bad == (set() if is_well else {"fsync", "full page writes"})


def test_quiet_shows_only_what_is_wrong(rota: Rota) -> None:
    rota.good("db", "migrate")
    said = rota("doctor", "--quiet")

    assert "chores" in said.out
    assert "stuck runs" not in said.out


def test_work_that_nobody_does_is_a_problem(rota: Rota) -> None:
    rota.good("submit", "add", "1", "--app", "shop.py")
    findings = rota("doctor", "--json").documents

    by_check = {each["check"]: each for each in findings}
    assert by_check["chores"]["status"] == "problem"
    assert by_check["unserved queues"]["found"] == "1 run of add in queue default of default"


def test_a_database_without_a_schema_is_a_problem(bare_postgres_url: str, local: Rota) -> None:
    said = local("doctor", "--url", bare_postgres_url)

    assert said.code == 1
    assert "lacks 0001_core" in said.out
    assert "rota db migrate" in said.out


def test_a_store_that_is_not_there_is_not_examined(local: Rota) -> None:
    assert local("doctor").code == 4
    assert local("doctor", "--url", "postgresql://127.0.0.1:1/x").code == 4
