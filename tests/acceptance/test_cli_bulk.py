"""Many runs are cancelled or run again by a filter, counted first; one with other arguments."""

from __future__ import annotations

import pytest

from rota import App
from tests.acceptance.test_cli_remote import Both, both
from tests.support.cli import Rota

__all__ = ["both"]
GRAPH = """
graphs:
  pair:
    nodes:
      one: {command: "true"}
      two: {command: "true", after: one}
"""


@pytest.fixture
def waiting(rota: Rota) -> Rota:
    """A store with three runs of add and one of hold, which wait."""
    for number in range(3):
        rota.good("submit", "add", str(number), "--key", f"k{number}", "--app", "shop.py")
    rota.good("submit", "hold", "x", "--app", "shop.py")
    return rota


def states(rota: Rota, *words: str) -> list[str]:
    return sorted(run["state"] for run in rota.good("runs", *words, "--json").documents)


def test_a_filter_is_counted_and_changes_nothing_until_it_is_meant(waiting: Rota) -> None:
    counted = waiting.good("runs", "cancel", "--job", "add", "--dry-run")
    unsure = waiting("runs", "cancel", "--job", "add")

    assert counted.out == "this would cancel 3 runs\n"
    assert (unsure.code, "--yes" in unsure.err) == (2, True)
    assert states(waiting) == ["queued"] * 4


def test_runs_that_a_filter_finds_are_cancelled_and_run_again(waiting: Rota) -> None:
    done = waiting.good("runs", "cancel", "--job", "add", "--state", "queued", "--yes")
    assert done.out == "3 cancelled or asked to stop\n"
    assert states(waiting) == ["cancelled"] * 3 + ["queued"]

    again = waiting.good("runs", "rerun", "--state", "cancelled", "--text", "k1", "--yes", "--json")
    assert again.documents == [{"done": 1}]
    assert states(waiting) == ["cancelled"] * 3 + ["queued"] * 2


@pytest.mark.parametrize(("since", "count"), [("1h", 4), ("2099-01-01T00:00:00Z", 0)])
def test_a_time_is_an_age_or_an_instant(waiting: Rota, since: str, count: int) -> None:
    counted = waiting.good("runs", "cancel", "--since", since, "--dry-run", "--json")

    assert counted.documents[0]["matched"] == count


@pytest.mark.parametrize(
    "words",
    [
        ["cancel"],
        ["rerun"],
        ["cancel", "--no-nodes"],
        ["cancel", "1c1eebfaae1b", "--job", "add"],
        ["rerun", "a=1"],
        ["rerun", "--job", "add", "--args", "{}"],
        ["cancel", "--since", "yesterday"],
        ["cancel", "--job", "add", "--force"],
    ],
    ids=" ".join,
)
def test_what_is_not_clear_is_refused(waiting: Rota, words: list[str]) -> None:
    assert waiting("runs", *words).code == 2
    assert states(waiting) == ["queued"] * 4


def test_one_run_is_run_again_with_other_arguments(both: Both) -> None:
    old = both.afar.good("submit", "add", "2", "b=3", "--wait", "--json").documents[0][
        "executionId"
    ]

    one = both.afar.good("runs", "rerun", old[-8:], "b=40").out.strip()
    whole = both.straight.good("runs", "rerun", old, "--args", '{"a": 7}').out.strip()

    assert both.afar.good("runs", "wait", one).out == "42\n"
    assert both.straight.good("runs", "wait", whole).out == "8\n"
    assert both.alike_json("runs", "show", one)[0]["rerunOf"] == old
    assert both.alike("runs", "rerun", old, "c=1").code == 2


def test_nodes_of_graphs_are_listed_when_they_are_asked_for(rota: Rota) -> None:
    (rota.folder / "pair.yaml").write_text(GRAPH)
    rota.good("db", "migrate")
    rota.good("apply", "pair.yaml", "--yes")
    with rota.serving("up", "--stored"):
        rota.good("submit", "pair", "--wait")

    def listed(*words: str) -> list[str]:
        return sorted(run["jobId"] for run in rota.good("runs", *words, "--json").documents)

    assert listed() == ["pair"]
    assert listed("--nodes") == ["pair", "pair.one", "pair.two"]
    assert listed("--job", "pair.one") == ["pair.one"]
    assert listed("--job", "pair.one", "--no-nodes") == []
    assert [each["name"] for each in rota.good("graphs", "--json").documents] == ["pair"]
    assert rota.good("graph", "list").out == rota.good("graphs").out
    with App(rota.env["ROTA_URL"]) as app:
        assert [run.job for run in app.runs(steps=False)] == ["pair"]
        assert app.cancel_runs(job="pair", dry_run=True).matched == 0
