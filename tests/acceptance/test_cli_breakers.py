"""Hold a job back and let it go through the command line, on both databases."""

from __future__ import annotations

from tests.support.cli import Rota


def test_a_job_is_held_back_seen_and_let_go(rota: Rota) -> None:
    with rota.serving("up", "shop.py") as served:
        said = rota.good("breakers", "open", "add", "--note", "the shop is closed")
        run_id = rota.good("submit", "add", "2", "b=40").out.strip()
        listed = rota.good("breakers", "--json").documents
        table = rota.good("breakers").out
        runs = rota.good("runs")
        shown = rota.good("runs", "show", run_id)
        held = [each["held"] for each in rota.good("runs", "--json").documents]
        queue = rota.good("queues", "--json").documents[0]
        job = next(j for j in rota.good("jobs", "--json").documents if j["name"] == "add")
        served.wait_for("a breaker opened")

        closed = rota.good("breakers", "close", "add", "--json").documents
        result = rota.good("runs", "wait", run_id, "--timeout", "30s")

    assert said.out == "the breaker of add is open\n"
    assert [(each["job"], each["state"], each["held"], each["note"]) for each in listed] == [
        ("add", "open", 1, "the shop is closed")
    ]
    assert "stays open" in table
    assert "held: the breaker of its job is open" in runs.out
    assert "see `rota breakers`" in shown.out
    assert held == [True]
    assert (queue["queued"], queue["held"]) == (1, 1)
    assert (job["spec"]["breaker"], job["breaker"]) == (None, "open")
    assert closed == [{"job": "add", "state": "closed"}]
    assert result.out == "42\n"


def test_a_job_that_nobody_knows_is_refused(rota: Rota) -> None:
    rota.good("db", "migrate")

    said = rota("breakers", "open", "strange")

    assert said.code == 2
    assert "no job named 'strange'" in said.err
    assert rota.good("breakers").err == "no job has a breaker\n"
