"""Monitors: made, pinged as a job would, paused, changed and removed."""

from __future__ import annotations

import re

import httpx2
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of


def test_a_monitor_is_made_and_shows_what_its_job_told(site: Site, admin: Visitor) -> None:
    page = admin.page("/monitors")

    press(page, "New monitor")
    made = dialog(page, "New monitor")
    made.get_by_label("Name").fill("db-backup")
    made.get_by_label("At the times of a cron line").check()
    made.get_by_label("Time zone").fill("America/New_York")
    made.get_by_label("Cron line", exact=True).fill("30 3 * * *")
    expect(made.get_by_role("listitem").first).to_contain_text("03:30 in New York")
    made.get_by_label("Grace time").fill("20m")
    made.get_by_label("Note").fill("the shop")
    press(made, "Save")

    shown = dialog(page, "db-backup")
    expect(shown).to_contain_text("At 03:30, every day, America/New_York, 20m of grace")
    address = site.address + str(site.get("/monitors/db-backup")["path"])
    expect(shown.get_by_text(address, exact=True)).to_be_visible()
    expect(shown.get_by_text(re.compile(r"^30 3 \* \* \* +/path/to/job; curl"))).to_be_visible()
    httpx2.post(f"{address}/start")
    expect(shown.get_by_text("Started", exact=True)).to_be_visible()
    httpx2.post(f"{address}/3", content=b"tar: no space left\n")
    expect(shown.get_by_text("It ended with exit status 3.")).to_be_visible()
    pings = shown.get_by_role("region", name="Pings")
    expect(pings.get_by_role("listitem")).to_have_count(2)
    press(pings, "Log")
    expect(pings.get_by_text("tar: no space left")).to_be_visible()
    press(shown, "Close")

    row = row_of(page, "db-backup")
    expect(row).to_contain_text("Down")
    expect(row.get_by_role("img")).to_have_attribute("aria-label", re.compile("1 of the last 2"))


def test_a_monitor_is_changed_paused_and_removed(site: Site, admin: Visitor) -> None:
    admin.watch.forgive("/monitors/weekly")
    site.put("/monitors/weekly", every="7d", grace="1d")
    page = admin.page("/monitors?id=weekly")
    shown = page.get_by_role("dialog", name="weekly", exact=True)

    press(shown, "Edit")
    edited = dialog(page, "Edit weekly")
    expect(edited.get_by_label("A ping every")).to_have_value("7d")
    edited.get_by_label("A ping every").fill("never")
    press(edited, "Save")
    expect(edited.get_by_role("alert")).to_contain_text("never")
    edited.get_by_label("A ping every").fill("8d")
    press(edited, "Save")
    expect(edited).to_be_hidden()
    expect(shown).to_contain_text("Every 8 days")

    press(shown, "Pause")
    paused = dialog(page, "Pause weekly?")
    paused.get_by_label("Note").fill("the machine moves")
    press(paused, "Pause")
    expect(paused).to_be_hidden()
    expect(shown).to_contain_text("the machine moves")
    press(shown, "Resume")
    expect(shown.get_by_text("New", exact=True)).to_be_visible()

    press(shown, "Delete")
    press(dialog(page, "Delete weekly?"), "Delete")
    expect(shown).to_be_hidden()
    expect(row_of(page, "weekly")).to_have_count(0)


def test_a_viewer_sees_no_address_and_no_buttons(sqlite_site: Site, visit: Visit) -> None:
    made = sqlite_site.put("/monitors/secretive", every="1d")
    viewer = visit(sqlite_site.address)
    viewer.sign_in(sqlite_site.token("viewer"))
    page = viewer.page("/monitors?id=secretive")

    shown = dialog(page, "secretive")

    expect(shown.get_by_text("shown to operators and not to viewers")).to_be_visible()
    expect(shown.get_by_role("button")).to_have_count(1)
    assert made["path"].split("/")[2] not in page.content()
    expect(page.get_by_role("button", name="New monitor")).to_have_count(0)
