"""The lines of runs, for the tests of logs."""

from __future__ import annotations

from typing import Any

import pytest

from rota.app import Run
from rota.model.logs.log import LogLine
from tests.support.calls import eventually

only_sqlite = pytest.mark.parametrize("store_url", ["sqlite"], indirect=True)
KINDS = pytest.mark.parametrize("isolation", ["thread", "process"])


def logs_of(run: Run[Any], count: int) -> list[LogLine]:
    """The lines once there are so many; they are stored a moment after the result."""
    eventually(lambda: len(run.logs()) >= count)
    return run.logs()


def said(lines: list[LogLine]) -> list[tuple[str, str, str]]:
    return [(line.stream, line.level, line.text) for line in lines]


def texts(lines: list[LogLine]) -> list[str]:
    return [line.text for line in lines]
