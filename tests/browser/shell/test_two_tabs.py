"""Tabs share one cookie; pages stay open while sessions end and things go away."""

from __future__ import annotations

from contextlib import suppress
from urllib.parse import quote

import pytest
from playwright.sync_api import Error, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, short, type_token


def test_a_session_that_ends_leaves_a_half_written_form_alone(visit: Visit, site: Site) -> None:
    visitor = visit(site.address)
    visitor.watch.forgive("401")
    visitor.watch.forgive("403")  # its first word in the new session has the token of the old one
    visitor.sign_in(ADMIN)
    page = visitor.page("/jobs?new=job")
    form = dialog(page, "New job")
    form.get_by_label("Name").fill("written-in-vain")
    form.get_by_label("Command").fill("true")

    visitor.context.clear_cookies()
    press(form, "Create the job")
    expect(form.get_by_role("alert")).to_be_visible()
    expect(form.get_by_label("Name")).to_have_value("written-in-vain")

    visitor.sign_in(ADMIN)
    page.evaluate("dispatchEvent(new Event('focus'))")
    press(form, "Create the job")
    expect(page.get_by_role("heading", name="written-in-vain")).to_be_visible()


def test_more_tabs_than_a_browser_has_connections_are_all_usable_and_live(
    admin: Visitor, site: Site
) -> None:
    pages = [admin.page("/runs?jobId=greet") for _ in range(8)]
    for page in pages:
        expect(page.get_by_role("heading", name="Runs")).to_be_visible()
        expect(page.get_by_title("Live changes: live").first).to_be_attached()

    run_id = site.submit("greet", name="everybody")

    for page in pages:
        expect(row_of(page, short(run_id))).to_be_visible()


def test_a_change_in_one_tab_reaches_the_other(sqlite_site: Site, sqlite_admin: Visitor) -> None:
    site = sqlite_site
    page, audit = (sqlite_admin.page(path) for path in ("/schedules?tab=calendars", "/audit"))
    for each in (page, audit):
        expect(each.get_by_title("Live changes: live").first).to_be_attached()
    expect(audit.get_by_role("heading", name="Audit")).to_be_visible()

    site.put("/calendars/made-elsewhere", weekend=[5], off=["2031-05-01"])

    expect(page.get_by_text("made-elsewhere").first).to_be_visible()
    expect(audit.get_by_text("made-elsewhere").first).to_be_visible()


def test_a_session_that_ended_leads_to_the_sign_in_and_back(visit: Visit, site: Site) -> None:
    visitor = visit(site.address)
    visitor.watch.forgive("401")
    visitor.sign_in(ADMIN)
    page = visitor.page("/jobs/greet")
    page.get_by_role("tab", name="Runs").click()
    expect(page.get_by_role("tab", name="Runs", selected=True)).to_be_visible()

    visitor.context.clear_cookies()
    with suppress(Error):  # it may ask something by itself, and leave, before it has answered us
        page.evaluate("dispatchEvent(new Event('focus'))")
    type_token(page, ADMIN)

    expect(page).to_have_url(f"{site.address}/jobs/greet?tab=runs")
    expect(page.get_by_role("tab", name="Runs", selected=True)).to_be_visible()


def test_a_page_begins_anew_when_somebody_else_signs_in(visit: Visit, site: Site) -> None:
    visitor = visit(site.address)
    visitor.watch.forgive("401")
    visitor.sign_in(ADMIN)
    page = visitor.page("/schedules")
    expect(page.get_by_role("button", name="New schedule")).to_be_visible()

    visitor.sign_in(site.token("viewer"))
    with suppress(Error):  # it may load anew before it has answered us
        page.evaluate("dispatchEvent(new Event('focus'))")

    expect(page.get_by_role("complementary").get_by_text("viewer")).to_be_visible()
    expect(page.get_by_role("button", name="New schedule")).to_have_count(0)


def test_a_job_that_is_removed_is_not_shown_as_if_it_were_there(visit: Visit, site: Site) -> None:
    site.api.post("/jobs", json={"name": "short-lived", "command": "true"})
    visitor = visit(site.address)
    visitor.watch.forgive("404")
    visitor.sign_in(ADMIN)
    page, other = (visitor.page("/jobs/short-lived") for _ in range(2))
    expect(other.get_by_role("button", name="Trigger")).to_be_visible()
    press(page, "Delete")
    press(dialog(page, "Delete short-lived?"), "Delete")

    expect(page.get_by_role("heading", name="Jobs")).to_be_visible()
    expect(page.get_by_role("link", name="short-lived")).to_have_count(0)
    other.reload()
    expect(other.get_by_role("heading", name="Not found")).to_be_visible()
    expect(other.get_by_role("button", name="Trigger")).to_have_count(0)


@pytest.mark.parametrize("name", ["team/etl:v1", "a/b#?ü", "100%", "a b+c&d=e", "%2e%2e"])
def test_a_name_in_an_address_reaches_the_server_as_it_is(
    visit: Visit, sqlite_site: Site, name: str
) -> None:
    visitor = visit(sqlite_site.address)
    visitor.watch.forgive("404")
    visitor.watch.forgive("400")
    visitor.sign_in(ADMIN)
    page = visitor.page(f"/jobs/{quote(name, safe='')}")
    expect(page.get_by_role("alert")).to_contain_text(name)
