"""`python -m tests.browser.screenshots`: pictures of the pages, from a real server with real data.

The chosen ones go into docs/images; with `--all` every page, by day and by night, wide and narrow,
with much and with nothing on it, goes into build/screenshots, to be looked through.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from rota.store.open import open_store
from tests.browser.chromium import FLAGS, MISSING, find_chromium
from tests.browser.past import give_past
from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visitor, settle
from tests.support.cli import Rota, eventually
from tests.support.source import ROOT

CHOSEN_FOLDER = ROOT / "docs" / "images"
ALL_FOLDER = ROOT / "build" / "screenshots"
WIDE, NARROW = (1440, 900), (390, 844)
LOW = (1440, 600)
"""For long lists: more of the same tells nothing."""
LARGEST_BYTES = 150_000
Theme = Literal["light", "dark"]


class Shot(NamedTuple):
    """One picture."""

    name: str
    place: str
    theme: Theme = "light"
    size: tuple[int, int] = WIDE


CHOSEN = (
    Shot("overview", "/?window=24h"),
    Shot("graph-dark", "/runs/{graph}", "dark"),
    Shot("job", "/jobs/charge"),
    Shot("run-log", "/runs/{talking}"),
    Shot("dead-letters-dark", "/dead-letters?group={group}", "dark", LOW),
    Shot("schedules", "/schedules?tab=week"),
    Shot("phone", "/?window=24h", size=NARROW),
    Shot("phone-run-dark", "/runs/{graph}", "dark", NARROW),
)
PLACES = {
    "overview": "/",
    "overview-day": "/?window=24h",
    "jobs": "/jobs",
    "templates": "/jobs?tab=templates",
    "job": "/jobs/charge",
    "job-runs": "/jobs/charge?tab=runs",
    "job-definition": "/jobs/charge?tab=definition",
    "job-schedules": "/jobs/nightly_backup?tab=schedules",
    "job-versions": "/jobs/charge?tab=versions",
    "runs": "/runs",
    "runs-failed": "/runs?status=failed",
    "run-log": "/runs/{talking}",
    "run-data": "/runs/{bad}?tab=data",
    "run-failed": "/runs/{bad}",
    "run-attempts": "/runs/{bad}?tab=attempts",
    "run-compare": "/runs/{bad}?tab=compare",
    "run-waiting": "/runs/{waiting}",
    "graph": "/runs/{graph}",
    "graph-node": "/runs/{graph}?node=pack",
    "graph-gantt": "/runs/{graph}?tab=gantt",
    "graph-steps": "/runs/{graph}?tab=children",
    "graphs": "/graphs",
    "graph-grid": "/graphs/fulfil",
    "graph-definition": "/graphs/fulfil?tab=graph",
    "queues": "/queues",
    "workers": "/workers",
    "dead-letters": "/dead-letters?group={group}",
    "dead-letter": "/dead-letters?group={group}&id={bad}",
    "schedules": "/schedules",
    "week": "/schedules?tab=week",
    "backfills": "/schedules?tab=backfills",
    "calendars": "/schedules?tab=calendars",
    "maintenance": "/schedules?tab=windows",
    "schedule": "/schedules?edit=nightly_backup",
    "audit": "/audit",
    "tokens": "/access",
    "namespaces": "/access?tab=namespaces",
    "settings": "/settings",
    "nowhere": "/no/such/page",
}
OF_A_SHOP = ("job-", "graph-", "schedule-")
"""What an empty server has not."""


@contextmanager
def furnished() -> Iterator[tuple[Site, dict[str, str]]]:
    """A shop with a past and a present; and the names that addresses need."""
    with _folder() as folder:
        url = f"sqlite:///{folder}/rota.db"
        open_store(url).close()
        give_past(url, int(time.time() * 1000))
        with _site(folder, url, "rota.cli.demo.shop:app") as site:
            yield site, live_a_little(site)


@contextmanager
def empty() -> Iterator[Site]:
    """A server on its first day."""
    with _folder() as folder:
        (folder / "nothing.py").write_text("from rota import App\n\napp = App()\n")
        with _site(folder, f"sqlite:///{folder}/rota.db", "nothing:app") as site:
            yield site


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rota-screenshots-") as name:
        yield Path(name)


@contextmanager
def _site(folder: Path, url: str, app: str) -> Iterator[Site]:
    settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
    rota = Rota(folder, ROTA_URL=url, **settings)
    with rota.serving("up", app, "--url", url) as served:
        site = Site(served, folder)
        yield site
        site.api.close()


def live_a_little(site: Site) -> dict[str, str]:
    site.post("/schedules/look_around/pause", note="Too lively for a picture.")
    site.post("/queues/newsletter/pause", note="The printer is out of paper; Ada brings some.")
    today = datetime.now(UTC).date().isoformat()
    known = {
        "waiting": site.submit("send_newsletter", issue=12),
        "talking": site.submit("import_orders", count=900),
        "bad": site.submit("sync_stock", warehouse="north"),
        "graph": site.submit("fulfil", day=today, fragile="Rome"),
    }
    more = [site.submit("sync_stock", warehouse="north") for _ in range(4)]
    more += [site.submit("fulfil", day=today) for _ in range(3)]
    site.post("/runs", jobId="send_report", args={"day": "tomorrow"}, delay="20m")
    for run_id in (known["bad"], known["graph"], *more):
        eventually(lambda run_id=run_id: site.run(run_id)["finishedAt"], f"{run_id} has ended")  # type: ignore[misc]  # bound now
    return known | {"group": site.get(f"/dead-letters/{known['bad']}")["group"]}


def signed_in(browser: Browser, site: Site) -> StorageState:
    """The cookie of one session for all pictures."""
    made = site.post("/tokens", name="ada", roles=["admin", "exec"])
    context = browser.new_context(base_url=site.address)
    Visitor(context, site.address).sign_in(made["token"])
    state = context.storage_state()
    context.close()
    return state


def take(browser: Browser, site: Site, shot: Shot, path: Path, **options: Any) -> None:
    width, height = shot.size
    context = browser.new_context(
        base_url=site.address,
        viewport={"width": width, "height": height},
        color_scheme=shot.theme,
        locale="en-GB",
        timezone_id="Europe/Paris",
        reduced_motion="reduce",
        is_mobile=width < WIDE[0],
        **options,
    )
    page = Visitor(context, site.address).page(shot.place)
    settle(page)
    _rest(page)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, animations="disabled", caret="hide")
    context.close()


def _rest(page: Page) -> None:
    """Fonts, charts and pictures of graphs come a moment after their page."""
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(700)


def shots_of(known: dict[str, str], *, everything: bool) -> Iterator[tuple[Shot, Path]]:
    if not everything:
        for shot in CHOSEN:
            found = shot._replace(place=shot.place.format(**known))
            yield found, CHOSEN_FOLDER / f"{shot.name}.png"
        return
    yield from each_way({name: place.format(**known) for name, place in PLACES.items()}, "")


def shots_of_little() -> Iterator[tuple[Shot, Path]]:
    """Of the pages that an empty server has."""
    places = {name: place for name, place in PLACES.items() if not name.startswith(OF_A_SHOP)}
    return each_way({name: place for name, place in places.items() if "{" not in place}, "empty-")


def each_way(places: dict[str, str], prefix: str) -> Iterator[tuple[Shot, Path]]:
    themes: tuple[Theme, ...] = ("light", "dark")
    for (name, place), theme, size in product(places.items(), themes, (WIDE, NARROW)):
        path = ALL_FOLDER / f"{prefix}{name}-{theme}-{size[0]}.png"
        yield Shot(name, place, theme, size), path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every page, into build/screenshots")
    asked = parser.parse_args()
    program = find_chromium()
    if program is None:
        print(MISSING)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        with furnished() as (site, known):
            taken = take_all(browser, site, shots_of(known, everything=asked.all))
        if asked.all:
            with empty() as site:
                take_all(browser, site, shots_of_little())
        browser.close()
    too_large = [path.name for path, size in taken.items() if size > LARGEST_BYTES]
    if too_large and not asked.all:
        print(f"more than {LARGEST_BYTES / 1000:.0f} KB: {', '.join(too_large)}")
        return 1
    return 0


def take_all(browser: Browser, site: Site, shots: Iterator[tuple[Shot, Path]]) -> dict[Path, int]:
    """How many bytes each picture has."""
    state, taken = signed_in(browser, site), {}
    for shot, path in shots:
        take(browser, site, shot, path, storage_state=state)
        taken[path] = path.stat().st_size
        print(f"{path.relative_to(ROOT)}  {taken[path] / 1000:.0f} KB", flush=True)
    return taken


if __name__ == "__main__":
    raise SystemExit(main())
