"""A run in a real notebook kernel: a bar that lives until the run has ended."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

from rota import App, State
from rota.handles.runs.notebook import run_html

LIMIT = 60

PROGRAM = """
import time
from pathlib import Path
from rota import App, progress

app = App({url!r})

@app.job
def paint(gate: str) -> str:
    progress(0.25, "first <coat>")
    while not Path(gate).exists():
        time.sleep(0.01)
    return "done"

worker = app.worker(slots=2, heartbeat_ms=100)
worker.start()
"""


@pytest.fixture
def kernel(tmp_path: Path) -> Iterator[Any]:
    """A kernel as a notebook has it, which leaves nothing outside of the folder."""
    manager = KernelManager(kernel_name="python3", connection_file=str(tmp_path / "kernel.json"))
    env = {**os.environ, "IPYTHONDIR": str(tmp_path), "JUPYTER_RUNTIME_DIR": str(tmp_path)}
    manager.start_kernel(cwd=str(tmp_path), env=env)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=LIMIT)
        yield client
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()


def next_html(kernel: Any, kind: str) -> str:
    """The next bar that the kernel shows."""
    while True:
        message = kernel.get_iopub_msg(timeout=LIMIT)
        assert message["msg_type"] != "error", message["content"]
        if message["msg_type"] == kind:
            return str(message["content"]["data"]["text/html"])


def test_the_bar_of_a_run_follows_it_to_its_end(
    kernel: Any, sqlite_url: str, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    kernel.execute(PROGRAM.format(url=sqlite_url))
    kernel.execute(f"paint.submit({str(gate)!r})")

    assert "<b>paint</b> <progress" in next_html(kernel, "display_data")
    while '<progress value="0.2500" max="1"></progress> running 25% first &lt;coat&gt;' not in (
        next_html(kernel, "update_display_data")
    ):
        pass
    gate.touch()
    while '<progress value="1.0000" max="1"></progress> success' not in (
        next_html(kernel, "update_display_data")
    ):
        pass


def test_a_line_of_a_run_says_what_went_wrong(app: App) -> None:
    @app.job(retries=0)
    def fail() -> None:
        raise ValueError("<b>no</b>")

    run = fail.submit()
    assert '<progress value="0.0000" max="1"></progress> queued 0%' in run_html(run.show())
    worker = app.worker(slots=1)
    worker.start()
    try:
        assert run.wait(LIMIT).state is State.FAILED
    finally:
        worker.stop()

    assert "failed ValueError: &lt;b&gt;no&lt;/b&gt;" in run_html(run.show())


def test_values_of_a_view_are_values_too(app: App) -> None:
    @app.job
    def noop(a: list[int]) -> None: ...

    view = noop.submit([1, 2]).show()

    assert view.args.value == {"a": [1, 2]}
    assert repr(view.args) == """JsonText('{"a":[1,2]}')"""
    assert f"{view.args}" == '{"a":[1,2]}'
