"""`rota up` and `rota worker`: where things are, Ctrl-C once and twice, crashes, processes."""

from __future__ import annotations

import json
import os
import re
import signal

import psutil
import pytest

from tests.support.cli import Rota, Served, eventually


def submit_hold(rota: Rota) -> str:
    """A run that is running until the file `go` exists."""
    run_id = rota.good("submit", "hold", "go").out.strip()
    rota.wait_until_running(run_id)
    return run_id


def show(rota: Rota, run_id: str) -> dict[str, object]:
    return rota.good("runs", "show", run_id, "--json").documents[0]


def worker_pids(served: Served) -> list[int]:
    """The processes below the supervisors."""
    supervisors = psutil.Process(served.process.pid).children()
    return [child.pid for supervisor in supervisors for child in supervisor.children()]


def test_up_says_where_things_are(local: Rota) -> None:
    shop = local.folder / "shop.py"
    shop.write_text(f"{shop.read_text()}\n@app.graph\ndef whole():\n    return hold('go')\n")
    with local.serving("up", "shop.py", "--slots", "3") as served:
        titles = [psutil.Process(pid).cmdline()[0] for pid in worker_pids(served)]
        os.kill(served.process.pid, signal.SIGTERM)

        assert served.wait() == 0

    assert re.search(r"app     shop\.py \([0-9]+ jobs, 1 graph\)", served.text)
    assert f"store   {local.folder}/rota.db" in served.text
    assert "queues  default, slow" in served.text
    assert "slots   3" in served.text
    assert f"pid     {served.process.pid}" in served.text
    assert titles == ["rota up: shop.py"]


def test_ctrl_c_lets_running_handlers_end(rota: Rota) -> None:
    with rota.serving("up", "shop.py") as served:
        run_id = submit_hold(rota)

        served.press_ctrl_c()
        rota.wait_until_draining()
        (rota.folder / "go").touch()

        assert served.wait() == 0
    run = show(rota, run_id)
    assert (run["state"], run["result"], run["attempt"]) == ("success", "released", 1)
    assert rota.good("workers", "--json").documents == []


def test_a_second_signal_gives_runs_back_without_burning_an_attempt(rota: Rota) -> None:
    with rota.serving("worker", "shop.py") as served:
        run_id = submit_hold(rota)

        served.press_ctrl_c()
        rota.wait_until_draining()
        served.press_ctrl_c()

        assert served.wait() == 0
    run = show(rota, run_id)
    assert (run["state"], run["attempt"], run["failures"]) == ("queued", 0, 0)


@pytest.mark.chaos
def test_a_killed_worker_is_started_again_and_its_run_too(rota: Rota) -> None:
    with rota.serving("up", "shop.py") as served:
        run_id = submit_hold(rota)

        os.kill(worker_pids(served)[0], signal.SIGKILL)
        served.wait_for("worker started", times=2)
        (rota.folder / "go").touch()
        waited = rota.good("runs", "wait", run_id, "--timeout", "30s")
        os.kill(served.process.pid, signal.SIGTERM)

        assert served.wait() == 0
    assert waited.out == '"released"\n'
    assert show(rota, run_id)["crashes"] == 1


def test_several_processes_work_and_end_together(rota: Rota) -> None:
    with rota.serving("worker", "shop.py", "--processes", "2") as served:
        served.wait_for("worker started", times=2)
        workers = rota.good("workers", "--json").documents
        result = rota.good("submit", "add", "1", "--wait").out

        served.press_ctrl_c()

        assert served.wait() == 0
    assert len({worker["pid"] for worker in workers}) == 2
    assert result == "2\n"
    assert rota.good("workers", "--json").documents == []


def test_no_worker_outlives_the_command_that_started_it(local: Rota) -> None:
    with local.serving("worker", "shop.py", "--processes", "2") as served:
        served.wait_for("worker started", times=2)
        everyone = psutil.Process(served.process.pid).children(recursive=True)

        served.process.kill()

        eventually(lambda: all(map(is_gone, everyone)), "all are gone")


def is_gone(process: psutil.Process) -> bool:
    """Also when nobody has asked for its exit code, as in a container without an init."""
    return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE


def test_logs_can_be_json(local: Rota) -> None:
    with local.serving("up", "shop.py", "--log-format", "json") as served:
        os.kill(served.process.pid, signal.SIGTERM)

        assert served.wait() == 0

    logged = [json.loads(line) for line in served.lines]
    assert [line["notice"] for line in logged] == ["worker.started", "worker.stopped"]
    assert logged[0]["slots"] == 8
    assert logged[0]["level"] == "info"
    assert logged[0]["time"].endswith("Z")
