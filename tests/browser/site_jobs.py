"""The jobs of these tests. Files say how far they may go, so nothing depends on how fast it is."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Literal

from rota import App, current_run, group, progress

app = App()
WIDE = 200
HOSTILE = '<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>'


@app.job
def greet(name: str, times: int = 1, tone: Literal["warm", "cold"] = "warm") -> str:
    """Says hello, as often as wanted."""
    for _ in range(times):
        print(f"hello {name}")
    return f"{tone} greetings to {name}, {times} times"


@app.job
def weigh(share: float) -> float:
    return share


@app.job(queue="slow")
def hold(path: str) -> str:
    """Runs until the file exists."""
    progress(0.5, "half way")
    wait_for(path)
    return "released"


@app.job(queue="slow")
def talk(path: str) -> None:
    """Says one thing, and another when the file exists."""
    print("the first thing")
    wait_for(path)
    logging.getLogger("talk").warning("the \x1b[31msecond\x1b[0m thing")
    wait_for(f"{path}.end")


@app.job(queue="slow", retries=0)
def collapse(path: str) -> None:
    """Runs until the file exists, then fails."""
    wait_for(path)
    raise OSError(f"the bridge at {Path(path).name} gave way")


@app.job(retries=0)
def deliver(path: str) -> str:
    """Fails until the file exists."""
    if not Path(path).exists():
        raise ConnectionError(f"nobody opens at {Path(path).name}")
    return "delivered"


@app.job
def collect(folder: str) -> list[str]:
    return [f"{folder}/a", f"{folder}/b"]


@app.job
def pack(item: str) -> str:
    return f"{Path(item).name} in a box"


@app.job(retries=0)
def ship(parts: list[str], folder: str) -> str:
    return f"{len(parts)} parts {deliver(f'{folder}/open')}"


@app.job
def thank(shipped: str) -> str:
    return f"thanks: {shipped}"


@app.graph
def order(folder: str) -> str:
    with group("packing"):
        packed = pack.map(collect(folder))
    return thank(ship(packed, folder))


@app.graph
def deliver_all(folder: str) -> list[str]:
    return deliver.map(collect(folder))


@app.graph
def wide(item: str) -> str:
    """So many nodes that a page draws only those in sight."""
    first = pack(item)
    for _ in range(WIDE):
        pack(first)
    return first


@app.job(schedule="0 6 * * mon-fri", timezone="Europe/Paris", retries=0)
def report(day: str = "today") -> str:
    """Fires in the morning, so not while these tests look at it."""
    return f"the report of {day}"


@app.job(retries=0)
def repeat(text: str) -> str:
    """Says whatever it is told, in every place a page may show it."""
    progress(0.5, text)
    print(text)
    print(f"\x1b]8;;javascript:alert(1)\x07{text}\x1b[31;1m red \x1b[0m")
    raise RuntimeError(text)


def wait_for(path: str) -> None:
    while not Path(path).exists():
        current_run().check()
        time.sleep(0.01)
