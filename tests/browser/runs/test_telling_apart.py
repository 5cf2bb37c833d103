"""Runs of the same job are told apart: by arguments, the time they are for, and their worker."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, row_of, settle, short, state_shown

DAY = "2026-03-05T05:00:00Z"


def test_a_list_of_runs_tells_arguments_the_time_they_are_for_and_the_worker(
    site: Site, admin: Visitor
) -> None:
    made = site.post("/schedules/report/trigger", scheduledFor=DAY)
    site.wait_for(str(made["executionId"]), "success")
    held = site.submit_and_wait("hold", "running", path=str(site.path()))
    worker = site.get("/workers")["items"][0]["name"]
    page = admin.page("/runs?jobId=report")

    expect(row_of(page, short(str(made["executionId"])))).to_contain_text("for 5 Mar")
    page.goto(f"{site.address}/runs?jobId=hold")
    expect(row_of(page, short(held))).to_contain_text(f"path={site.folder}")
    expect(row_of(page, short(held))).to_contain_text(worker)
    page.goto(f"{site.address}/runs/{held}")
    expect(page.get_by_role("definition").filter(has_text=worker)).to_be_visible()
    Path(site.run(held)["args"]["path"]).touch()


def test_a_failed_run_shows_its_arguments_beside_its_error(site: Site, admin: Visitor) -> None:
    bad = site.submit_and_wait("deliver", "failed", path=str(site.path()))
    page = admin.page(f"/runs/{bad}")

    expect(page.get_by_role("heading", name="ConnectionError")).to_be_visible()
    expect(page.get_by_role("region", name="Arguments")).to_contain_text(str(site.folder))


def test_one_goes_from_a_run_to_those_before_and_after_it(site: Site, admin: Visitor) -> None:
    first, second, third = (
        site.submit_and_wait("weigh", "success", share=share) for share in (0.25, 0.5, 0.75)
    )
    page = admin.page(f"/runs/{second}?tab=data")
    settle(page)

    page.get_by_role("button", name="Previous run of this job").click()
    expect(page).to_have_url(f"{site.address}/runs/{first}?tab=data")
    page.get_by_role("button", name="Next run of this job").click()
    expect(page).to_have_url(f"{site.address}/runs/{second}?tab=data")
    expect(page.get_by_role("region", name="Arguments")).to_contain_text("0.5")
    expect(page.get_by_role("button", name="Next run of this job")).to_be_enabled()
    page.keyboard.press("]")
    expect(page).to_have_url(f"{site.address}/runs/{third}?tab=data")
    expect(page.get_by_role("button", name="Next run of this job")).to_be_disabled()


def test_a_graph_under_way_runs_wherever_it_is_shown(site: Site, admin: Visitor) -> None:
    folder = site.path()
    folder.mkdir()
    graph = site.submit_and_wait("hold_all", "suspended", folder=str(folder))
    page = admin.page("/")

    title = page.get_by_role("heading", name="Running now")
    now = page.locator("section").filter(has=title).get_by_role("listitem")
    expect(now.filter(has_text=f"folder={folder.parent}").first).to_contain_text("hold_all")
    expect(now.filter(has_text=f"path={folder}")).to_have_count(0)
    page.goto(f"{site.address}/runs?status=running")
    expect(row_of(page, short(graph))).to_contain_text("Running")
    page.goto(f"{site.address}/graphs")
    expect(row_of(page, "hold_all")).to_contain_text("Running")
    page.goto(f"{site.address}/graphs/hold_all")
    expect(page.get_by_role("link", name="Running").first).to_be_visible()
    for each in "ab":
        (folder / each).touch()
    page.goto(f"{site.address}/runs/{graph}")
    state_shown(page, "Success")
