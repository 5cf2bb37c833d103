"""Jobs, templates, graphs and figures through the command line, straight and through a server."""

from __future__ import annotations

from tests.acceptance.test_cli_remote import Both, both
from tests.support.cli import Rota

__all__ = ["both"]
TEMPLATE = """
description: says hello to a host
definition: {name: "${job}", command: [echo, "${host}"]}
parameters: {job: {}, host: {default: localhost}}
"""


def make_job(rota: Rota, *words: str) -> str:
    (rota.folder / "hello.yaml").write_text(TEMPLATE)
    rota.good("templates", "set", "hello", "hello.yaml")
    return rota.good("templates", "make", "hello", "job=greet", *words).out


def test_a_job_is_paused_resumed_and_removed(both: Both) -> None:
    make_job(both.afar)

    assert both.afar.good("jobs", "pause", "greet", "--note", "wait").out == "greet is paused\n"
    assert both.alike_json("jobs", "show", "greet")[0]["paused"] is True
    held = both.afar.good("submit", "greet").out.strip()
    assert "the breaker of job greet is open" in both.alike("why", held).out
    assert both.afar.good("jobs", "resume", "greet").out == "greet is active\n"
    assert both.straight.good("jobs", "remove", "greet").out == "greet is removed\n"
    assert both.alike("jobs", "show", "greet").code == 2


def test_a_job_of_code_is_neither_removed_nor_rolled_back(both: Both) -> None:
    for words in (("remove", "add"), ("rollback", "add", "1")):
        refused = both.alike("jobs", *words)
        assert (refused.code, "defined by the code" in refused.err) == (
            2,
            True,
        ) or refused.code == 3


def test_versions_are_listed_compared_weighed_and_brought_back(both: Both) -> None:
    assert make_job(both.afar) == "job greet is version 1\n"
    (both.afar.folder / "hello.yaml").write_text(TEMPLATE.replace("echo", "printf"))
    both.afar.good("templates", "set", "hello", "hello.yaml")
    both.afar.good("jobs", "remove", "greet")
    both.afar.good("templates", "make", "hello", "job=greet")

    versions = both.alike_json("jobs", "versions", "greet")
    assert [(each["version"], each["current"]) for each in versions] == [(2, True), (1, False)]
    assert "echo" in both.alike("jobs", "diff", "greet", "1", "2").out
    assert "current version" in both.alike("jobs", "weights", "greet").out
    shared = both.afar.good("jobs", "weights", "greet", "1=90", "2=10").out
    assert shared == both.alike("jobs", "weights", "greet").out == "version 1: 90\nversion 2: 10\n"
    assert both.alike("jobs", "weights", "greet", "1:90").code == 2
    assert both.alike("jobs", "weights", "greet", "9=1").code == 2
    both.straight.good("jobs", "weights", "greet", "--clear")
    assert both.straight.good("jobs", "rollback", "greet", "1").out == "greet is version 1 again\n"
    assert both.alike_json("jobs", "show", "greet")[0]["version"] == 1


def test_templates_are_listed_shown_and_removed(both: Both) -> None:
    make_job(both.straight)

    assert [each["name"] for each in both.alike_json("templates")] == ["hello"]
    assert "host: string (may be left out)" in both.alike("templates", "show", "hello").out
    assert both.alike("templates", "make", "hello", "localhost").code == 2
    assert both.alike("templates", "make", "missing", "job=x").code == 2
    (both.afar.folder / "bad.yaml").write_text("[1, 2]")
    assert both.afar("templates", "set", "hello", "bad.yaml").code == 2
    (both.afar.folder / "bad.yaml").write_text("definition: 3")
    assert both.afar("templates", "set", "hello", "bad.yaml").code == 2
    assert both.afar.good("templates", "remove", "hello").out == "template hello is removed\n"


def test_figures_are_shown(both: Both) -> None:
    both.afar.good("submit", "add", "1", "--wait")
    both.afar("submit", "boom", "--wait")

    overview = both.straight.good("statistics").out
    assert "ValueError: no stock" in overview
    assert "success" in both.afar.good("statistics", "--window", "1d").out
    assert both.alike_json("statistics", "boom")[0]["successRate"] == 0
    both.alike("statistics", "boom")
    assert both.alike("statistics", "nobody").code == 2
    assert both.alike("statistics", "--window", "1y").code == 2
    assert len(both.alike_json("forecast", "--hours", "3")[0]["buckets"]) == 3
    both.alike("forecast", "--hours", "3")
