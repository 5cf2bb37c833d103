"""A trial: the named tests run in a process of their own against a copy of the package."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from tests.sabotage import trial_server, witness
from tests.sabotage.edit import Sabotage, sabotaged_copy
from tests.sabotage.witness import Testimony
from tests.support.source import ROOT

_OPTIONS = (
    *("-q", "--no-header", "--tb=short", "--timeout=60"),
    *("-p", "pytest_timeout", "-p", "no:cacheprovider", "-p", witness.__name__),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the tests said; `complaints` is empty when it is what the sabotage promised."""

    took_s: float
    complaints: tuple[str, ...]
    is_skipped: bool


class Trials:
    """Holds trials one after the other: `with Trials() as trials: trials.hold(...)`."""

    def __init__(self) -> None:
        self._server: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._server is not None:
            self._server.communicate()

    def hold(self, sabotage: Sabotage, folder: Path) -> Trial:
        """Break a copy in the folder and see whether the tests that it names notice."""
        began_s = time.monotonic()
        path = sabotaged_copy(folder / "src", sabotage.edits)
        testimony = self._run_tests(sabotage.caught_by, path, folder)
        complaints = _passes(testimony) if sabotage.is_harmless else _notices(sabotage, testimony)
        return Trial(
            took_s=time.monotonic() - began_s,
            complaints=tuple(complaints),
            is_skipped=bool(testimony.skipped) and not testimony.failures,
        )

    def hold_unbroken(self, tests: Sequence[str], folder: Path) -> Trial:
        """The same with a copy that is as it should be: all must pass."""
        began_s = time.monotonic()
        testimony = self._run_tests(tests, sabotaged_copy(folder / "src", ()), folder)
        return Trial(
            took_s=time.monotonic() - began_s,
            complaints=tuple(_passes(testimony)),
            is_skipped=False,
        )

    def _run_tests(self, tests: Sequence[str], path: Path, folder: Path) -> Testimony:
        said, log = folder / "testimony.json", folder / "log"
        code = self._ask(
            arguments=[*_OPTIONS, f"--basetemp={folder / 'tmp'}", *tests],
            env={"PYTHONPATH": str(path), witness.ENV: str(said)},
            path=str(path),
            log=str(log),
        )
        assert code in ("0", "1"), f"pytest ended with {code or 'nothing'}:\n{log.read_text()}"
        testimony = msgspec.json.decode(said.read_bytes(), type=Testimony)
        assert Path(testimony.package).parent == path, f"not the copy: {testimony.package}"
        return testimony

    def _ask(self, **ask: object) -> str:
        running = self._server = self._server or _start_server()
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            running.stdin.write(json.dumps(ask) + "\n")
            running.stdin.flush()
            return running.stdout.readline().strip()
        except BaseException:  # we were told to stop waiting: this answer must not be the next
            os.killpg(running.pid, signal.SIGKILL)
            running.communicate()
            self._server = None
            raise


def _start_server() -> subprocess.Popen[str]:
    # Not what an outer pytest and its workers have told their children.
    env = {name: value for name, value in os.environ.items() if "PYTEST" not in name}
    return subprocess.Popen(
        [sys.executable, "-m", trial_server.__name__],
        cwd=ROOT,
        env=env | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that it can be ended with all its children
    )


def _passes(testimony: Testimony) -> list[str]:
    return [f"{failure.test} fails: {failure.text}" for failure in testimony.failures]


def _notices(sabotage: Sabotage, testimony: Testimony) -> list[str]:
    noticed = {failure.test for failure in testimony.failures if failure.has_noticed}
    broken = [failure for failure in testimony.failures if failure.test not in noticed]
    heard = noticed | set(testimony.skipped) | {failure.test for failure in broken}
    return [
        *(f"{test} does not notice" for test in sabotage.caught_by if test not in heard),
        *(f"{failure.test} breaks: {failure.text}" for failure in broken),
    ]
