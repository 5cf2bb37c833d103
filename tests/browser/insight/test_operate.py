"""Queues, workers, tokens and the audit: what bounds, who works, who may, who did."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, row_of


def test_a_queue_tells_what_bounds_it_and_is_paused(site: Site, admin: Visitor) -> None:
    site.post("/runs", jobId="greet", args={"name": "Eve"}, delay="1h", queue="bounded")
    page = admin.page("/queues")

    row_of(page, "bounded").click()
    expect(page.get_by_role("heading", name="bounded")).to_be_visible()
    limits = page.get_by_role("listitem")
    expect(limits.filter(has_text="No worker that is alive serves it")).to_be_visible()
    press(page, "Pause")
    asked = dialog(page, "Pause bounded?")
    asked.get_by_label("Note").fill("The disks are full.")
    press(asked, "Pause")

    expect(limits.filter(has_text="Paused: The disks are full.")).to_be_visible()
    assert site.get("/queues/bounded")["note"] == "The disks are full."
    press(page, "Resume")
    expect(limits.filter(has_text="Paused")).to_have_count(0)


def test_a_worker_tells_its_queues_and_jobs(sqlite_site: Site, sqlite_admin: Visitor) -> None:
    worker = sqlite_site.get("/workers")["items"][0]
    page = sqlite_admin.page("/workers")

    row_of(page, worker["name"]).click()

    told = dialog(page, worker["name"])
    expect(told.get_by_text(f"Knows {len(worker['jobs'])} jobs")).to_be_visible()
    told.get_by_role("link", name="default", exact=True).click()
    expect(page.get_by_role("heading", name="default")).to_be_visible()


def test_a_token_is_made_rotated_and_told_of_by_name(site: Site, admin: Visitor) -> None:
    page = admin.page("/access")
    press(page, "New token")
    form = dialog(page, "New token")
    form.get_by_label("Name").fill("nightly import")
    form.get_by_label("operator").check()
    press(form, "Create token")
    first = dialog(page, "Copy the token now")
    expect(first.get_by_text("rota_")).to_be_visible()
    press(first, "Close")

    row_of(page, "nightly import").click()
    press(dialog(page, "nightly import"), "Rotate")
    press(dialog(page, "New secret for nightly import?"), "Rotate")
    press(dialog(page, "Copy the token now"), "Close")

    tokens = [each for each in site.get("/tokens")["items"] if each["name"] == "nightly import"]
    assert [each["roles"] for each in tokens] == [["operator"], ["operator"]]
    page.goto(f"{site.address}/audit")
    page.get_by_role("searchbox").fill("Rotate")
    row_of(page, "Rotate token").filter(has_text="nightly import").click()
    act = dialog(page, "Rotate token: nightly import")
    expect(act.get_by_text(tokens[1]["id"], exact=True)).to_be_visible()


def test_the_palette_opens_a_schedule_by_its_name_or_its_job_and_a_graph(
    sqlite_site: Site, sqlite_admin: Visitor
) -> None:
    sqlite_site.post("/jobs", name="dawn-chorus", command="true")
    sqlite_site.put("/schedules/sunrise", job="dawn-chorus", expression="0 5 * * *", zone="UTC")
    page = sqlite_admin.page("/")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search pages")
    field.fill("choru")
    expect(page.get_by_role("option", name="sunrise dawn-chorus")).to_be_visible()
    field.fill("sunri")
    field.press("Enter")
    press(dialog(page, "sunrise"), "Close")

    page.keyboard.press("Control+k")
    field.fill("deliver_all")
    page.get_by_role("option", name="deliver_all", exact=True).click()
    expect(page).to_have_url(re.compile("/graphs/deliver_all$"))


def test_the_palette_opens_a_queue_and_begins_a_token(
    sqlite_site: Site, sqlite_admin: Visitor
) -> None:
    page = sqlite_admin.page("/")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Search pages")
    field.fill("defaul")
    page.get_by_role("option", name="default").click()
    expect(page.get_by_role("heading", name="default")).to_be_visible()

    page.keyboard.press("Control+k")
    field.fill("new tok")
    page.get_by_role("option", name="New token").click()
    dialog(page, "New token")
