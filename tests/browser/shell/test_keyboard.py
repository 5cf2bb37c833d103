"""By keys alone and by ear: who has no mouse or no screen gets everywhere, and is told where."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, dialog, press, row_of, settle

PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def page(visit: Visit, sqlite_site: Site) -> Page:
    """Signed in, on a page that needs little."""
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.page("/settings")
    settle(page)
    return page


def go(page: Page, path: str) -> None:
    page.goto(path, wait_until="commit")
    settle(page)


def heard(page: Page, text: str) -> None:
    """What a reader says of a change on the page."""
    expect(page.get_by_role("status").filter(has_text=text)).to_have_count(1)


def press_keys(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def main(page: Page) -> Locator:
    return page.get_by_role("main")


def test_the_first_stop_skips_the_menu(page: Page) -> None:
    press_keys(page, "Tab")
    expect(page.get_by_role("button", name="Skip to content")).to_be_focused()
    press_keys(page, "Enter")
    expect(main(page)).to_be_focused()


def test_keys_lead_through_a_list_to_a_run_which_names_itself(
    page: Page, places: dict[str, str]
) -> None:
    go(page, "/jobs")
    press_keys(page, "g", "r")
    expect(page).to_have_url(re.compile("/runs$"))
    heard(page, "Runs")
    expect(main(page)).to_be_focused()

    go(page, "/runs?status=failed")
    press_keys(page, "/")
    expect(page.get_by_label("Job", exact=True)).to_be_focused()
    rows = page.get_by_role("table", name="Runs").get_by_role("row")
    rows.nth(1).focus()
    press_keys(page, "ArrowDown")
    expect(rows.nth(2)).to_be_focused()
    press_keys(page, "k")
    expect(rows.nth(1)).to_be_focused()
    press_keys(page, "Space")
    expect(rows.nth(1).get_by_role("checkbox")).to_be_checked()
    press_keys(page, "Enter")

    heard(page, "Failed: ")
    expect(main(page)).to_be_focused()


def test_no_shortcut_takes_a_letter_from_somebody_who_types(
    page: Page, places: dict[str, str]
) -> None:
    go(page, "/jobs")
    field = page.get_by_label("Search jobs")
    field.press_sequentially("g r ? /")
    expect(field).to_have_value("g r ? /")

    go(page, "/queues")
    page.get_by_role("button", name="Actions for default").press("Enter")
    expect(page.get_by_role("menuitem").first).to_be_focused()
    press_keys(page, "g", "r")
    expect(page.get_by_role("menuitem").first).to_be_visible()
    press_keys(page, "Escape", "Control+k")
    page.get_by_role("combobox").press_sequentially("g r")
    expect(dialog(page, "Search and commands")).to_be_visible()
    assert page.url.endswith("/queues")


def test_single_keys_can_be_turned_off(page: Page) -> None:
    page.get_by_label("Single keys are shortcuts").uncheck()
    main(page).focus()
    press_keys(page, "g", "q", "?")
    press_keys(page, "Control+k")

    expect(dialog(page, "Search and commands")).to_be_visible()
    assert page.url.endswith("/settings")


def test_arrow_keys_lead_through_a_graph_and_back_from_what_they_open(
    page: Page, places: dict[str, str]
) -> None:
    go(page, places["run of a graph"])
    nodes = page.locator(".react-flow__node")
    expect(nodes).to_have_count(4)
    expect(page.locator(".react-flow__node[tabindex='0']")).to_have_count(1)
    first = page.get_by_role("button", name=re.compile("^collect Success"))
    ship = page.get_by_role("button", name=re.compile("^ship Failed"))

    first.focus()
    press_keys(page, "ArrowRight")
    expect(page.get_by_role("button", name="pack Success, 2 of 2 items")).to_be_focused()
    press_keys(page, "ArrowRight")
    expect(ship).to_be_focused()
    press_keys(page, "Enter")
    panel = page.get_by_role("region", name="Node ship")
    expect(panel).to_be_focused()
    expect(ship).to_have_attribute("aria-pressed", "true")
    press_keys(page, "Escape")

    expect(panel).to_have_count(0)
    expect(ship).to_be_focused()


def test_arrow_keys_lead_through_the_grid_of_runs_and_nodes(
    page: Page, places: dict[str, str]
) -> None:
    go(page, places["graph"])
    page.get_by_role("columnheader").get_by_role("link").last.focus()
    press_keys(page, "ArrowDown")
    group = page.get_by_role("button", name="packing: 2 of 2 nodes success")
    expect(group.last).to_be_focused()
    press_keys(page, "ArrowDown")
    expect(page.get_by_role("button", name="collect: Success").last).to_be_focused()
    press_keys(page, "ArrowDown", "ArrowDown")
    expect(page.get_by_role("button", name="ship: Failed").last).to_be_focused()
    press_keys(page, "Enter")

    expect(page.get_by_role("region", name="Node ship")).to_be_visible()


def test_arrow_keys_choose_a_tab(page: Page, places: dict[str, str]) -> None:
    go(page, places["job"])
    page.get_by_role("tab", name="Overview").focus()
    press_keys(page, "ArrowRight")
    expect(page.get_by_role("tab", name="Runs", selected=True)).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Runs").get_by_role("table")).to_be_visible()
    press_keys(page, "End")
    expect(page.get_by_role("tab", name="Definition", selected=True)).to_be_focused()
    press_keys(page, "ArrowRight")
    expect(page.get_by_role("tab", name="Overview", selected=True)).to_be_focused()


def test_a_chart_is_told_in_words_and_value_by_value(page: Page, places: dict[str, str]) -> None:
    go(page, "/")
    chart = page.get_by_role("figure").first
    expect(chart).to_have_accessible_description(re.compile("at the end, lowest"))
    chart.focus()
    press_keys(page, "End")
    expect(chart.get_by_role("caption").or_(chart.locator("figcaption"))).to_contain_text(":")


def test_escape_closes_what_is_on_top_and_only_that(page: Page, places: dict[str, str]) -> None:
    go(page, places["schedule"])
    shown = dialog(page, "report")
    opener = shown.get_by_role("button", name="Backfill")
    opener.press("Enter")
    asked = page.get_by_role("dialog").nth(1)
    expect(asked).to_be_visible()
    press_keys(page, "Escape")
    expect(asked).to_have_count(0)
    expect(opener).to_be_focused()
    press_keys(page, "Escape")
    expect(shown).to_have_count(0)


def test_the_result_of_a_button_is_announced_and_the_focus_stays(
    page: Page, places: dict[str, str]
) -> None:
    go(page, places["schedule"])
    shown = dialog(page, "report")
    shown.get_by_role("button", name="Pause").press("Enter")
    press(dialog(page, "Pause report?"), "Pause")

    expect(shown.get_by_text("report is paused.")).to_be_visible()
    expect(shown.get_by_role("button", name="Resume")).to_be_focused()
    shown.get_by_role("button", name="Resume").press("Enter")
    expect(shown.get_by_role("button", name="Pause")).to_be_focused()


def test_the_menu_of_a_phone_covers_the_page_until_it_is_closed(page: Page) -> None:
    page.set_viewport_size(PHONE)
    opener = page.get_by_role("button", name="Open the menu")
    opener.press("Enter")
    pages = page.get_by_role("navigation", name="Pages")
    expect(pages).to_be_visible()
    expect(main(page)).to_have_attribute("inert", "")
    pages.get_by_role("link", name="Queues").focus()
    press_keys(page, "Escape")
    expect(pages).to_be_hidden()
    expect(opener).to_be_focused()

    opener.press("Enter")
    pages.get_by_role("link", name="Queues").press("Enter")
    expect(pages).to_be_hidden()
    expect(main(page)).to_be_focused()
    heard(page, "Queues")


def test_screen_readers_hear_where_a_search_leads(page: Page, places: dict[str, str]) -> None:
    go(page, "/jobs")
    expect(row_of(page, "greet")).to_be_visible()
    page.get_by_label("Search jobs").fill("no such job")
    heard(page, "Jobs: none")
    page.get_by_label("Search jobs").fill("greet")
    heard(page, "Jobs: 1")


def test_a_hint_is_read_with_its_field(page: Page, places: dict[str, str]) -> None:
    go(page, "/schedules?new=schedule")
    when = dialog(page, "New schedule").get_by_label("When")
    expect(when).to_have_accessible_description(re.compile("A cron line such as"))
