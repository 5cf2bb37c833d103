"""The jobs of these tests. Files say how far they may go, so nothing depends on how fast it is."""

from __future__ import annotations

import enum
import logging
import time
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Literal

import pydantic

from rota import App, current_run, group, progress

app = App()
WIDE = 200
LANES, WIDE_LANE = 10, 30
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


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Line:
    item: str
    many: int = 1


class Address(pydantic.BaseModel):
    street: str
    floor: int | None = None


@dataclass
class Purchase:
    day: date
    lines: list[Line]
    colour: Colour = Colour.RED


@app.job
def buy(
    purchase: Purchase,
    to: Address,
    wait: timedelta = timedelta(hours=1),
    at: datetime | None = None,
) -> str:
    many = sum(line.many for line in purchase.lines)
    return f"{many} {purchase.colour.value} on {purchase.day} to {to.street}, {wait}, {at}"


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
def hold_all(folder: str) -> list[str]:
    return hold.map(collect(folder))


@app.graph(schedule="30 5 * * *", timezone="UTC")
def nightly(folder: str = "/nowhere") -> str:
    """Two groups; the second one fails until a file is there."""
    with group("fetching"):
        collected = collect(folder)
        packed = pack.map(collected)
    with group("sending"):
        return thank(ship(packed, folder))


@app.graph
def wide(item: str) -> str:
    """So many nodes that a page draws only those in sight."""
    first = pack(item)
    for _ in range(WIDE):
        pack(first)
    return first


@app.graph
def broad(item: str) -> str:
    """Three hundred nodes in ten groups, a column each."""
    last = pack(item)
    for lane in range(LANES):
        with group(f"lane_{lane}"):
            packed = [pack.node(name=f"lane_{lane}_pack_{at}")(last) for at in range(WIDE_LANE)]
        last = packed[0]
    return last


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
