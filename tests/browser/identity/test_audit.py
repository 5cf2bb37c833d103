"""The audit tells what a change was: from what to what."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, row_of

ASK = {"url": "http://127.0.0.1:9/ask", "method": "GET"}


def test_an_entry_shows_the_fields_that_changed(site: Site, admin: Visitor) -> None:
    for expression in ("0 2 * * *", "0 3 * * *"):
        site.put("/schedules/ledger_day", job="nightly", expression=expression, zone="UTC")
    page = admin.page("/audit?subject=ledger_day")

    row_of(page, "ledger_day").first.click()
    told = dialog(page, "Put schedule: ledger_day").get_by_role("row")
    expect(told.filter(has_text="Trigger")).to_contain_text("0 2 * * *")
    expect(told.filter(has_text="Trigger")).to_contain_text("0 3 * * *")


def test_an_entry_of_a_job_leads_to_what_changed_in_its_versions(
    site: Site, admin: Visitor
) -> None:
    site.post("/jobs", name="asked", http=ASK, retries=1)
    site.put("/jobs/asked", name="asked", http=ASK, retries=5)
    page = admin.page("/audit?subject=asked")

    row_of(page, "asked").first.click()
    told = dialog(page, "Define job: asked")
    told.get_by_role("link", name="What changed from v1 to v2").click()
    expect(page.get_by_text("Before: 1").first).to_be_visible()
