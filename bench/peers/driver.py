"""The harness' side of a driver: one line as request, one line of JSON as answer.

The driver's own side is scripts/common.py, which runs in the peer's venv.
"""

from __future__ import annotations

import json
import select
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from bench.peers.processes import PeerFailed, Place, end

ANSWER_S = 120.0
"""Above the driver's own limit of 60 s for completions plus the submits before it."""


class Driver:
    """A submitting process of a peer that measures on request."""

    def __init__(self, process: subprocess.Popen[bytes], place: Place) -> None:
        self._process = process
        self._place = place
        self._pending = b""

    def ask(
        self, verb: str, count: int, *, workers: Sequence[subprocess.Popen[bytes]] = ()
    ) -> dict[str, float]:
        """Run one measure; fails at once when the driver or one of the workers dies."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{verb} {count}\n".encode())
        except BrokenPipeError:
            raise PeerFailed(f"driver ended: {self._place.log_tail()}") from None
        return self.answer(workers=workers)

    def answer(self, *, workers: Sequence[subprocess.Popen[bytes]] = ()) -> dict[str, float]:
        """Wait for the next line of the driver."""
        deadline = time.monotonic() + ANSWER_S
        while b"\n" not in self._pending:
            if any(worker.poll() is not None for worker in workers):
                raise PeerFailed(f"a worker ended: {self._place.log_tail()}")
            if time.monotonic() > deadline:
                raise PeerFailed(f"no answer in {ANSWER_S:.0f} s")
            self._read(wait_s=0.5)
        line, _, self._pending = self._pending.partition(b"\n")
        answer: dict[str, float] = json.loads(line)
        if "error" in answer:
            raise PeerFailed(str(answer["error"]))
        return answer

    def _read(self, *, wait_s: float) -> None:
        assert self._process.stdout is not None
        if not select.select([self._process.stdout], [], [], wait_s)[0]:
            return
        chunk = self._process.stdout.read(65_536)
        if not chunk:
            raise PeerFailed(f"driver ended: {self._place.log_tail()}")
        self._pending += chunk


@contextmanager
def driving(command: Sequence[str], *, place: Place) -> Iterator[Driver]:
    """Keep a driver running inside the block; it is ready when the block begins."""
    with place.log.open("ab") as log:
        process = subprocess.Popen(
            command,
            cwd=place.folder,
            env=place.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            bufsize=0,
            start_new_session=True,
        )
    try:
        driver = Driver(process, place)
        driver.answer()
        yield driver
    finally:
        end(process)
