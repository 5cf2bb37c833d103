"""What is worth a picture on each kind of server: pages, and what can be opened on them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from playwright.sync_api import Page

Who = Literal["admin", "viewer", "nobody"]
Act = Callable[[Page], object]


class View(NamedTuple):
    """A page, what is done there first, and by whom."""

    place: str
    acts: tuple[Act, ...] = ()
    who: Who = "admin"


def push(name: str) -> Act:
    """Presses what begins with these words."""
    return lambda page: page.get_by_role("button", name=name).first.click()


def select(text: str) -> Act:
    return lambda page: page.get_by_role("tab", name=text).first.click()


def choose(row: str, verb: str) -> Act:
    """From the menu of a row."""

    def act(page: Page) -> None:
        page.get_by_role("button", name=f"Actions for {row}").first.click()
        page.get_by_role("menuitem", name=verb).first.click()

    return act


def search_for(text: str) -> Act:
    def act(page: Page) -> None:
        page.keyboard.press("Control+k")
        page.get_by_role("combobox", name="Search pages").fill(text)
        page.wait_for_timeout(600)

    return act


def open_row(page: Page) -> None:
    """The first one, if there is one."""
    row = page.get_by_role("row").nth(1)
    if row.is_visible():
        row.click()


def tick_some(page: Page) -> None:
    for box in page.get_by_role("checkbox", name="Select ").all()[1:4]:
        box.check()


def lose_the_server(page: Page) -> None:
    """A page that was there, whose server then goes away."""
    page.route("**/api/**", lambda route: route.abort())
    page.get_by_role("button", name="Refresh").or_(page.get_by_role("tab").nth(1)).first.click()


def never_reach_it(page: Page) -> None:
    page.route("**/api/**", lambda route: route.abort())
    page.reload()


def open_menu(page: Page) -> None:
    menu = page.get_by_role("button", name="Open the menu")
    if menu.is_visible():
        menu.click()


PLAIN = {
    "overview": View("/"),
    "overview-day": View("/?window=24h"),
    "menu": View("/", (open_menu,)),
    "jobs": View("/jobs"),
    "jobs-none": View("/jobs?q=nothing-of-the-kind"),
    "job-new": View("/jobs", (push("New job"),)),
    "templates": View("/jobs?tab=templates"),
    "template-new": View("/jobs?tab=templates", (push("New template"),)),
    "runs": View("/runs"),
    "runs-failed": View("/runs?status=failed"),
    "runs-none": View("/runs?text=nothing-of-the-kind"),
    "graphs": View("/graphs"),
    "queues": View("/queues"),
    "queue": View("/queues/default"),
    "workers": View("/workers"),
    "worker": View("/workers", (open_row,)),
    "dead-letters": View("/dead-letters"),
    "alerts": View("/alerts"),
    "alerts-closed": View("/alerts?status=all"),
    "alert": View("/alerts", (open_row,)),
    "alert-rules": View("/alerts?tab=rules"),
    "alert-rule-new": View("/alerts?tab=rules", (push("New rule"),)),
    "alert-channels": View("/alerts?tab=channels"),
    "alert-channel-new": View("/alerts?tab=channels", (push("New channel"),)),
    "alert-messages": View("/alerts?tab=messages"),
    "schedules": View("/schedules"),
    "schedule-new": View("/schedules?new=1"),
    "week": View("/schedules?tab=week"),
    "backfills": View("/schedules?tab=backfills"),
    "calendars": View("/schedules?tab=calendars"),
    "calendar-new": View("/schedules?tab=calendars", (push("New calendar"),)),
    "maintenance": View("/schedules?tab=windows"),
    "window-new": View("/schedules?tab=windows", (push("New window"),)),
    "audit": View("/audit"),
    "audit-open": View("/audit", (open_row,)),
    "tokens": View("/access"),
    "token": View("/access", (open_row,)),
    "token-new": View("/access", (push("New token"),)),
    "namespaces": View("/access?tab=namespaces"),
    "namespace-new": View("/access?tab=namespaces", (push("New namespace"),)),
    "settings": View("/settings"),
    "palette": View("/queues", (search_for(""),)),
    "palette-found": View("/queues", (search_for("sync"),)),
    "nowhere": View("/no/such/page"),
    "no-such-run": View("/runs/00000000-0000-7000-8000-000000000000"),
    "no-such-job": View("/jobs/no-such-job"),
    "sign-in": View("/login", who="nobody"),
    "viewer-audit": View("/audit", who="viewer"),
    "viewer-tokens": View("/access", who="viewer"),
    "viewer-queues": View("/queues", who="viewer"),
    "away": View("/queues", (never_reach_it,)),
    "away-later": View("/schedules", (lose_the_server,)),
}
"""On every server."""
OF_RUNS = {
    "run-log": View("/runs/{talking}"),
    "run-log-error": View("/runs/{talking}?tab=log&level=error"),
    "run-log-found": View("/runs/{talking}?tab=log&find=order"),
    "run-data": View("/runs/{bad}?tab=data"),
    "run-failed": View("/runs/{bad}"),
    "run-failed-log": View("/runs/{bad}?tab=log"),
    "run-attempts": View("/runs/{bad}?tab=attempts"),
    "run-compare": View("/runs/{bad}?tab=compare"),
    "run-compared": View("/runs/{bad}?tab=compare&with={done}"),
    "run-waiting": View("/runs/{waiting}"),
    "run-done": View("/runs/{done}"),
    "run-cancel": View("/runs/{waiting}", (push("Cancel"),)),
    "rerun": View("/runs/{bad}", (push("Rerun"),)),
    "rerun-graph": View("/runs/{graph}", (push("Rerun"),)),
    "runs-picked": View("/runs", (tick_some,)),
    "graph": View("/runs/{graph}"),
    "graph-gantt": View("/runs/{graph}?tab=gantt"),
    "graph-steps": View("/runs/{graph}?tab=children"),
    "dead-letters-group": View("/dead-letters?group={group}"),
    "dead-letter": View("/dead-letters?group={group}&id={bad}"),
    "redrive": View("/dead-letters?group={group}", (push("Redrive"),)),
    "viewer-run": View("/runs/{bad}", who="viewer"),
}
"""Where there were runs."""
OF_A_SHOP = {
    "job": View("/jobs/charge"),
    "job-runs": View("/jobs/charge?tab=runs"),
    "job-definition": View("/jobs/charge?tab=definition"),
    "job-schedules": View("/jobs/nightly_backup?tab=schedules"),
    "job-versions": View("/jobs/charge?tab=versions"),
    "trigger": View("/jobs/import_orders", (push("Trigger"),)),
    "graph-node": View("/runs/{graph}?node=pack"),
    "graph-grid": View("/graphs/fulfil"),
    "graph-definition": View("/graphs/fulfil?tab=graph"),
    "schedule": View("/schedules?edit=nightly_backup"),
    "backfill": View("/schedules?edit=nightly_backup", (push("Backfill"),)),
    "queue-pause": View("/queues", (choose("mail", "Pause"),)),
    "queue-why": View("/queues", (push("Why do runs wait"),)),
    "run-asleep": View("/runs/{asleep}"),
    "run-cancelled": View("/runs/{cancelled}"),
}
OF_A_CROWD = {
    "job": View("/jobs/{long}"),
    "job-runs": View("/jobs/{long}?tab=runs"),
    "job-definition": View("/jobs/{long}?tab=definition"),
    "job-versions": View("/jobs/{long}?tab=versions"),
    "trigger": View("/jobs/{long}", (push("Trigger"),)),
    "graph-node": View("/runs/{graph}?node=weigh"),
    "graph-grid": View("/graphs/skipping"),
    "graph-definition": View("/graphs/skipping?tab=graph"),
    "schedule": View("/schedules?edit=tenant-001.sync"),
}
SHOP, CROWD = PLAIN | OF_RUNS | OF_A_SHOP, PLAIN | OF_RUNS | OF_A_CROWD
