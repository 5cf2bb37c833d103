"""A pytest plugin for trials: writes down what failed, in which phase, and by what.

A sabotage is noticed by a test that looked and saw something wrong, not by one that broke.
"""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

import rota
from rota.errors import RotaError

ENV = "ROTA_WITNESS"
"""Names the file to write."""

SEEN = (AssertionError, pytest.fail.Exception, TimeoutError, RotaError)
"""What a test that noticed raises: it compared, it waited in vain, or Rota refused."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A test that failed, or broke."""

    test: str
    has_noticed: bool
    text: str


class Testimony(msgspec.Struct, kw_only=True):
    """All that happened in one run of pytest."""

    package: str
    """Where the tested code was; the copy, or the trial means nothing."""
    passed: list[str] = []
    skipped: list[str] = []
    failures: list[Failure] = []


_testimony = Testimony(package=str(Path(rota.__file__).parent))


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    if call.excinfo is None:
        if call.when == "call":
            _testimony.passed.append(item.nodeid)
        return
    error = call.excinfo.value
    if isinstance(error, pytest.skip.Exception):
        _testimony.skipped.append(item.nodeid)
        return
    text = f"{type(error).__name__} in {call.when}: {error}"
    # A test that hangs is ended by pytest-timeout; that is no way to notice anything.
    has_noticed = call.when == "call" and isinstance(error, SEEN) and "Timeout (>" not in text
    _testimony.failures.append(Failure(test=item.nodeid, has_noticed=has_noticed, text=text))


def pytest_collectreport(report: pytest.CollectReport) -> None:
    if report.failed:
        text = f"not collected: {report.longreprtext}"
        _testimony.failures.append(Failure(test=report.nodeid, has_noticed=False, text=text))


def pytest_sessionfinish() -> None:
    Path(os.environ[ENV]).write_bytes(msgspec.json.encode(_testimony))
