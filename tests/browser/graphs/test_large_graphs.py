"""Large graphs: read at once, searched, seen on all of the window, and led to what failed."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page, expect

from tests.browser.graphs.test_graphs import node
from tests.browser.site import Site
from tests.browser.visitor import Visitor, press, settle

LEGIBLE_PX = 8.0


def drawn(page: Page, name: str) -> Locator:
    return page.locator(f".react-flow__node[data-id='{name}']")


def letter_px(node: Locator) -> float:
    """How tall the letters of a name are on the screen."""
    size = node.locator("span[aria-hidden]").last
    zoom = "each => each.getBoundingClientRect().width / each.offsetWidth"
    font = "each => parseFloat(getComputedStyle(each).fontSize)"
    return float(size.evaluate(zoom)) * float(size.evaluate(font))


def test_the_names_of_three_hundred_nodes_are_read_at_once(site: Site, admin: Visitor) -> None:
    page = admin.page("/graphs/broad?tab=graph")
    press(page, "Unfold all")
    press(page, "Full screen")

    expect(drawn(page, "lane_0_pack_0")).to_be_in_viewport()
    expect(drawn(page, "lane_9_pack_29")).to_be_in_viewport()
    assert letter_px(drawn(page, "lane_5_pack_10")) >= LEGIBLE_PX
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="broad")).to_be_in_viewport()


def test_a_node_is_found_by_a_part_of_its_name_in_a_folded_group(
    site: Site, admin: Visitor
) -> None:
    page = admin.page("/graphs/broad?tab=graph")
    expect(drawn(page, "group:lane_7")).to_be_visible()
    expect(drawn(page, "lane_7_pack_12")).to_have_count(0)

    page.get_by_label("Find a node").fill("7_pack_12")
    page.get_by_label("Find a node").press("Enter")

    expect(page.get_by_role("region", name="Node lane_7_pack_12")).to_be_visible()
    expect(drawn(page, "lane_7_pack_12")).to_be_visible()


def test_a_failed_chip_unfolds_the_group_and_goes_to_the_node(site: Site, admin: Visitor) -> None:
    made = site.post("/schedules/nightly/trigger", scheduledFor="2026-03-04T05:30:00Z")
    run_id = str(made["executionId"])
    site.wait_for(run_id, "failed")
    page = admin.page(f"/runs/{run_id}")
    expect(node(page, "ship", "Failed")).to_be_visible()
    press(page, "sending")
    expect(drawn(page, "ship")).to_have_count(0)

    chips = page.get_by_text("Failed", exact=True).locator("..")
    chips.get_by_role("button", name="ship").click()

    expect(drawn(page, "ship")).to_be_in_viewport()
    expect(page.get_by_role("region", name="Node ship")).to_be_visible()


def test_bars_of_a_group_are_folded_and_time_is_made_wider(site: Site, admin: Visitor) -> None:
    made = site.post("/schedules/nightly/trigger", scheduledFor="2026-03-03T05:30:00Z")
    run_id = str(made["executionId"])
    site.wait_for(run_id, "failed")
    page = admin.page(f"/runs/{run_id}?tab=gantt")
    settle(page)
    group = page.get_by_role("button", name=re.compile("^fetching 2"))
    expect(page.get_by_role("button", name=re.compile("^pack"))).to_be_visible()

    group.click()
    expect(page.get_by_role("button", name=re.compile("^pack"))).to_have_count(0)
    expect(group).to_have_attribute("aria-expanded", "false")
    group.click()
    bar = page.get_by_role("button", name=re.compile("^collect")).locator("span").nth(3)
    narrow = bar.bounding_box()
    press(page, "Zoom in")
    press(page, "Zoom in")
    expect(page.get_by_role("status").filter(has_text="4 times")).to_be_visible()
    wide = bar.bounding_box()
    assert narrow is not None
    assert wide is not None
    assert wide["width"] > 2 * narrow["width"]
