"""axe finds nothing serious on any page, by day and by night; keys alone lead everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.axe import COLOURS, grave_violations
from tests.browser.places import FORMS, NAMES
from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, settle


@pytest.fixture(scope="module")
def reader(chromium: Browser, sqlite_site: Site) -> Iterator[Page]:
    """One page for all addresses: a context for each would take longer than axe."""
    context = chromium.new_context(
        base_url=sqlite_site.address,
        viewport={"width": 1440, "height": 900},
        reduced_motion="reduce",
    )
    visitor = Visitor(context, sqlite_site.address)
    visitor.sign_in(ADMIN)
    yield visitor.page()
    context.close()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_on_a_page_hinders_people(reader: Page, places: dict[str, str], name: str) -> None:
    reader.goto(places[name], wait_until="commit")
    settle(reader)

    assert grave_violations(reader) == []
    reader.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert grave_violations(reader, COLOURS) == []


@pytest.mark.parametrize(("name", "button"), FORMS)
def test_nothing_in_a_form_hinders_people(
    reader: Page, places: dict[str, str], name: str, button: str
) -> None:
    reader.goto(places[name], wait_until="commit")
    settle(reader)
    reader.get_by_role("button", name=re.compile(f"^{button}")).first.click()
    expect(reader.get_by_role("dialog").last).to_be_visible()
    settle(reader)

    assert grave_violations(reader) == []
    reader.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert grave_violations(reader, COLOURS) == []


def test_nothing_on_the_way_in_hinders_people(visit: Visit, sqlite_site: Site) -> None:
    for scheme in ("light", "dark"):
        page = visit(sqlite_site.address, color_scheme=scheme).page("/login")
        expect(page.get_by_label("Token")).to_be_visible()
        assert grave_violations(page) == []
