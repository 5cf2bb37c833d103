"""Submit runs, look at them and step in, through the command line, on both databases."""

from __future__ import annotations

import re

import pytest

from rota.engine.workers.heartbeat import HandlerProgress
from rota.store.open import open_store
from tests.contract.builders import given_lease, given_worker
from tests.contract.workers.test_heartbeat import beat
from tests.support.cli import Rota, eventually


def test_a_submitted_run_is_carried_out_and_its_result_printed(rota: Rota) -> None:
    with rota.serving("up", "shop.py"):
        by_name = rota.good("submit", "add", "a=2", "b=40", "--wait", "--timeout", "30s")
        typed = rota.good("submit", "add", "2", "--app", "shop:app", "--wait")
        as_json = rota.good("submit", "label", "00123", "--wait", "--json").documents[0]

    assert by_name.out == "42\n"
    assert typed.out == "3\n"
    assert (as_json["state"], as_json["args"], as_json["result"]) == (
        "success",
        {"text": "00123"},
        "00123",
    )
    assert as_json["createdAt"].endswith("Z")


def test_a_failed_run_can_be_looked_into_and_run_again(rota: Rota) -> None:
    with rota.serving("worker", "shop:app"):
        failed = rota("submit", "boom", "--wait")
        listed = rota.good("runs", "--state", "failed", "--json").documents[0]
        short_id = listed["executionId"][-12:]
        page = rota.good("runs", "show", short_id)
        again = rota.good("runs", "rerun", short_id).out.strip()
        waited = rota("runs", "wait", again, "--timeout", "30s")

    assert failed.code == waited.code == 7
    assert "ended as failed" in failed.err
    assert "ValueError: no stock" in failed.err
    assert listed["error"]["message"] == "no stock"
    assert "attempt 1: error" in page.out
    assert 'raise ValueError("no stock")' in page.out
    assert again in waited.err


def test_running_and_waiting_runs_can_be_cancelled(rota: Rota) -> None:
    with rota.serving("up", "shop.py"):
        running = rota.good("submit", "hold", "never").out.strip()
        waiting = rota.good("submit", "add", "1", "--delay", "1h").out.strip()
        rota.wait_until_running(running)

        said = rota.good("runs", "cancel", running, waiting)
        ended = rota("runs", "wait", running, "--timeout", "30s")
        twice = rota("runs", "cancel", waiting)
        rota.good("submit", "add", "1", "--wait")
        done = rota.good("runs", "--state", "success", "--json").documents[0]["executionId"]
        too_late = rota("runs", "cancel", done)

    assert "asked to stop" in said.out
    assert f"{waiting}  cancelled" in said.out
    assert ended.code == 7
    assert "cancelled" in ended.err
    assert twice.code == 0
    assert too_late.code == 3


CLUSTER = """
graphs:
  cluster:
    nodes:
      up: {command: "true", kind: setup}
      down: {command: "sleep 60", kind: teardown, setups: up}
"""


def test_a_cancelled_graph_says_that_teardowns_run_and_how_to_skip_them(rota: Rota) -> None:
    (rota.folder / "cluster.yaml").write_text(CLUSTER)
    rota.good("db", "migrate")
    rota.good("apply", "cluster.yaml", "--yes")
    with rota.serving("up", "--stored"):
        run = rota.good("submit", "cluster").out.strip()
        eventually(lambda: _is_running(rota), "the teardown runs")
        said = rota.good("runs", "cancel", run)
        listed = rota.good("runs").out
        why = rota.good("why", run).out
        forced = rota.good("runs", "cancel", run, "--force")

    assert f"{run}  cancelling: teardowns run first (rota why); --force ends it now" in said.out
    assert "cancelling: teardowns run" in listed
    assert "cancelling: teardown down runs" in why
    assert f"{run}  cancelled" in forced.out


def _is_running(rota: Rota) -> bool:
    runs = rota.good("runs", "--nodes", "--json").documents
    return any(run["jobId"] == "cluster.down" and run["state"] == "running" for run in runs)


