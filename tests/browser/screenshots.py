"""`python -m tests.browser.screenshots`: pictures of the pages, from a real server with real data.

The chosen ones go into docs/images; with `--all` every page, by day and by night, wide and narrow,
of a shop, of a crowd and of an empty server, goes into build/screenshots, to be looked through;
what is wider than its screen is told.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, Error, Page, StorageState, sync_playwright

from rota.store.open import open_store
from tests.browser import crowd
from tests.browser.chromium import FLAGS, MISSING, find_chromium
from tests.browser.gallery import CROWD, PLAIN, SHOP, View, Who
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
TALLEST = 1_900
"""Beyond this a list only goes on."""
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
def empty() -> Iterator[tuple[Site, dict[str, str]]]:
    """A server on its first day."""
    with _folder() as folder:
        (folder / "nothing.py").write_text("from rota import App\n\napp = App()\n")
        with _site(folder, f"sqlite:///{folder}/rota.db", "nothing:app") as site:
            yield site, {}


@contextmanager
def crowded() -> Iterator[tuple[Site, dict[str, str]]]:
    """Many of everything, with the longest names."""
    with _folder() as folder:
        url = f"sqlite:///{folder}/rota.db"
        with _site(folder, url, str(Path(crowd.__file__)), "--slots", "8") as site:
            yield site, crowd.furnish_much(site)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rota-screenshots-") as name:
        yield Path(name)


@contextmanager
def _site(folder: Path, url: str, app: str, *options: str) -> Iterator[Site]:
    settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
    rota = Rota(folder, ROTA_URL=url, **settings)
    with rota.serving("up", app, "--url", url, *options) as served:
        site = Site(served, folder)
        yield site
        site.api.close()


def live_a_little(site: Site) -> dict[str, str]:
    tell_people(site)
    site.post("/schedules/look_around/pause", note="Too lively for a picture.")
    site.post("/queues/newsletter/pause", note="The printer is out of paper; Ada brings some.")
    plan_a_little(site)
    today = datetime.now(UTC).date().isoformat()
    known = {
        "waiting": site.submit("send_newsletter", issue=12),
        "talking": site.submit("import_orders", count=900),
        "bad": site.submit("sync_stock", warehouse="north"),
        "graph": site.submit("fulfil", day=today, fragile="Rome"),
        "done": site.submit("warm_caches"),
        "cancelled": site.submit("send_newsletter", issue=11),
    }
    site.post(f"/runs/{known['cancelled']}/cancel", reason="Printed by mistake.")
    more = [site.submit("sync_stock", warehouse="north") for _ in range(4)]
    more += [site.submit("fulfil", day=today) for _ in range(3)]
    later = site.post("/runs", jobId="send_report", args={"day": "tomorrow"}, delay="20m")
    known["asleep"] = later["executionId"]
    for run_id in (known["bad"], known["graph"], known["done"], *more):
        eventually(lambda run_id=run_id: site.run(run_id)["finishedAt"], f"{run_id} has ended")  # type: ignore[misc]  # bound now
    return known | {"group": site.get(f"/dead-letters/{known['bad']}")["group"]}


def tell_people(site: Site) -> None:
    """Rules and channels, of which nothing leaves the machine."""
    site.put("/alert-channels/on-call", url="http://127.0.0.1:9/hook", secret="a key of both")
    mail = "smtps://127.0.0.1:9/?from=rota@shop.example&to=ada@shop.example"
    site.put("/alert-channels/office", url=mail, note="Read in the morning.")
    on = ["run.failed", "cause.new", "schedule.paused", "breaker.open"]
    site.put("/alert-rules/failures", on=on, to=["on-call"], severity="critical")
    quiet = {"begin": "22:00", "end": "07:00", "zone": "Europe/Paris"}
    site.put(
        "/alert-rules/queues",
        on=["queue.unserved", "queue.paused"],
        to=["office"],
        severity="warning",
        quiet=quiet,
        note="Not worth a night.",
    )


def plan_a_little(site: Site) -> None:
    """A day off that moves a firing, and nights on which the backup ran."""
    now = datetime.now(UTC).replace(hour=1, minute=30, second=0, microsecond=0)
    site.put(
        "/calendars/stocktaking", weekend=[], off=[(now + timedelta(days=2)).date().isoformat()]
    )
    daily = {"expression": "0 9 * * *", "zone": "Europe/Paris", "calendar": "stocktaking"}
    site.put("/schedules/pay_suppliers", job="morning_figures", **daily, roll="next")
    for days in range(5, 0, -1):
        night = (now - timedelta(days=days)).isoformat()
        site.post("/schedules/nightly_backup/trigger", scheduledFor=night)


def signed_in(browser: Browser, site: Site, *roles: str) -> StorageState:
    """The cookie of one session for all pictures."""
    made = site.post("/tokens", name="ada", roles=list(roles or ("admin", "exec")))
    context = browser.new_context(base_url=site.address)
    Visitor(context, site.address).sign_in(made["token"])
    state = context.storage_state()
    context.close()
    return state


def visitor_of(
    browser: Browser, site: Site, theme: Theme, size: tuple[int, int], state: StorageState | None
) -> Visitor:
    width, height = size
    context = browser.new_context(
        base_url=site.address,
        viewport={"width": width, "height": height},
        color_scheme=theme,
        locale="en-GB",
        timezone_id="Europe/Paris",
        reduced_motion="reduce",
        is_mobile=width < WIDE[0],
        storage_state=state,
    )
    return Visitor(context, site.address)


def take(browser: Browser, site: Site, shot: Shot, path: Path, state: StorageState) -> None:
    visitor = visitor_of(browser, site, shot.theme, shot.size, state)
    page = visitor.page(shot.place)
    settle(page)
    _rest(page)
    path.parent.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=path, animations="disabled", caret="hide")
    visitor.context.close()


def _rest(page: Page) -> None:
    """Fonts, charts and pictures of graphs come a moment after their page."""
    page.evaluate("document.fonts.ready.then(() => true)")
    page.wait_for_timeout(700)


WORLDS = {"shop": (furnished, SHOP), "crowd": (crowded, CROWD), "empty": (empty, PLAIN)}
WAYS: tuple[tuple[Theme, tuple[int, int]], ...] = (
    *(("light", WIDE), ("light", NARROW)),
    *(("dark", WIDE), ("dark", NARROW)),
)


def walk_through(browser: Browser, world: str, only: str) -> None:
    """Pictures of all that a server shows, into a folder of its name."""
    enter, views = WORLDS[world]
    with enter() as (site, known):
        cookies: dict[Who, StorageState | None] = {
            "admin": signed_in(browser, site),
            "viewer": signed_in(browser, site, "viewer"),
            "nobody": None,
        }
        for (theme, size), who in product(WAYS, cookies):
            visitor = visitor_of(browser, site, theme, size, cookies[who])
            for name, view in views.items():
                if view.who == who and only in name:
                    path = ALL_FOLDER / world / f"{name}-{theme}-{size[0]}.png"
                    look_at(visitor, view._replace(place=view.place.format(**known)), path)
            visitor.context.close()


def look_at(visitor: Visitor, view: View, path: Path) -> None:
    """A picture of the whole page, but not of a list without end."""
    page = visitor.page(view.place)
    try:
        settle(page)
        for act in view.acts:
            act(page)
        _rest(page)
    except (Error, AssertionError) as why:
        print(f"{path.stem}: {str(why).splitlines()[0]}", flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    tall = min(int(page.evaluate("document.documentElement.scrollHeight")), TALLEST)
    size = page.viewport_size or {"width": WIDE[0], "height": WIDE[1]}
    page.set_viewport_size({"width": size["width"], "height": max(tall, size["height"])})
    page.wait_for_timeout(250)
    page.screenshot(path=path, animations="disabled", caret="hide")
    wide = int(page.evaluate("document.documentElement.scrollWidth"))
    note = f"  {wide} px wide!" if wide > size["width"] else ""
    print(f"{path.relative_to(ROOT)}{note}", flush=True)
    page.close()


def take_chosen(browser: Browser) -> list[str]:
    """The names of those that are too large."""
    large = []
    with furnished() as (site, known):
        state = signed_in(browser, site)
        for shot in CHOSEN:
            path = CHOSEN_FOLDER / f"{shot.name}.png"
            place = shot.place.format(**known)
            take(browser, site, shot._replace(place=place), path, state)
            size = path.stat().st_size
            print(f"{path.relative_to(ROOT)}  {size / 1000:.0f} KB", flush=True)
            if size > LARGEST_BYTES:
                large.append(path.name)
    return large


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--all", action="store_true", help="every page, into build/screenshots")
    parser.add_argument("--of", choices=list(WORLDS), help="with --all: of this server only")
    parser.add_argument("--only", default="", help="with --all: views whose name has this in it")
    asked = parser.parse_args()
    program = find_chromium()
    if program is None:
        print(MISSING)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        large = take_chosen(browser) if not asked.all else []
        for world in WORLDS if asked.all and not asked.of else filter(None, [asked.of]):
            walk_through(browser, world, asked.only)
        browser.close()
    if large:
        print(f"more than {LARGEST_BYTES / 1000:.0f} KB: {', '.join(large)}")
    return 1 if large else 0


if __name__ == "__main__":
    raise SystemExit(main())
