"""`rota prune` deletes what ended long ago, after it was counted and meant."""

from __future__ import annotations

from tests.support.cli import Rota


def ended(rota: Rota) -> list[str]:
    """Submit and end two runs, one of them with a failure; a third one waits."""
    with rota.serving("up", "shop.py"):
        rota.good("submit", "add", "1", "--wait")
        rota("submit", "boom", "--wait")
    rota.good("submit", "add", "2")
    return states(rota)


def states(rota: Rota) -> list[str]:
    return sorted(run["state"] for run in rota.good("runs", "--json").documents)


def test_what_is_old_is_counted_first_and_deleted_when_it_is_meant(rota: Rota) -> None:
    before = ended(rota)

    young = rota.good("prune", "--dry-run").out
    counted = rota.good("prune", "--success", "0s", "--dry-run").out
    unsure = rota("prune", "--success", "0s")
    kept = states(rota)
    done = rota.good("prune", "--success", "0s", "--yes", "--who", "ann", "--json").documents
    (entry,) = rota.good("audit", "list", "--verb", "prune", "--json").documents

    assert before == kept == ["failed", "queued", "success"]
    assert young == "this would delete 0 runs\n"
    assert counted == "this would delete 1 run\n"
    assert (unsure.code, "--yes" in unsure.err) == (2, True)
    assert done == [{"runs": 1, "dryRun": False}]
    assert states(rota) == ["failed", "queued"]
    assert (entry["who"], entry["detail"]["success_ms"]) == ("ann", 0)


def test_failures_go_with_their_dead_letters(rota: Rota) -> None:
    ended(rota)

    rota.good("prune", "--failure", "0s", "--yes")

    assert states(rota) == ["queued", "success"]
    assert rota.good("dead", "--json").documents == []


def test_it_needs_the_database(rota: Rota) -> None:
    refused = rota("prune", "--server", "http://127.0.0.1:1")

    assert (refused.code, "needs the database" in refused.err) == (2, True)
