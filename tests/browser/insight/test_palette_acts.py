"""The palette does what is written: a verb, and what it is about."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.site import Site
from tests.browser.visitor import Visit, Visitor, dialog, press


def write(page: Page, text: str) -> None:
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()
    expect(page.get_by_role("dialog")).to_have_count(0)  # the one before closes after its toast
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search pages").fill(text)


def test_a_queue_is_paused_and_resumed_by_words(site: Site, admin: Visitor) -> None:
    site.post("/runs", jobId="greet", args={"name": "Eve"}, delay="1h", queue="letters")
    page = admin.page("/settings")
    write(page, "pause lett")
    page.get_by_role("option", name="Pause queue letters").click()
    asked = dialog(page, "Pause letters?")
    asked.get_by_label("Note").fill("The ink is dry.")
    press(asked, "Pause")

    expect(page.get_by_text("letters is paused.").first).to_be_visible()
    assert site.get("/queues/letters")["note"] == "The ink is dry."
    write(page, "resume queue lett")
    page.get_by_role("option", name="Resume queue letters").click()
    expect(page.get_by_text("letters goes on.").first).to_be_visible()
    assert not site.get("/queues/letters")["paused"]


def test_who_may_only_look_is_offered_no_act(visit: Visit, sqlite_site: Site) -> None:
    viewer = visit(sqlite_site.address)
    viewer.sign_in(sqlite_site.token("viewer"))
    page = viewer.page("/settings")
    write(page, "pause default")

    expect(page.get_by_text("Nothing found")).to_be_visible()
