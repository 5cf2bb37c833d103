"""The web UI in a real Chromium: `python -m bench.web [--quick] [--only sqlite|postgres]`.

First paint, a picture of a graph of a thousand nodes, a list over a million runs, and frames while
500 states change in a second. Browser, server, worker and database share the machine.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import Event, Thread
from typing import Any, NamedTuple

import click
from playwright.sync_api import Browser, Page, sync_playwright
from rich.console import Console
from rich.table import Table

from bench import web_jobs
from bench.backlog import fill
from bench.measures import STORES, Figures, StoreName, Target, percentile
from bench.table import number
from bench.wire import NOOP
from rota.engine.jobs.definitions import define
from rota.store.open import open_store
from tests.browser.chromium import FLAGS, MISSING, find_chromium
from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visitor, first_paint_ms, settle
from tests.support.cli import Rota, eventually
from tests.support.postgres import PostgresServer

JOBS = Path(web_jobs.__file__)
JSON_PATH = Path("build/bench-web.json")
CHANGES_A_RUN = 3
"""The changes of a run: queued, running, ended."""
BATCH_S = 0.1
FILTERS = (
    *("", "?status=success", "?status=failed", "?status=scheduled", "?jobId=noop"),
    *("?queue=default", "?since=24h"),
)


class Line(NamedTuple):
    """One line of the table."""

    name: str
    title: str
    target: Target | None = None


LINES = (
    Line("paint_ms", "first contentful paint, ms", Target(at_most=1_500)),
    Line("script_kb", "script of the first load, KB over the wire", Target(at_most=250)),
    Line("grouped_ms", "graph of 1,000 nodes in groups: interactive, ms", Target(at_most=2_000)),
    Line("plain_ms", "graph of 1,000 nodes, all drawn: interactive, ms", Target(at_most=2_000)),
    Line("list_rows", "runs in the store of the lists"),
    Line("list_ms", "slowest list of runs: answered, ms", Target(at_most=200)),
    Line("list_shown_ms", "the same: shown, ms"),
    Line("changes", "changes a second while the list is scrolled"),
    Line("frame_p50_ms", "frame, p50 ms"),
    Line("frame_p95_ms", "frame, p95 ms", Target(at_most=34)),
    Line("frame_p99_ms", "frame, p99 ms"),
)


class Sizes(NamedTuple):
    """The amount of work."""

    loads: int
    runs: int
    changes: int
    scroll_ms: int


FULL = Sizes(loads=7, runs=1_000_000, changes=500, scroll_ms=10_000)
QUICK = Sizes(loads=2, runs=2_000, changes=100, scroll_ms=1_500)

NEXT_TASK = """
() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0))))
"""
SCRIPTS = """
() => performance.getEntriesByType("resource")
  .filter((each) => each.initiatorType === "script" || each.name.endsWith(".js"))
  .reduce((sum, each) => sum + each.transferSize, 0) / 1000
"""
ANSWERS = """
() => performance.getEntriesByType("resource")
  .filter((each) => /\\/api\\/v1\\/runs(\\?|$)/.test(each.name))
  .map((each) => each.responseEnd - each.requestStart)
"""
SCROLL = """
(span) => new Promise((done) => {
  const frames = [];
  const begin = performance.now();
  let last = begin, step = 14;
  const tick = (now) => {
    frames.push(now - last);
    last = now;
    const bottom = document.documentElement.scrollHeight - innerHeight - 2;
    if (scrollY >= bottom) step = -14;
    if (scrollY <= 0) step = 14;
    scrollBy(0, step);
    if (now - begin < span) requestAnimationFrame(tick); else done(frames.slice(2));
  };
  requestAnimationFrame(tick);
})
"""


class Visits:
    """Pages of fresh browsers with empty caches."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self._browser = browser
        self._site = site

    @contextmanager
    def page(self, path: str) -> Iterator[Page]:
        context = self._browser.new_context(
            base_url=self._site.address, viewport={"width": 1440, "height": 900}
        )
        visitor = Visitor(context, self._site.address)
        visitor.sign_in(ADMIN)
        try:
            yield visitor.page(path)
        finally:
            context.close()

    def median(self, path: str, loads: int, look: Callable[[Page], float]) -> float:
        """Return the median of several first loads."""
        found = []
        for _ in range(loads):
            with self.page(path) as page:
                found.append(look(page))
        return median(found)


def paint(page: Page) -> float:
    settle(page)
    return first_paint_ms(page)


def weight(page: Page) -> float:
    settle(page)
    return float(page.evaluate(SCRIPTS))


def interactive(page: Page) -> float:
    """Return the time from the navigation until nodes are drawn and the page accepts a click."""
    page.wait_for_selector(".react-flow__node")
    return float(page.evaluate(NEXT_TASK))


def measure_pages(visits: Visits, site: Site, sizes: Sizes) -> Figures:
    figures = {
        "paint_ms": visits.median("/", sizes.loads, paint),
        "script_kb": visits.median("/", 1, weight),
    }
    for name in ("grouped", "plain"):
        run_id = site.submit_and_wait(name, "success")
        figures[f"{name}_ms"] = visits.median(f"/runs/{run_id}", sizes.loads, interactive)
    return figures


