"""Graphs: the picture of a run, and going on from what failed."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import ADMIN, Site
from tests.browser.site_jobs import WIDE
from tests.browser.visitor import Visit, Visitor, dialog, press, state_shown


def node(page: Page, name: str, state: str) -> Locator:
    """A node of the picture, in this state."""
    return page.get_by_role("button", name=re.compile(f"^{name} {state}"))


def test_a_graph_goes_on_from_what_failed(site: Site, admin: Visitor) -> None:
    folder = site.path()
    folder.mkdir()
    run_id = site.submit_and_wait("order", "failed", folder=str(folder))
    page = admin.page(f"/runs/{run_id}")
    expect(node(page, "collect", "Success")).to_be_visible()
    expect(page.locator(".react-flow__edge")).to_have_count(3)
    expect(page.get_by_role("img", name="Nodes: 2 success, 1 failed")).to_be_visible()
    node(page, "ship", "Failed").click()
    panel = page.get_by_role("region", name="Node ship")
    expect(panel).to_contain_text("nobody opens")
    collected = site.get(f"/runs/{run_id}/nodes")

    Path(folder, "open").touch()
    press(page, "Rerun")
    asked = dialog(page, "Rerun order")
    expect(asked.get_by_label("What failed, and what follows")).to_be_checked()
    press(asked, "Rerun")

    expect(node(page, "ship", "Success")).to_be_visible()
    expect(node(page, "thank", "Success")).to_be_visible()
    state_shown(page, "Success")
    assert run_id not in page.url, "it is a run of its own"
    again = site.get(f"/runs/{shown_run(page)}/nodes")
    assert run_of(again, "collect") == run_of(collected, "collect"), "it is not done twice"
    assert run_of(again, "ship") != run_of(collected, "ship")


def shown_run(page: Page) -> str:
    """The id in the address."""
    return page.url.rpartition("/")[2].partition("?")[0]


def run_of(graph: dict[str, object], name: str) -> object:
    nodes = graph["graph"]["nodes"]  # type: ignore[index]  # a document
    return next(each["runId"] for each in nodes if each["name"] == name)


def test_a_definition_and_its_runs_can_be_seen(site: Site, admin: Visitor) -> None:
    folder = site.path()
    folder.mkdir()
    site.submit_and_wait("order", "failed", folder=str(folder))
    page = admin.page("/graphs")

    row = page.get_by_role("row").filter(has_text="order")
    expect(row).to_contain_text("4 nodes")
    expect(row).to_contain_text("Failed")
    expect(row.get_by_role("img", name=re.compile("of the last"))).to_be_visible()
    row.click()
    expect(page.get_by_role("heading", name="order")).to_be_visible()
    page.get_by_role("tab", name="Definition").click()

    node(page, "thank", "Job").click()

    facts = page.get_by_role("region", name="Node thank")
    expect(facts).to_contain_text("Starts when")
    expect(facts.get_by_role("link", name="thank")).to_have_attribute("href", "/jobs/thank")
    press(facts, "ship")
    expect(page.get_by_role("region", name="Node ship")).to_contain_text("thank")


def test_only_the_visible_part_of_a_large_graph_is_drawn(sqlite_site: Site, visit: Visit) -> None:
    admin = visit(sqlite_site.address)
    admin.sign_in(ADMIN)
    page = admin.page("/graphs/wide?tab=graph")
    nodes = page.locator(".react-flow__node")
    first = page.locator(".react-flow__node[data-id=pack]")
    expect(first).to_be_visible()
    expect(nodes.nth(5)).to_be_visible()
    assert nodes.count() < WIDE

    lines = page.locator(".react-flow__viewport-portal path").first
    expect(lines).to_have_attribute("d", re.compile(r"^M\d+ \d+c"))
    overview = page.get_by_role("img", name="The whole graph in small")
    overview.scroll_into_view_if_needed()
    overview.click(position={"x": 100, "y": 8})

    expect(first).to_have_count(0)
    expect(nodes.first).to_be_visible()


def test_cells_of_the_grid_are_large_enough_for_fingers(
    visit: Visit, sqlite_site: Site, places: dict[str, str]
) -> None:
    phone = {"has_touch": True, "is_mobile": True, "viewport": {"width": 390, "height": 844}}
    visitor = visit(sqlite_site.address, **phone)
    visitor.sign_in(ADMIN)
    page = visitor.page(places["graph"])

    cell = page.get_by_role("button", name="ship: Failed").last
    expect(cell).to_be_visible()
    box = cell.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) >= 24, box
    run = page.get_by_role("columnheader").get_by_role("link").last.bounding_box()
    assert run is not None
    assert min(run["width"], run["height"]) >= 24, run
