"""Signing in: by the link of the first start, by a token; and coming to where one wanted to go."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.site import ADMIN, Site, address_of
from tests.browser.visitor import Visit, press, type_token
from tests.support.cli import Rota


def is_inside(page: Page) -> None:
    expect(page.get_by_role("navigation", name="Pages")).to_be_visible()


def test_the_link_of_the_first_start_signs_in_once(
    visit: Visit, built: None, tmp_path: Path, store_url: str
) -> None:
    rota = Rota(tmp_path, ROTA_URL=store_url)
    with rota.started("server", "--port", "0") as served:
        address = address_of(served)
        link = re.findall(r"http://\S+(/login\?ticket=\S+)", served.text)[0]
        first = visit(address).page(link)
        press(first, "Sign in")
        is_inside(first)
        expect(first.get_by_role("heading", name="Overview")).to_be_visible()

        late = visit(address)
        late.watch.forgive("401")
        second = late.page(link)
        press(second, "Sign in")
        expect(second.get_by_role("alert")).to_contain_text("was used already")
        for visitor in (first, second):
            visitor.close()


def test_a_token_signs_in_and_a_wrong_one_does_not(visit: Visit, site: Site) -> None:
    visitor = visit(site.address)
    visitor.watch.forgive("401")
    page = visitor.page()

    type_token(page, "not-a-token")
    expect(page.get_by_role("alert")).to_contain_text("invalid, revoked or expired")
    type_token(page, ADMIN)

    is_inside(page)
    press(page, "Sign out")
    expect(page.get_by_label("Token")).to_be_visible()
    page.goto("/runs")
    expect(page.get_by_label("Token")).to_be_visible()


def test_a_link_to_a_page_leads_there_after_the_sign_in(visit: Visit, site: Site) -> None:
    run_id = site.submit_and_wait("greet", "success", name="Ada")
    page = visit(site.address).page(f"/runs/{run_id}?tab=data")

    type_token(page, ADMIN)

    expect(page).to_have_url(f"{site.address}/runs/{run_id}?tab=data")
    expect(page.get_by_text("warm greetings to Ada, 1 times")).to_be_visible()
