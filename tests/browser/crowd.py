"""A crowd for the pictures: the longest names, many of everything, long errors and logs.

What fits here fits anywhere.
"""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any

from rota import App, current_run, group, progress
from tests.browser.site import Site
from tests.support.cli import eventually

app = App()
LONG = (
    "reconcile-the-ledgers-of-all-subsidiaries-in-europe-the-middle-east-and-africa"
    "-with-those-of-the-banks_nightly-and-again-at-noon"
)[:120]
LONG_QUEUE = f"queue-for-everything-that-may-wait-until-the-others-are-done-{'and-longer-' * 6}"[
    :120
]
WORLD = "Żółć 東京都千代田区 שלום مرحبا Ελλάδα 🎉 naïve coöperation"
ENDLESS = "x" * 400
JOBS, QUEUES, LETTERS, TOKENS, NAMESPACES = 70, 40, 36, 24, 9
WAITING, LINES, PARCELS = 12_000, 3_000, 120


def _make(number: int) -> None:
    tall = {"schedule": f"{number % 60} {number % 24} * * *"} if number % 2 else {}
    name = f"{LONG[:110]}-{number:03}" if number % 9 == 0 else f"tenant-{number:03}.sync"

    @app.job(name=name, queue=f"tenant-{number % QUEUES:02}", retries=0, **tall)
    def work(fail: str = "") -> str:
        """Does what the others do, for another tenant."""
        if fail:
            raise RuntimeError(fail)
        return "done"


for _number in range(JOBS):
    _make(_number)


@app.job(name=LONG, queue=LONG_QUEUE, retries=1, backoff="fixed", retry_delay="100ms")
def fail_at_length(text: str, note: str = WORLD, deep: int = 12) -> str:
    """Fails with an error that fills a page, far down in the calls. 長い説明 too."""
    logging.getLogger("crowd").warning("about to fail: %s", note)
    if deep:
        return fail_at_length(text, note, deep - 1)
    raise ValueError(f"{text} {ENDLESS}\n" + f"a line of the cause, in {WORLD}\n" * 40)


@app.job(timeout="10m")
def talk_much(until: str) -> str:
    """A long log in all colours, one line without end, then it goes on."""
    for line in range(LINES):
        print(f"\x1b[{31 + line % 6}m{line:05}\x1b[0m \x1b[1m{WORLD}\x1b[0m step {line % 17}")
    print(ENDLESS * 5)
    logging.getLogger("crowd").error("one that matters: %s", ENDLESS)
    progress(0.4217, f"12,345 of 29,274 rows of {WORLD}")
    while not Path(until).exists():
        current_run().check()
        time.sleep(0.05)
    return "over"


@app.job
def gather(many: int) -> list[int]:
    return list(range(many))


@app.job(retries=0)
def weigh(item: int) -> int:
    if item % 29 == 3:
        raise ValueError(f"parcel {item} is too heavy for {WORLD}")
    return item


@app.job(name=f"{LONG[:114]}.join", retries=0)
def merge(parts: Any = None, first: Any = None, extra: Any = None) -> int:
    return 1


@app.graph
def skipping(many: int = PARCELS) -> int:
    """Edges that skip layers, a map of many, groups, and the longest name."""
    first = gather(many)
    with group("weighing"):
        weighed = weigh.map(first)
    chain: Any = first
    for _ in range(5):
        chain = merge(chain, first)
    side = merge(first)
    with group("a_group_with_a_name_that_does_not_end_soon"):
        mixed = [merge(chain, first, side) for _ in range(9)]
    last = merge(mixed, first)
    merge(weighed, last)
    return merge(last, first, side)


def furnish_much(site: Site) -> dict[str, str]:
    """Runs of all kinds, and the names that addresses need."""
    site.post("/queues/tenant-00/pause", note=f"Paused by hand. {WORLD} {ENDLESS[:120]}")
    _wait_in_line(site)
    _access(site)
    _calendar(site)
    letters = [_fail(site, number) for number in range(LETTERS)]
    known = {
        "talking": site.submit("talk_much", until=str(site.path())),
        "bad": site.submit(LONG, text="The ledger does not balance:"),
        "graph": site.submit("skipping"),
        "waiting": site.submit(f"{LONG[:110]}-000"),
        "done": site.submit("tenant-001.sync"),
    }
    for run_id in (known["bad"], known["graph"], known["done"], *letters):
        eventually(lambda run_id=run_id: site.run(run_id)["finishedAt"], f"{run_id} has ended")  # type: ignore[misc]  # bound now
    group_id = site.get(f"/dead-letters/{known['bad']}")["group"]
    return known | {"group": group_id, "long": LONG}


def _wait_in_line(site: Site) -> None:
    job = f"{LONG[:110]}-000"
    for _ in range(WAITING // 1000):
        site.post("/runs/bulk", runs=[{"jobId": job}] * 1000)


def _fail(site: Site, number: int) -> str:
    words = "abcdefghijklmnopqrstuvwxyzäöüßéèçñøåłžš東京都"
    return site.submit(
        f"tenant-{number + 1 if (number + 1) % 9 else number + 2:03}.sync",
        fail=f"{words[number]} {WORLD} {'is not there ' * (1 + number % 5)}",
    )


def _access(site: Site) -> None:
    for number in range(TOKENS):
        name = f"{WORLD} {number}" if number % 3 else f"ci-{LONG[:80]}-{number}"
        site.post("/tokens", name=name[:100], roles=["viewer", "operator"], expires="90d")
    for number in range(NAMESPACES):
        name = f"tenant-{number}-{LONG[:40]}" if number % 2 else f"team-{number}"
        site.post("/namespaces", name=name, note=f"{WORLD} {ENDLESS[:90]}")


def _calendar(site: Site) -> None:
    days = [f"2026-{month:02}-{day:02}" for month in range(1, 13) for day in (3, 14, 27)]
    for name in ("banks-of-europe", LONG[:60]):
        site.api.put(f"/calendars/{name}", json={"country": "FR", "off": days}).raise_for_status()
    body = {
        "kind": "skip",
        "trigger": "0 2 * * sun",
        "duration": "2h",
        "note": f"{WORLD} {ENDLESS[:100]}",
    }
    site.api.put(f"/blackouts/{LONG[:70]}", json=body).raise_for_status()
