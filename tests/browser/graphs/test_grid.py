"""The grid of a graph: its runs in the order of their days, its nodes in their groups."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, press, short

DAYS = ("2026-03-07", "2026-03-05", "2026-03-06")
"""As a backfill might make them: not in their order."""


def fill(site: Site) -> list[str]:
    """A failed run of each of the days."""
    runs = []
    for day in DAYS:
        at = f"{day}T05:30:00Z"
        run = str(site.post("/schedules/nightly/trigger", scheduledFor=at)["executionId"])
        site.wait_for(run, "failed")
        runs.append(run)
    return runs


def columns(page: Page) -> Locator:
    return page.get_by_role("columnheader").get_by_role("link")


def rows(page: Page) -> Locator:
    return page.get_by_role("rowheader")


def test_runs_stand_in_the_order_of_their_days_with_their_durations(
    site: Site, admin: Visitor
) -> None:
    fill(site)
    page = admin.page("/graphs/nightly")

    expect(columns(page).first).to_have_accessible_name(re.compile("Run of 5 Mar.*Failed, took"))
    expect(columns(page).nth(1)).to_have_accessible_name(re.compile("Run of 6 Mar"))
    expect(columns(page).nth(2)).to_have_accessible_name(re.compile("Run of 7 Mar"))


def test_a_cell_and_a_column_open_beside_the_grid(site: Site, admin: Visitor) -> None:
    last = fill(site)[0]
    page = admin.page("/graphs/nightly")

    page.get_by_role("button", name="ship: Failed").last.click()
    node = page.get_by_role("region", name="Node ship")
    expect(node).to_contain_text("nobody opens")
    expect(page.get_by_role("table")).to_be_visible()
    press(node, "Close")
    expect(node).to_have_count(0)

    columns(page).last.click()
    expect(page.get_by_role("heading", name=f"Run {short(last)}")).to_be_visible()
    press(page, "ship")
    expect(node).to_be_visible()
    page.get_by_role("link", name="Open", exact=True).click()
    expect(page).to_have_url(f"{site.address}/runs/{last}?tab=graph&node=ship")


def test_groups_are_folded_and_nodes_are_looked_for(site: Site, admin: Visitor) -> None:
    fill(site)
    page = admin.page("/graphs/nightly")
    expect(rows(page)).to_have_text(
        ["fetching2", "collect", "pack", "sending2", "ship", "thank"], use_inner_text=False
    )

    page.get_by_role("button", name=re.compile("^fetching 2")).or_(
        page.get_by_role("button", name="Show it as one row")
    ).first.click()
    expect(rows(page)).to_have_text(["fetching2", "sending2", "ship", "thank"])
    folded = page.get_by_role("button", name="fetching: 2 of 2 nodes success")
    expect(folded.first).to_be_visible()
    press(page, "Fold all")
    expect(rows(page)).to_have_text(["fetching2", "sending2"])
    failed = page.get_by_role("button", name="sending: 1 of 2 nodes failed")
    expect(failed.first).to_be_visible()

    page.get_by_label("Only nodes that failed").check()
    expect(rows(page)).to_have_text(["sending2", "ship", "thank"])
    page.get_by_label("Search nodes").first.fill("shi")
    expect(rows(page)).to_have_text(["sending1", "ship"])


def test_more_runs_are_shown_on_request(site: Site, admin: Visitor) -> None:
    page = admin.page("/graphs/deliver_all")
    folder = site.path()
    folder.mkdir()
    for each in "ab":
        (folder / each).touch()
    for _ in range(32):
        site.submit("deliver_all", folder=str(folder))
    expect(columns(page)).to_have_count(30)

    page.get_by_label("How many runs").select_option("60 runs")
    expect(columns(page).nth(31)).to_be_attached()
