"""`python -m tests.browser.screenshots`: pictures of the pages, from a real server with real data.

The chosen ones go into docs/images; with `--all` every page, by day and by night, wide and narrow,
goes into build/screenshots, to be looked through.
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
    "job": "/jobs/charge",
    "job-schedules": "/jobs/nightly_backup?tab=schedules",
    "job-versions": "/jobs/charge?tab=versions",
    "runs": "/runs",
    "runs-failed": "/runs?status=failed",
    "run-log": "/runs/{talking}",
    "run-data": "/runs/{bad}?tab=data",
    "run-attempts": "/runs/{bad}?tab=attempts",
    "run-waiting": "/runs/{waiting}",
    "graph": "/runs/{graph}",
    "graph-node": "/runs/{graph}?node=pack",
    "graph-gantt": "/runs/{graph}?tab=gantt",
    "graphs": "/graphs",
    "graph-grid": "/graphs/fulfil",
    "graph-definition": "/graphs/fulfil?tab=graph",
    "queues": "/queues",
    "workers": "/workers",
    "dead-letters": "/dead-letters?group={group}",
    "dead-letter": "/dead-letters?group={group}&id={bad}",
    "schedules": "/schedules",
    "week": "/schedules?tab=week",
    "schedule": "/schedules?edit=nightly_backup",
    "audit": "/audit",
    "tokens": "/access",
    "settings": "/settings",
}


@contextmanager
def furnished() -> Iterator[tuple[Site, dict[str, str]]]:
    """A shop with a past and a present; and the names that addresses need."""
    with tempfile.TemporaryDirectory(prefix="rota-screenshots-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/rota.db"
        open_store(url).close()
        give_past(url, int(time.time() * 1000))
        settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
        rota = Rota(folder, ROTA_URL=url, **settings)
        with rota.serving("up", "rota.cli.demo.shop:app", "--url", url) as served:
            site = Site(served, folder)
            yield site, live_a_little(site)
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
    themes: tuple[Theme, ...] = ("light", "dark")
    for (name, place), theme, size in product(PLACES.items(), themes, (WIDE, NARROW)):
        path = ALL_FOLDER / f"{name}-{theme}-{size[0]}.png"
        yield Shot(name, place.format(**known), theme, size), path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every page, into build/screenshots")
    asked = parser.parse_args()
    program = find_chromium()
    if program is None:
        print(MISSING)
        return 1
    too_large = []
    with furnished() as (site, known), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        state = signed_in(browser, site)
        for shot, path in shots_of(known, everything=asked.all):
            take(browser, site, shot, path, storage_state=state)
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}  {size / 1000:.0f} KB", flush=True)
            if not asked.all and size > LARGEST_BYTES:
                too_large.append(path.name)
        browser.close()
    if too_large:
        print(f"more than {LARGEST_BYTES / 1000:.0f} KB: {', '.join(too_large)}")
    return int(bool(too_large))


if __name__ == "__main__":
    raise SystemExit(main())