def measure_lists(visits: Visits, sizes: Sizes) -> Figures:
    """Load each list several times; the slowest of their medians counts."""
    answered, shown = [], []
    for each in FILTERS:
        took: list[tuple[float, float]] = []
        for _ in range(sizes.loads):
            with visits.page(f"/runs{each}") as page:
                settle(page)
                at = float(page.evaluate("performance.now()"))
                took.append((max(page.evaluate(ANSWERS)), at))
        answered.append(median(one for one, _ in took))
        shown.append(median(other for _, other in took))
    return {"list_rows": sizes.runs, "list_ms": max(answered), "list_shown_ms": max(shown)}


def measure_frames(visits: Visits, url: str, sizes: Sizes) -> Figures:
    with submitting(url, sizes.changes) as counted, visits.page("/runs") as page:
        settle(page)
        page.get_by_role("row").nth(10).wait_for()
        before = counted()
        frames = page.evaluate(SCROLL, sizes.scroll_ms)
        runs = counted() - before
    return {
        "changes": runs * CHANGES_A_RUN / (sizes.scroll_ms / 1000),
        "frame_p50_ms": percentile(frames, 0.5),
        "frame_p95_ms": percentile(frames, 0.95),
        "frame_p99_ms": percentile(frames, 0.99),
    }


@contextmanager
def submitting(url: str, changes: int) -> Iterator[Callable[[], int]]:
    """Submit a batch of runs ten times a second; yields a function that returns their number."""
    stop, sent = Event(), [0]
    rate = changes / CHANGES_A_RUN

    def submit() -> None:
        begin_s = time.monotonic()
        while not stop.wait(BATCH_S):
            due = round((time.monotonic() - begin_s) * rate) - sent[0]
            web_jobs.noop.submit_many([() for _ in range(due)])
            sent[0] += due
        web_jobs.app.close()

    web_jobs.app.url = url
    thread = Thread(target=submit)
    thread.start()
    try:
        eventually(lambda: sent[0] >= rate, "runs come")
        yield lambda: sent[0]
    finally:
        stop.set()
        thread.join()


@contextmanager
def site_of(url: str, folder: Path) -> Iterator[Site]:
    settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
    rota = Rota(folder, ROTA_URL=url, **settings)
    with rota.serving("up", str(JOBS)) as served:
        site = Site(served, folder)
        try:
            yield site
        finally:
            site.api.close()


def measure(browser: Browser, urls: tuple[str, str], folder: Path, sizes: Sizes) -> Figures:
    """Return all figures of one store, given two empty ones of its kind."""
    busy, full = urls
    with site_of(busy, folder) as site:
        visits = Visits(browser, site)
        figures = measure_pages(visits, site, sizes) | measure_frames(visits, busy, sizes)
    store = open_store(full)
    store.write(lambda tx: define(tx, NOOP, namespace="default", origin="api"))
    store.close()
    fill(full, sizes.runs // 2)  # of each kind, to come and ended
    with site_of(full, folder) as site:
        return figures | measure_lists(Visits(browser, site), sizes)


def table_of(found: dict[StoreName, Figures]) -> Table:
    table = Table(title="The web UI in Chromium", title_justify="left")
    table.add_column("measure", no_wrap=True)
    for heading in (*found, "target", "met"):
        table.add_column(heading, justify="right", no_wrap=True)
    for line in LINES:
        values = [figures[line.name] for figures in found.values()]
        met = ""
        if line.target is not None:
            good = all(line.target.is_met(value, None) for value in values)
            met = "[green]yes[/green]" if good else "[red]no[/red]"
        table.add_row(line.title, *map(number, values), str(line.target or ""), met)
    return table


@click.command()
@click.option("--quick", is_flag=True, help="Less of everything: to see that it works.")
@click.option("--only", type=click.Choice(STORES))
@click.option("--json", "json_path", type=Path, default=JSON_PATH, show_default=True)
def main(*, quick: bool, only: StoreName | None, json_path: Path) -> None:
    """Measure the web UI."""
    program = find_chromium()
    if program is None:
        raise click.ClickException(MISSING)
    sizes = QUICK if quick else FULL
    found: dict[StoreName, Figures] = {}
    console = Console(width=None if Console().is_terminal else 110)
    with tempfile.TemporaryDirectory(prefix="rota-bench-") as name, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        folder = Path(name)
        if only != "postgres":
            urls = (f"sqlite:///{folder}/busy.db", f"sqlite:///{folder}/full.db")
            found["sqlite"] = measure(browser, urls, folder, sizes)
            console.print(table_of(found))
        if only != "sqlite":
            with PostgresServer(fsync=True) as server:
                urls = (server.create_database(), server.create_database())
                found["postgres"] = measure(browser, urls, folder, sizes)
            console.print(table_of(found))
        browser.close()
    json_path.parent.mkdir(parents=True, exist_ok=True)
    json_path.write_text(json.dumps(_rounded(found), indent=2) + "\n")


def _rounded(found: dict[StoreName, Figures]) -> dict[str, Any]:
    return {
        store: {name: round(value, 2) for name, value in figures.items()}
        for store, figures in found.items()
    }


if __name__ == "__main__":
    main()
