"""The web applications in examples/, each behind its own server, with a real worker beside it."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copy

import httpx2
import pytest

from tests.docs.test_examples import EXAMPLES
from tests.support.calls import eventually

LIMIT = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def started(command: list[str], folder: Path, url: str) -> Iterator[None]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
    with (folder / f"{command[2]}.log").open("w") as log:
        program = subprocess.Popen(
            command, cwd=folder, env={**env, "ROTA_URL": url}, stdout=log, stderr=log
        )
        try:
            yield
        finally:
            program.terminate()
            program.wait(LIMIT)


@contextmanager
def site(name: str, folder: Path, url: str) -> Iterator[httpx2.Client]:
    """Serve an example, and its jobs."""
    copy(EXAMPLES / f"{name}.py", folder)
    port = str(free_port())
    serve = ["uvicorn", f"{name}:web", "--port", port]
    if name == "reports":
        serve = ["flask", "--app", f"{name}:web", "run", "--port", port]
    worker = [sys.executable, "-m", "rota", "worker", f"{name}.py"]
    with (
        started([sys.executable, "-m", *serve], folder, url),
        started(worker, folder, url),
        httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT) as client,
    ):
        eventually(lambda: answers(int(port)))
        yield client


@pytest.mark.postgres
def test_fastapi_commits_an_order_with_its_run(postgres_url: str, tmp_path: Path) -> None:
    with site("orders", tmp_path, postgres_url) as client:
        bought = client.post("/orders", params={"item": "lamp"})
        refused = client.post("/orders", params={"item": "nothing"})
        again = client.post("/orders", params={"item": "desk"})
        answer = client.get(f"/runs/{bought.json()['run']}").json()
        left = client.get("/runs/" + again.json()["run"]).json()["result"]
        orders = [bought.json()["order"], again.json()["order"]]

    assert (bought.status_code, refused.status_code) == (202, 404)
    assert answer == {"state": "success", "result": f"order {orders[0]} is on its way"}
    assert orders == [1, 3]
    assert left == "order 3 is on its way"


def test_starlette_awaits_many_runs(store_url: str, tmp_path: Path) -> None:
    with site("thumbnails", tmp_path, store_url) as client:
        answer = client.get("/", params={"count": 3})

    assert answer.json() == ["0-160.png", "1-160.png", "2-160.png"]


def test_flask_orders_a_report_once(store_url: str, tmp_path: Path) -> None:
    with site("reports", tmp_path, store_url) as client:
        first, second = (client.post("/reports/2026").json() for _ in range(2))
        answer = client.get(f"/runs/{first['run']}")

    assert first == second
    assert answer.json() == {"report": "all of 2026 in one page"}