def test_a_paused_queue_starts_nothing_until_it_is_resumed(rota: Rota) -> None:
    rota.good("db", "migrate")
    rota.good("queues", "pause", "default", "--note", "provider is down")
    with rota.serving("up", "shop.py"):
        run_id = rota.good("submit", "add", "1").out.strip()
        queue = rota.good("queues", "--json").documents[0]
        table = rota.good("queues").out
        unfinished = rota("runs", "wait", run_id, "--timeout", "200ms")
        rota.good("queues", "resume", "default")
        result = rota.good("runs", "wait", run_id, "--timeout", "30s")

    assert (queue["name"], queue["paused"], queue["queued"]) == ("default", True, 1)
    assert "provider is down" in table
    assert unfinished.code == 6
    assert result.out == "2\n"


def test_jobs_and_workers_are_listed_while_they_are_there(rota: Rota) -> None:
    with rota.serving("worker", "shop.py", "--name", "blue", "--slots", "3", "--queues", "a,b"):
        workers = rota.good("workers", "--json").documents
        table = rota.good("workers").out
        jobs = rota.good("jobs", "--json").documents
        job = rota.good("jobs", "show", "add")

    assert [(w["name"], w["slots"], w["queues"], w["alive"]) for w in workers] == [
        ("blue", 3, ["a", "b"], True)
    ]
    assert "blue" in table
    assert [each["name"] for each in jobs] == ["add", "boom", "hold", "label"]
    assert "a: int, b: int" in job.out
    assert "shop:add" in job.out


def test_policies_can_be_set_per_submit(rota: Rota) -> None:
    rota.good("db", "migrate")
    options = ["--priority", "high", "--queue", "vip", "--retries", "7", "--expires", "1h"]
    options += ["--job-timeout", "5m", "--key", "order-17", "--at", "2100-01-01T00:00:00Z"]

    first = rota.good("submit", "add", "1", *options, "--app", "shop.py").out
    again = rota.good("submit", "add", "1", *options).out
    other = rota("submit", "add", "2", *options)
    run = rota.good("runs", "show", first.strip(), "--json").documents[0]

    assert first == again
    assert other.code == 2
    assert "order-17" in other.err
    assert (run["priority"], run["queue"], run["state"]) == (10, "vip", "scheduled")
    assert run["readyAt"] == "2100-01-01T00:00:00.000Z"
    assert run["policy"]["retry"]["limit"] == 7
    assert run["policy"]["timeout_ms"] == 300_000


@pytest.mark.parametrize("filters", [["--job", "add"], ["--queue", "default", "--limit", "2"]])
def test_the_list_of_runs_is_filtered_and_newest_first(local: Rota, filters: list[str]) -> None:
    for number in range(3):
        local.good("submit", "add", str(number), "--app", "shop.py")
    local.good("submit", "hold", "x", "--app", "shop.py")

    listed = local.good("runs", *filters, "--json").documents
    rest = local.good("runs", *filters, "--before", listed[-1]["executionId"], "--json").documents

    numbers = [run["args"]["a"] for run in (*listed, *rest)]
    assert numbers == [2, 1, 0]


def test_a_run_shows_how_far_its_handler_says_it_is(local: Rota) -> None:
    store = open_store(f"sqlite:///{local.folder}/rota.db")
    worker = given_worker(store)
    lease = given_lease(store, worker_id=worker)
    beat(store, worker, lease, progress=(HandlerProgress(lease.run_id, 1, 0.25, "row 7 of 28"),))
    store.close()

    page = local.good("runs", "show", lease.run_id).out
    as_json = local.good("runs", "show", lease.run_id, "--json").documents[0]

    assert re.search(r"progress +25%\n", page)
    assert re.search(r"note +row 7 of 28\n", page)
    assert (as_json["progress"], as_json["progressNote"]) == (25.0, "row 7 of 28")
