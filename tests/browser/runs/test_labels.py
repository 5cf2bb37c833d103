"""Labels as a person sees them: a filter with suggestions, saved views, the page of a run."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, row_of, short, state_shown


def labelled(site: Site, **labels: object) -> str:
    made = site.post("/runs", jobId="greet", args={"name": "Ada"}, labels=labels)
    return str(made["executionId"])


def test_runs_are_found_by_their_labels(site: Site, admin: Visitor) -> None:
    acme = labelled(site, customer="acme", amount=12)
    zen = labelled(site, customer="zen", amount=3)
    page = admin.page("/runs")
    field = page.get_by_label("Label", exact=True)
    offered = page.locator("datalist option")

    field.fill("customer=")
    expect(offered.and_(page.locator("[value='customer=acme']"))).to_have_count(1)
    field.fill("customer=acme")
    field.press("Enter")

    expect(row_of(page, short(acme))).to_be_visible()
    expect(row_of(page, short(zen))).to_have_count(0)
    expect(page).to_have_url(re.compile("label=customer"))
    press(page, "customer=acme")
    expect(row_of(page, short(zen))).to_be_visible()
    field.fill("amount>10")
    field.press("Enter")
    expect(row_of(page, short(zen))).to_have_count(0)
    expect(row_of(page, short(acme))).to_be_visible()


def test_filters_are_saved_as_a_view_and_used_again(site: Site, admin: Visitor) -> None:
    mine = labelled(site, desk="north")
    other = labelled(site, desk="south")
    page = admin.page("/runs?label=desk%3Dnorth")
    expect(row_of(page, short(mine))).to_be_visible()

    press(page, "Views")
    page.get_by_role("menuitem", name="Save these filters").click()
    asked = dialog(page, "Save these filters")
    asked.get_by_label("Name", exact=True).fill("northern")
    press(asked, "Save the view")
    expect(asked).to_be_hidden()
    assert site.get("/views/northern")["filter"]["label"] == ["desk=north"]

    page = admin.page("/runs")
    expect(row_of(page, short(other))).to_be_visible()
    press(page, "Views")
    page.get_by_role("menuitem", name="northern").click()
    expect(row_of(page, short(other))).to_have_count(0)
    expect(row_of(page, short(mine))).to_be_visible()

    press(page, "View: northern")
    page.get_by_role("menuitem", name="Remove northern").click()
    asked = dialog(page, "Remove the view northern?")
    press(asked, "Remove the view")
    expect(asked).to_be_hidden()
    expect(page.get_by_role("button", name="Views", exact=True)).to_be_visible()


def test_a_run_shows_its_labels_and_leads_to_others_with_them(site: Site, admin: Visitor) -> None:
    run_id = labelled(site, customer="mono", urgent=True)
    page = admin.page(f"/runs/{run_id}")
    state_shown(page, "Success")

    expect(page.get_by_role("link", name="urgent=true")).to_be_visible()
    page.get_by_role("link", name="customer=mono").click()

    expect(row_of(page, short(run_id))).to_be_visible()
    expect(page.get_by_role("button", name="customer=mono")).to_be_visible()


def test_a_condition_that_cannot_be_read_is_told(site: Site, admin: Visitor) -> None:
    admin.watch.forgive("/runs?")
    page = admin.page("/runs")
    field = page.get_by_label("Label", exact=True)

    field.fill("a b")
    field.press("Enter")

    expect(page.get_by_text("is not a condition")).to_be_visible()


def test_jobs_are_found_by_their_labels(site: Site, admin: Visitor) -> None:
    site.post(
        "/jobs", name="tagged", http={"url": "http://127.0.0.1:9/ask"}, labels={"team": "web"}
    )
    page = admin.page("/jobs")

    page.get_by_label("Label", exact=True).select_option(label="team=web")

    expect(row_of(page, "tagged")).to_be_visible()
    expect(row_of(page, "greet")).to_have_count(0)
