"""axe finds nothing serious on any page, by day and by night; keys alone lead everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.axe import COLOURS, grave_violations
from tests.browser.places import FORMS, NAMES
from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, settle

WIDE: ViewportSize = {"width": 1440, "height": 900}
PHONE: ViewportSize = {"width": 390, "height": 844}
ZOOMED: ViewportSize = {"width": 320, "height": 256}
"""A screen of 1280 by 1024 pixels at 400 %."""


@pytest.fixture(scope="module")
def reader(chromium: Browser, sqlite_site: Site) -> Iterator[Page]:
    """One page for all addresses: a context for each would take longer than axe."""
    context = chromium.new_context(
        base_url=sqlite_site.address,
        viewport=WIDE,
        reduced_motion="reduce",
    )
    visitor = Visitor(context, sqlite_site.address)
    visitor.sign_in(ADMIN)
    yield visitor.page()
    context.close()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_on_a_page_hinders_people(reader: Page, places: dict[str, str], name: str) -> None:
    reader.set_viewport_size(WIDE)
    reader.goto(places[name], wait_until="commit")
    settle(reader)

    assert grave_violations(reader) == []
    reader.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert grave_violations(reader, COLOURS) == []
    reader.set_viewport_size(PHONE)
    assert grave_violations(reader) == []
    assert beyond_the_screen(reader) <= 0
    reader.set_viewport_size(ZOOMED)
    assert beyond_the_screen(reader) <= 0


def beyond_the_screen(page: Page) -> int:
    """By how many pixels a page is wider than its screen."""
    wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return int(wide)


@pytest.mark.parametrize(("name", "button"), FORMS)
def test_nothing_in_a_form_hinders_people(
    reader: Page, places: dict[str, str], name: str, button: str
) -> None:
    reader.set_viewport_size(WIDE)
    reader.goto(places[name], wait_until="commit")
    settle(reader)
    reader.get_by_role("button", name=re.compile(f"^{button}")).first.click()
    expect(reader.get_by_role("dialog").last).to_be_visible()
    settle(reader)

    assert grave_violations(reader) == []
    reader.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert grave_violations(reader, COLOURS) == []
    reader.set_viewport_size(PHONE)
    assert beyond_the_screen(reader) <= 0


def test_nothing_in_what_opens_over_a_page_hinders_people(
    reader: Page, places: dict[str, str]
) -> None:
    """The palette, a menu, what is offered for chosen rows, and what is told of an act."""
    reader.set_viewport_size(WIDE)
    reader.goto("/runs?status=failed", wait_until="commit")
    reader.get_by_label("Select all loaded").check()
    reader.keyboard.press("Control+k")
    reader.get_by_role("combobox", name="Search pages").fill("greet")
    results = reader.get_by_role("listbox", name="Results")
    expect(results.get_by_role("option").first).to_be_visible()
    for theme in ("light", "dark"):
        reader.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
        assert grave_violations(reader) == []
    reader.get_by_role("combobox", name="Search pages").fill("nothing of the kind")
    expect(reader.get_by_text("Nothing found")).to_be_visible()
    assert grave_violations(reader) == []
    reader.keyboard.press("Escape")
    assert grave_violations(reader) == []

    reader.goto(places["jobs"], wait_until="commit")
    reader.get_by_role("button", name="Actions for greet").click()
    expect(reader.get_by_role("menuitem").first).to_be_visible()
    assert grave_violations(reader) == []


def test_nothing_on_the_way_in_hinders_people(visit: Visit, sqlite_site: Site) -> None:
    for scheme in ("light", "dark"):
        page = visit(sqlite_site.address, color_scheme=scheme).page("/login")
        expect(page.get_by_label("Token")).to_be_visible()
        assert grave_violations(page) == []


def test_after_a_dialog_the_focus_is_where_it_was(visit: Visit, sqlite_site: Site) -> None:
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.page("/queues")
    menu = row_of(page, "default").get_by_role("button", name="Actions for default")

    menu.press("Enter")
    page.get_by_role("menuitem", name="Pause").press("Enter")
    press(dialog(page, "Pause default?"), "Cancel")
    expect(menu).to_be_focused()

    page.keyboard.press("Control+k")
    palette = dialog(page, "Search and commands")
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()
    expect(menu).to_be_focused()


def test_a_page_names_itself_in_the_tab_of_the_browser(
    visit: Visit, sqlite_site: Site, places: dict[str, str]
) -> None:
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.page("/queues")

    expect(page).to_have_title("Queues · Rota")
    page.goto(places["run, failed"], wait_until="commit")
    expect(page).to_have_title("Failed: deliver · Rota")
