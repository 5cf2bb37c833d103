"""Looks at processes from outside, for tests that start and kill them."""

from __future__ import annotations

from pathlib import Path

from tests.support.calls import eventually


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that is dead and not yet reaped does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def pids_in(path: Path, count: int = 1) -> list[int]:
    """Return the process ids that a program writes into the file, once they are all there."""
    eventually(lambda: path.exists() and len(path.read_text().split()) >= count)
    return [int(pid) for pid in path.read_text().split()]
