"""Dead letters, schedules, graphs, logs, tokens and the audit: the same through a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.test_cli_remote import WITH_SERVER, Both
from tests.support.cli import Rota

APP = """
from rota import App

app = App()


@app.job
def add(a: int = 1, b: int = 1) -> int:
    print(f"the sum of the tide {a + b}")
    return a + b


@app.job(retries=0)
def boom(order: int = 1) -> None:
    raise ValueError(f"no stock for {order}")


@app.graph
def load() -> None:
    boom(order=add(a=1))
"""


@pytest.fixture
def both(tmp_path: Path, store_url: str) -> Iterator[Both]:
    straight = Rota(tmp_path, ROTA_URL=store_url)
    (tmp_path / "works.py").write_text(APP)
    with straight.serving("up", "works.py", **WITH_SERVER) as served:
        yield Both(straight, served, tmp_path)


def dead_one(both: Both) -> str:
    return str(both.afar("submit", "boom", "--wait", "--json").documents[0]["executionId"])


def test_dead_letters_are_looked_at(both: Both) -> None:
    first, second = dead_one(both), dead_one(both)

    both.alike("dead")
    assert [each["executionId"] for each in both.alike_json("dead", "list")] == [second, first]
    both.alike("dead", "list", "--job", "boom", "--limit", "2", "--before", second[-12:])
    assert both.alike_json("dead", "show", first[-12:])[0]["run"]["tally"] == {"error": 1}
    assert both.alike("dead", "show", "short").code == 2


def test_dead_letters_are_redriven_and_discarded(both: Both) -> None:
    first, second = dead_one(both), dead_one(both)

    again = both.afar.good("dead", "redrive", first, "--args", '{"order": 7}', "--json")
    assert again.documents[0]["executionId"] == first
    assert "was redriven as" in both.alike("dead", "redrive", first).out
    assert both.alike("dead", "redrive", second, "--args", '{"x": 1}').code == 2
    assert both.afar.good("dead", "discard", second, "--reason", "sold out").out == "1 discarded\n"
    assert both.alike("dead", "discard", "--group", "0123456789ab", "--yes").code == 2
    assert both.afar("dead", "discard", second, "--who", "ann").code == 2


def set_nightly(both: Both) -> str:
    rule = ("nightly", "0 3 * * *", "a=2", "--job", "add", "--zone", "Asia/Tokyo")
    options = ("--overlap", "skip", "-o", "jitter=30s")
    return both.afar.good("schedules", "set", *rule, *options).out


def test_schedules_are_set_and_looked_at(both: Both) -> None:
    assert "Asia/Tokyo" in set_nightly(both)

    both.alike_json("schedules", "list")
    both.alike("schedules")
    both.alike("schedules", "show", "nightly")
    assert len(both.alike_json("schedules", "show", "nightly", "--count", "3")[0]["coming"]) == 3
    assert both.alike("schedules", "show", "weekly").code == 2


def test_schedules_are_started_held_and_removed(both: Both) -> None:
    set_nightly(both)
    run_id = both.afar.good(
        "schedules", "trigger", "nightly", "b=5", "--for", "2026-01-31T03:00:00+09:00"
    ).out.strip()

    assert both.afar.good("runs", "wait", run_id).out.strip() == "7"
    both.alike_json("schedules", "show", "nightly")
    assert both.afar.good("schedules", "pause", "nightly", "--note", "moving").out
    both.alike("schedules", "show", "nightly")
    assert both.afar.good("schedules", "resume", "nightly").out
    assert both.afar("schedules", "pause", "nightly", "--who", "ann").code == 2
    assert both.afar.good("schedules", "remove", "nightly").out
    assert both.alike_json("schedules") == []


def test_runs_of_graphs(both: Both) -> None:
    made = both.afar("submit", "load", "--wait", "--json")
    run_id = made.documents[0]["executionId"]
    assert made.code == 7

    (shown,) = both.alike_json("runs", "show", run_id)
    assert [each["name"] for each in shown["nodes"]] == ["add", "boom"]
    both.alike("runs", "show", run_id)
    both.alike("runs", "timeline", run_id)
    both.alike_json("runs", "timeline", run_id)
    assert both.alike("runs", "watch", run_id).code == 7
    both.alike("why", run_id, "boom")
    assert both.alike("why", run_id, "third").code == 2


def test_lines_are_searched(both: Both) -> None:
    both.afar.good("submit", "add", "--wait")

    found = both.alike_json("logs", "--search", "tide", "--job", "add")
    assert [each["text"] for each in found] == ["the sum of the tide 2"]
    both.alike("logs", "--search", "TIDE sum", "--since", "1h", "--level", "info")
    assert both.alike("logs", "--search", "...").code == 2


def test_tokens(both: Both) -> None:
    (token,) = both.afar.good("tokens", "create", "ci", "--role", "viewer", "--json").documents

    assert both.afar.good("jobs", ROTA_TOKEN=token["token"]).out
    assert both.afar("tokens", "list", ROTA_TOKEN=token["token"]).code == 8
    both.alike("tokens", "list", "--all")
    assert "is revoked" in both.afar.good("tokens", "revoke", token["id"][-12:]).out
    assert both.alike("tokens", "revoke", "nobody-knows").code == 2
    both.afar.good("audit", "verify")  # acts have their places now
    acts = both.alike_json("audit", "list", "--verb", "create token")
    assert acts[0]["subject"] == token["id"]


def test_the_audit(both: Both) -> None:
    both.afar.good("queues", "pause", "mail")
    (verified,) = both.alike_json("audit", "verify")

    assert verified["isGood"]
    both.alike("audit", "verify", "--head", verified["hash"])
    assert both.alike("audit", "verify", "--head", "0" * 64).code == 1
    both.alike("audit", "--limit", "3")
