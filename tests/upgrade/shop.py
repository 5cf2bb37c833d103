"""An app for processes of two versions of Rota: it uses only what both have."""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

from rota import App, current_run
from rota.version import version

app = App(os.environ["SHOP_URL"], name="shop")
LEDGER = Path(os.environ["SHOP_LEDGER"])


def note(what: str) -> None:
    """One line for each time a handler was called, with the version of Rota that called it."""
    line = f"{current_run().id} {what} {version()}\n".encode()
    with LEDGER.open("ab", buffering=0) as ledger:
        ledger.write(line)


@app.job
def work(number: int) -> int:
    note("work")
    return number * 2


@app.job(schedule={"every": "1s", "name": "tick"})
def tick() -> None:
    note("tick")


@app.job
def split(count: int) -> list[int]:
    note("split")
    return list(range(count))


@app.job
def total(parts: list[int]) -> int:
    note("total")
    return sum(parts)


@app.graph
def inner(count: int) -> Any:
    return total(work.map(split(count)))


@app.graph
def outer(count: int) -> Any:
    return total([inner(count), inner(count)])


class Load:
    """Submits one run after the other until it is stopped."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._submit)
        self._thread.start()

    def _submit(self) -> None:
        while not self._end.wait(0.02):
            self.ids.append(work.submit(1).id)

    def stop(self) -> list[str]:
        self._end.set()
        self._thread.join()
        return self.ids


def obey() -> None:
    """A program that submits: told by lines of JSON what to do, it answers each with one."""
    load: Load | None = None
    for line in sys.stdin:
        ask = json.loads(line)
        answer: Any = None
        match ask["verb"]:
            case "version":
                answer = version()
            case "submit":
                answer = [run.id for run in work.submit_many(list(range(ask["count"])))]
            case "later":
                answer = work.with_options(delay="1h").submit(1).id
            case "graph":
                answer = [outer.submit(ask["count"]).id for _ in range(ask["runs"])]
            case "cancel":
                app.run(ask["id"]).cancel()
            case "result":
                answer = app.run(ask["id"]).result(60)
            case "load":
                load = Load()
            case "stop":
                answer = load.stop() if load else []
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    obey()
    app.close()
