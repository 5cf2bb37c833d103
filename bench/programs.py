"""Rota's own programs as a user starts them, stopped by their ids when the block ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.probe import BenchFailed

ROOT = Path(__file__).resolve().parent.parent
END_S = 15.0


@contextmanager
def rota(
    arguments: Sequence[str], *, folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    """Run `rota ...` inside the block; TERM at its end. Its output is in `rota.log`."""
    log_path = folder / "rota.log"
    with log_path.open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "rota", *arguments],
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdout=log,
            stderr=log,
        )
        try:
            yield process
        except BenchFailed as failure:
            raise BenchFailed(f"{failure}; rota said: {_last_line(log_path)}") from failure
        finally:
            _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _last_line(path: Path) -> str:
    lines = path.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "it said nothing"
