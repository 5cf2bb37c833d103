"""Handlers that print without end: memory stays bounded, the run ends, others do not suffer."""

from __future__ import annotations

from typing import Any

import psutil
import pytest

from rota.app import App, Run
from rota.model.logs.log import LogLine
from rota.runtime.logs.attempt_log import MAX_CHARS, MAX_LINE, MAX_LINES
from tests.integration.conftest import STEADY, Serve
from tests.support import handlers, talkers

MB = 2**20
ROOM_MB = 120
"""What a flood may cost: caps, buffers, and what Python keeps for later."""

pytestmark = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)


def ended_logs(run: Run[Any]) -> list[LogLine]:
    run.result(timeout=200)
    lines = list(run.follow_logs())
    assert lines
    return lines


@pytest.mark.parametrize("isolation", ["thread", "process"])
@pytest.mark.parametrize("line", [0, 16, 1_024])
def test_two_hundred_megabytes_cost_little_memory(
    app: App, serve: Serve, isolation: str, line: int
) -> None:
    flood = app.job(isolation=isolation)(talkers.floods)
    beside = app.job(handlers.add)
    serve(**STEADY)
    flood.submit(1, line).result(timeout=200)
    before = psutil.Process().memory_info().rss

    run = flood.submit(200, line)
    others = beside.submit_many(range(20))
    assert [each.result(timeout=200) for each in others] == [n + 2 for n in range(20)]
    lines = ended_logs(run)

    assert psutil.Process().memory_info().rss - before < ROOM_MB * MB
    assert len(lines) <= MAX_LINES + 1
    assert sum(len(each.text) for each in lines) <= MAX_CHARS + 2 * MAX_LINE
    if line:
        assert lines[-1].text.startswith("truncated: ")
        kept = len(lines) - 1
        assert f"{200 * 16 * (65_536 // line) - kept:,} more lines" in lines[-1].text
    else:
        assert lines[0].text.endswith(f"{200 * MB - MAX_LINE:,} characters cut")


def test_a_program_that_floods_is_cut_as_well(app: App, serve: Serve) -> None:
    flood = app.command("flood", ["sh", "-c", "yes | head -c 100000000"])
    serve(**STEADY)
    lines = ended_logs(flood.submit())

    assert len(lines) == MAX_LINES + 1
    assert lines[0].text == "y"
    assert lines[-1].text.startswith("truncated: 49,990,000 more lines")


@pytest.mark.parametrize("isolation", ["thread", "process"])
def test_binary_is_kept_as_text_that_any_database_holds(
    app: App, serve: Serve, isolation: str
) -> None:
    flood = app.job(isolation=isolation)(talkers.floods_binary)
    serve(**STEADY)
    lines = ended_logs(flood.submit(20))

    assert len(lines) <= MAX_LINES + 1
    assert lines[-1].text.startswith("truncated: ")
    assert not any("\0" in line.text for line in lines)
