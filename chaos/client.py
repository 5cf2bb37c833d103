"""A client process: makes the calls of its seed until its share of runs is acknowledged.

`python -m chaos.client SEED CLIENT SHARE`; it may be killed at any moment and started again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from chaos.calllog import CallLog, read_calls
from chaos.calls import Call, calls_of
from chaos.jobs import FOLDER, app
from rota.errors import CommitUnknown, DuplicateKey, NotAllowed, StoreUnavailable, UnknownRun

GATE = "gate"
"""A file with the number of runs that each client may have submitted by now."""
LOOK_S = 0.02


class Client:
    """Continues where the log of its earlier lives ends."""

    def __init__(self, seed: int, index: int) -> None:
        folder = Path(os.environ[FOLDER])
        self._gate = folder / GATE
        path = folder / f"client-{index}.log"
        self._seed, self._index = seed, index
        past = read_calls(path, index)
        self.acknowledged = sum(len(c.ids) for c in past if _is_counted(c.op, c.key, c.answer))
        self._turn = max((call.turn for call in past), default=-1) + 1
        self._log = CallLog(path)
        self._last: tuple[str, ...] = ()

    def turn(self) -> None:
        """Make the calls of the next turn."""
        self._last = ()
        for call in calls_of(self._seed, self._index, self._turn):
            if call.op == "cancel":
                self._cancel(call)
            else:
                self._submit(call)
        self._turn += 1

    def may_go_on(self) -> bool:
        try:
            return self.acknowledged < int(self._gate.read_text())
        except FileNotFoundError:
            return False

    def _submit(self, call: Call) -> None:
        options = {"key": call.key} if call.key else {}
        delayed = {"delay": f"{call.delay_ms}ms"} if call.delay_ms else {}
        with self._told(call, numbers=call.numbers, key=call.key) as answer:
            job = app.find_job(call.job).with_options(**options, **delayed)
            runs = job.submit_many(call.arguments)
            answer["ids"] = [run.id for run in runs]
        if "ids" in answer and call.op == "submit":
            self._last = tuple(answer["ids"])
            self.acknowledged += len(self._last) * _is_counted(call.op, call.key, "ok")

    def _cancel(self, call: Call) -> None:
        for run_id in self._last:
            time.sleep(call.wait_s)
            with self._told(call, ids=[run_id]) as answer:
                answer["state"] = app.run(run_id).cancel("by the chaos run").value

    @contextmanager
    def _told(self, call: Call, **facts: Any) -> Iterator[dict[str, Any]]:
        """Write the call to the log before it, and its answer after it."""
        self._log.write(phase="begin", turn=self._turn, op=call.op, **facts)
        answer: dict[str, Any] = {}
        try:
            yield answer
        except (NotAllowed, DuplicateKey, UnknownRun) as error:
            self._log.write(phase="refused", error=str(error))
        except CommitUnknown as error:
            self._log.write(phase="unknown", error=str(error))
        except StoreUnavailable as error:
            self._log.write(phase="fail", error=str(error))
            time.sleep(0.05)
        else:
            self._log.write(phase="ok", **answer)


def _is_counted(op: str, key: str | None, answer: str) -> bool:
    """Whether a call counts as a new run; runs under a key may equal earlier ones."""
    return op == "submit" and key is None and answer == "ok"


def main() -> None:
    seed, index, share = (int(word) for word in sys.argv[1:])
    client = Client(seed, index)
    while client.acknowledged < share:
        if client.may_go_on():
            client.turn()
        else:
            time.sleep(LOOK_S)


if __name__ == "__main__":
    main()
