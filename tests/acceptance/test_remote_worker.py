"""A worker on a machine without a login of the database: real processes, a server between them."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from rota import App, State
from tests.support.cli import Rota, Served, eventually

TOKEN = "automation-token-0123456789-abcdef"
MORE = """
@app.job(retries=1, retry_delay="10ms")
def second_time(path: str) -> str:
    print("attempt", current_run().attempt)
    with open(path, "a") as log:
        log.write("x")
    if current_run().attempt == 1:
        raise ValueError("not yet")
    return "at last"

@app.job(isolation="process")
def apart() -> str:
    from rota import checkpoint, last_checkpoint
    checkpoint({"row": 7})
    return f"{last_checkpoint()} {'ROTA_TOKEN' in os.environ}"

@app.job
async def awaited(a: int) -> int:
    return a

@app.job(retries=0)
def transactional() -> None:
    current_run().commit(lambda tx: None)

@app.job(retries=0)
def submitting() -> None:
    add.submit(1)

@app.job(retries=0)
def tells() -> None:
    raise ValueError("refused: " + os.environ["FAR_TOKEN"])

app.command("shout", ["echo", "{word}"])
"""


class House:
    """A server with a database, and a folder afar that knows neither."""

    def __init__(self, here: Rota, folder: Path, stack: ExitStack) -> None:
        self.here = here
        self.far = folder / "afar"
        self.far.mkdir()
        self._stack = stack
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        shop = folder / "shop.py"
        shop.write_text(shop.read_text() + MORE)
        (self.far / "shop.py").write_text(shop.read_text())
        self.server = self.serve()
        asked = ("--role", "worker", "--queue", "default", "--queue", "slow")
        self.token = here.good("tokens", "create", "far", *asked).out.strip()

    def serve(self) -> Served:
        """`rota up` does the chores; its own worker serves a queue that nobody uses."""
        env = {"ROTA_SERVE": "yes", "ROTA_PORT": str(self.port), "ROTA_ADMIN_TOKEN": TOKEN}
        served = self._stack.enter_context(
            self.here.serving("up", "shop.py", "--queues", "nobody", **env)
        )
        served.wait_for("server started")
        return served

    @contextmanager
    def worker(self) -> Iterator[Served]:
        rota = Rota(self.far, ROTA_TOKEN=self.token, FAR_TOKEN="sesame-open")
        (self.far / "shop.py").write_text((self.here.folder / "shop.py").read_text())
        where = f"http://127.0.0.1:{self.port}"
        with rota.serving("worker", "shop:app", "--server", where) as served:
            yield served

    def result(self, *words: str) -> str:
        return self.here.good("submit", *words, "--wait", "--timeout", "50s").out.strip()


@pytest.fixture
def house(tmp_path: Path, store_url: str) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(Rota(tmp_path, ROTA_URL=store_url), tmp_path, stack)


def worker_pid(served: Served) -> int:
    found = re.search(r"pid\s+\d+ \(worker (\d+)\)", served.text)
    assert found, served.text
    return int(found[1])


def end(served: Served) -> None:
    served.process.terminate()
    served.wait()


def test_jobs_of_each_kind_are_carried_out_afar(house: House, tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    with house.worker() as worker:
        assert house.result("add", "2", "b=3") == "5"
        twice = house.here.good("submit", "second_time", str(marks)).out.strip()
        assert house.here.good("runs", "wait", twice).out.strip() == '"at last"'
        assert house.result("apart") == "\"{'row': 7} False\""
        assert house.result("awaited", "4") == "4"
        assert '"stdout":"hi\\n"' in house.result("shout", "word=hi")
        for job in ("transactional", "submitting"):
            failed = house.here("submit", job, "--wait", "--timeout", "50s")
            assert (failed.code, "no login of the database" in failed.err) == (7, True), failed
        told = house.here("submit", "tells", "--wait", "--timeout", "50s").err
        assert ("refused: ***" in told, "sesame" in told) == (True, False), told
        assert marks.read_text() == "xx"
        with App(house.here.env["ROTA_URL"]) as app:
            eventually(lambda: len(app.run(twice).logs()) == 2, "both lines are there")
            lines = [(line.text, line.attempt) for line in app.run(twice).logs()]
        assert lines == [("attempt 1", 1), ("attempt 2", 2)]
        held = house.here.good("submit", "hold", str(tmp_path / "never")).out.strip()
        house.here.wait_until_running(held)
        house.here.good("runs", "cancel", held)
        assert house.here("runs", "wait", held, "--timeout", "50s").code == 7
        with App(house.here.env["ROTA_URL"]) as app:
            assert app.run(held).state is State.CANCELLED
        end(worker)
    assert [path.name for path in house.far.glob("*.db")] == [], "no store was made there"
    assert "worker stopped" in worker.text


def test_a_killed_worker_loses_nothing(house: House, tmp_path: Path) -> None:
    release = tmp_path / "release"
    with house.worker() as worker:
        held = house.here.good("submit", "hold", str(release)).out.strip()
        house.here.wait_until_running(held)
        os.kill(worker_pid(worker), signal.SIGKILL)
        worker.wait_for("worker started", times=2)
        release.touch()

        assert house.here.good("runs", "wait", held, "--timeout", "50s").out.strip() == '"released"'
    with App(house.here.env["ROTA_URL"]) as app:
        view = app.run(held).show()
    assert (view.crashes, view.failures) == (1, 0), "given back at once, by the one that followed"


def test_a_server_that_goes_away_in_the_middle(house: House, tmp_path: Path) -> None:
    release = tmp_path / "release"
    with house.worker() as worker:
        held = house.here.good("submit", "hold", str(release)).out.strip()
        house.here.wait_until_running(held)
        end(house.server)
        release.touch()
        worker.wait_for("cannot be reached")
        house.serve()

        assert house.here.good("runs", "wait", held, "--timeout", "50s").out.strip() == '"released"'
        assert house.result("add", "1") == "2", "and it goes on"
    with App(house.here.env["ROTA_URL"]) as app:
        view = app.run(held).show()
    # A server that takes longer than a lease to come back finds the run given back; none failed.
    assert (view.state, view.failures) == (State.SUCCESS, 0)


def test_a_remote_worker_names_bad_settings_before_it_starts(house: House) -> None:
    far = Rota(house.far)
    at = ("worker", "shop:app", "--server", f"http://127.0.0.1:{house.port}")

    assert "no token was given" in far(*at).err
    assert far(*at, ROTA_TOKEN="rota_" + "x" * 43).code == 8
    assert "role worker" in far(*at, ROTA_TOKEN=TOKEN).err
    said = far(*at, "--queues", "mail", ROTA_TOKEN=house.token)
    assert (said.code, "does not serve mail" in said.err) == (8, True)
    said = far(*at, "--namespace", "other", ROTA_TOKEN=house.token)
    assert (said.code, "belongs to namespace default" in said.err) == (2, True)
    said = far(*at, ROTA_TOKEN=house.token, ROTA_ALERT_WEBHOOK="https://example.org")
    assert (said.code, "alert_webhook" in said.err) == (2, True)


def test_runs_for_newer_code_go_past_a_worker_afar_that_has_older_code(house: House) -> None:
    with house.worker() as worker, App(house.here.env["ROTA_URL"]) as newer:
        worker.wait_for("worker started")

        @newer.job(name="add")
        def add(a: int, b: int, c: int) -> int:
            return a + b + c

        beside = newer.worker(slots=2, chores=False)
        beside.start()
        try:
            runs = [add.submit(n, 1, 1) for n in range(20)]
            assert [run.result(timeout=50) for run in runs] == [n + 2 for n in range(20)]
            assert {run.show().attempt for run in runs} == {1}
        finally:
            beside.stop()
        end(worker)
