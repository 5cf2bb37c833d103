"""`rota up` on a file, killed in the middle and started again."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from rota.app import App
from tests.support.calls import eventually
from tests.support.checker import Witness, check_promises
from tests.support.processes import Crew, Program, is_draining
from tests.support.trace_handlers import open_gate, traces

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.parametrize("store_url", ["sqlite"], indirect=True),
]
RUNS = 3000
CLAIMABLE_S = 30.0


def up(crew: Crew) -> Program:
    return crew.rota("up", "tests/crash/shop.py", "--url", crew.url, "--no-server")


@pytest.mark.slow
def test_rota_up_continues_on_the_same_file_after_a_kill(
    app: App, crew: Crew, store_url: str, gate: Path
) -> None:
    witness = Witness(store_url)
    first = up(crew)
    slow = app.find_job("work_slowly").submit(str(crew.trail), str(gate))
    eventually(lambda: traces(crew.trail, "began"))
    runs = app.find_job("count").submit_many(range(RUNS))
    eventually(lambda: len(traces(crew.trail, "did")) > RUNS // 4)
    first.kill()
    killed_s = time.monotonic()
    witness.look()
    eventually(lambda: not first.family())
    second = up(crew)
    eventually(lambda: len(traces(crew.trail, "began")) == 2, 40)
    took_s = time.monotonic() - killed_s
    open_gate(gate)
    for run in (slow, *runs):
        run.wait(timeout=60)
    witness.look()

    assert took_s < CLAIMABLE_S
    ended = check_promises(store_url, [run.id for run in (slow, *runs)])
    assert {end.state for end in ended.values()} == {"success"}
    second.send(signal.SIGTERM)
    assert second.wait() == 0


def test_rota_up_leaves_no_process_behind(app: App, crew: Crew, gate: Path, tmp_path: Path) -> None:
    program = up(crew)
    app.find_job("work_apart").submit(str(crew.trail), str(gate))
    app.find_job("sleep").submit(path=str(tmp_path / "pid"))
    eventually(lambda: traces(crew.trail, "began") and (tmp_path / "pid").exists())
    # Its worker, the process of the one run, the program of the other.
    assert len(program.family()) >= 3
    program.send(signal.SIGTERM)
    eventually(lambda: is_draining(app))
    program.send(signal.SIGTERM)

    assert program.wait() == 0
    eventually(lambda: not program.family())
