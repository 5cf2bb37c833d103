"""The guardian: groups that are left when their worker is killed die, and no others."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rota.runtime.executors.orphan_killer import OrphanKiller
from tests.support.calls import eventually
from tests.support.programs import is_alive

WORKER = """
import os, signal, subprocess, sys
from pathlib import Path
from rota.runtime.executors.process_group import ProcessGroup
from rota.runtime.executors.orphan_killer import orphan_killer

def start():
    words = ("sh", "-c", "sleep 600 & echo $!; wait")
    popen = subprocess.Popen(words, stdout=subprocess.PIPE, start_new_session=True)
    return ProcessGroup(popen), int(popen.stdout.readline())

def kill_guardian():
    orphan_killer._popen.kill()
    orphan_killer._popen.wait()

told = []
{steps}
Path(sys.argv[1]).write_text(" ".join(map(str, told)))
os.kill(os.getpid(), signal.SIGKILL)
"""
TWO = "told += [start()[1], start()[1]]"
DEAD_BEFORE = "told += [start()[1]]; kill_guardian(); told += [start()[1]]"
FORGOTTEN = "group, pid = start(); group.release(); told += [pid, group.popen.pid]"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "told"


@pytest.fixture
def cleared(path: Path) -> Iterator[None]:
    """Whatever a test leaves, it is gone afterwards."""
    yield
    for pid in pids_of(path):
        if is_alive(pid):
            os.kill(pid, signal.SIGKILL)


def pids_of(path: Path) -> list[int]:
    return [int(each) for each in path.read_text().split()] if path.exists() else []


def kill_a_worker(steps: str, path: Path) -> list[int]:
    """The processes that it started, after it was killed."""
    code = WORKER.format(steps=steps)
    done = subprocess.run((sys.executable, "-c", code, str(path)), timeout=30, check=False)
    assert done.returncode == -signal.SIGKILL
    return pids_of(path)


@pytest.mark.usefixtures("cleared")
@pytest.mark.parametrize("steps", [TWO, DEAD_BEFORE], ids=["at once", "after its own death"])
def test_a_remaining_process_dies_with_the_worker(steps: str, path: Path) -> None:
    pids = kill_a_worker(steps, path)

    assert len(pids) == 2
    eventually(lambda: not any(is_alive(pid) for pid in pids))


@pytest.mark.usefixtures("cleared")
def test_a_process_left_behind_on_purpose_lives_on(path: Path) -> None:
    """A program may leave another behind on purpose; it is over when its leader has ended."""
    pids = kill_a_worker(FORGOTTEN + f"; {TWO}", path)

    eventually(lambda: not any(is_alive(pid) for pid in pids[2:]))
    assert all(is_alive(pid) for pid in pids[:2])


@pytest.mark.usefixtures("cleared")
def test_a_fork_of_the_worker_does_not_hold_it_up(path: Path) -> None:
    """It has a copy of the pipe, so that its end never comes."""
    steps = "told += [start()[1]]\nfork = os.fork()\nif not fork: signal.pause()\ntold += [fork]"
    pid, fork = kill_a_worker(steps, path)

    eventually(lambda: not is_alive(pid))
    assert is_alive(fork)


def test_a_guardian_is_one_process_for_all_groups_and_ends_with_its_pipe() -> None:
    orphan_killer = OrphanKiller()
    line = orphan_killer.line()
    assert (line, orphan_killer._popen) == (orphan_killer.line(), orphan_killer._popen)
    assert orphan_killer._popen is not None
    assert line is not None

    pid = orphan_killer._popen.pid
    deaf = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    # One by one: whoever starts the tests in the background has it born deaf to some.
    eventually(lambda: all(ignores(pid, number) for number in deaf))
    for number in deaf:
        orphan_killer._popen.send_signal(number)
    assert orphan_killer._popen.poll() is None
    os.close(line)

    assert orphan_killer._popen.wait(20) == 0


def ignores(pid: int, number: signal.Signals) -> bool:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    mask = next(int(line.split()[1], 16) for line in lines if line.startswith("SigIgn"))
    return bool(mask >> (number - 1) & 1)


def test_without_an_interpreter_there_is_none_and_nothing_breaks(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    orphan_killer = OrphanKiller()

    orphan_killer.watch(1 << 22)
    orphan_killer.forget(1 << 22)

    assert orphan_killer.line() is None
    assert "may outlive a kill of this worker" in caplog.text
