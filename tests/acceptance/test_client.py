"""rota.Client with a real `rota up`: jobs that really run, logs, a server that comes and goes."""

from __future__ import annotations

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from rota import Client, RunFailed, State
from tests.support.cli import Rota, Served, eventually

TOKEN = "automation-token-0123456789-abcdef"
WITH_SERVER = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": TOKEN}


@pytest.fixture
def rota(tmp_path: Path, store_url: str) -> Rota:
    made = Rota(tmp_path, ROTA_URL=store_url)
    with (tmp_path / "shop.py").open("a") as shop:
        shop.write("\n@app.job\ndef talk(times: int) -> None:\n")
        shop.write("    for number in range(times):\n        print('line', number, flush=True)\n")
    return made


def address(served: Served) -> str:
    served.wait_for("server started")
    found = re.search(r"listens on (\S+)", served.text)
    assert found, served.text
    return found[1]


def test_jobs_run_fail_hold_and_talk(rota: Rota, tmp_path: Path) -> None:
    release = tmp_path / "release"
    with (
        rota.serving("up", "shop.py", **WITH_SERVER) as served,
        Client(address(served), token=TOKEN) as client,
    ):
        assert client.submit("add", 2, 3).result("20s") == 5
        assert [run.result("20s") for run in client.submit_many("add", [1, (2, 2)])] == [2, 4]
        with pytest.raises(RunFailed, match="no stock"):
            client.submit("boom").result("20s")

        held = client.submit("hold", str(release))
        eventually(lambda: held.state is State.RUNNING, "it runs")
        with ThreadPoolExecutor(4) as pool:
            waits = [pool.submit(held.result, "20s") for _ in range(4)]
            release.touch()
            assert [each.result() for each in waits] == ["released"] * 4

        talking = client.submit("talk", times=700)
        lines = list(talking.follow_logs())
        assert [line.text for line in lines] == [f"line {number}" for number in range(700)]
        assert talking.logs() == lines
        (worker,) = client.workers()
        assert worker.is_alive


def test_a_server_that_is_killed_costs_nothing_but_time(rota: Rota) -> None:
    port = {"ROTA_PORT": str(_free_port())}
    with (
        rota.serving("up", "shop.py", **WITH_SERVER | port) as served,
        Client(address(served), token=TOKEN, patience="60s") as client,
    ):
        assert client.submit("add", a=1).result("20s") == 2
        parent = psutil.Process(served.process.pid)
        server = next(each for each in parent.children() if "server" in " ".join(each.cmdline()))
        server.kill()
        assert client.submit("add", a=41).result("40s") == 42
        served.wait_for("server started", times=2)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port: int = sock.getsockname()[1]
    return port
