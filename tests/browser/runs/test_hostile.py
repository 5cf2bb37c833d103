"""Text from outside stays text, wherever a page shows it: nothing in it runs or leads away."""

from __future__ import annotations

import json
import re

from playwright.sync_api import Page, Route, expect

from tests.browser.site import ADMIN, Site
from tests.browser.site_jobs import HOSTILE
from tests.browser.visitor import Visit, Visitor, settle

NAMED = re.compile(r"/api/v1/(jobs|runs)(/[^/?]+)?(\?.*)?$")
"""Answers in which jobs are named."""


def is_inert(page: Page) -> None:
    """The text is there, and nothing but text."""
    expect(page.get_by_text("<img src=x").first).to_be_visible()
    assert page.evaluate("window.hurt") is None
    assert page.locator("img[src=x], [onerror], a[href^='javascript:'], main script").count() == 0


def test_hostile_arguments_errors_and_logs_are_shown_as_they_are(
    site: Site, admin: Visitor
) -> None:
    run_id = site.submit_and_wait("repeat", "failed", text=HOSTILE)
    group = site.get(f"/dead-letters/{run_id}")["group"]
    page = admin.page()

    for path in (
        f"/runs/{run_id}?tab=log",
        f"/runs/{run_id}?tab=data",
        f"/runs/{run_id}?tab=attempts",
        "/runs?jobId=repeat",
        f"/dead-letters?group={group}&id={run_id}",
        "/",
    ):
        page.goto(path, wait_until="commit")
        settle(page)
        is_inert(page)
    page.goto(f"/runs/{run_id}?tab=log", wait_until="commit")
    expect(page.get_by_role("log")).to_contain_text("<script>window.hurt=1</script>")
    expect(page.get_by_role("log")).to_contain_text("red")


def test_notes_of_other_people_are_shown_as_they_are(site: Site, admin: Visitor) -> None:
    site.post("/queues/hostile/pause", note=HOSTILE)
    site.post("/tokens", name=HOSTILE[:60], roles=["viewer"])
    page = admin.page("/queues")
    is_inert(page)
    page.goto("/access", wait_until="commit")
    is_inert(page)


def test_hostile_names_are_shown_as_they_are(visit: Visit, sqlite_site: Site) -> None:
    """Our server refuses such names; the pages do not rely on that."""
    run_id = sqlite_site.submit_and_wait("greet", "success", name="Ada")
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    visitor.watch.forgive("404")  # nothing is known of what bears such a name
    page = visitor.page("/settings")
    page.route(NAMED, rename)

    for path in ("/jobs", "/jobs/greet", f"/runs/{run_id}", "/runs?jobId=greet"):
        page.goto(path, wait_until="commit")
        settle(page)
        is_inert(page)
    page.unroute_all(behavior="ignoreErrors")


def rename(route: Route) -> None:
    answer = route.fetch()
    route.fulfill(response=answer, body=answer.text().replace('"greet"', json.dumps(HOSTILE)))
