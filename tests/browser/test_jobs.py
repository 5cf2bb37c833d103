"""Jobs: found among many by what they do, and brought back to what they were."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, row_of

ASK = {"url": "http://127.0.0.1:9/ask", "method": "GET"}


def test_a_roll_back_shows_what_it_changes(site: Site, admin: Visitor) -> None:
    site.post("/jobs", name="asking", http=ASK, retries=1)
    site.put("/jobs/asking", name="asking", http=ASK, retries=5, timeout="20m")
    page = admin.page("/jobs/asking?tab=versions")

    press(page, "Roll back")
    asked = dialog(page, "Roll asking back to v1?")
    changes = asked.get_by_role("region", name="What changes")
    expect(changes).to_contain_text("Before: 5")
    expect(changes).to_contain_text("Before: 20m 00s")
    press(asked, "Roll back")

    expect(asked).to_be_hidden()
    expect(page.get_by_role("listitem").filter(has_text="Current")).to_contain_text("v1")
    assert site.get("/jobs/asking")["retries"] == 1


def test_jobs_are_found_by_what_they_do(site: Site, admin: Visitor) -> None:
    site.post("/jobs", name="resting", http=ASK)
    site.post("/jobs/resting/pause", note="Until the spring.")
    page = admin.page("/jobs")

    expect(row_of(page, "greet")).to_be_visible()
    page.get_by_label("State", exact=True).select_option(label="Paused")

    expect(row_of(page, "resting")).to_be_visible()
    expect(row_of(page, "greet")).to_have_count(0)
    assert "state=paused" in page.url
