"""What people do on the pages besides watching: search, run again, catch up, pause, fold, fetch."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from playwright.sync_api import Page, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, settle, short, state_shown
from tests.support.cli import eventually


def search_for(page: Page, text: str) -> None:
    page.keyboard.press("Control+k")
    page.get_by_role("combobox", name="Search pages").fill(text)


def test_one_field_finds_pages_jobs_runs_and_lines_of_logs(site: Site, admin: Visitor) -> None:
    run_id = site.submit_and_wait("greet", "success", name="Hypatia")
    page = admin.page("/settings")
    settle(page)
    found = page.get_by_role("listbox", name="Results").get_by_role("option")

    search_for(page, run_id)
    expect(found.filter(has_text=short(run_id))).to_be_visible()
    page.keyboard.press("Escape")
    search_for(page, "hello hypatia")
    expect(found).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(f"/runs/{run_id}\\?tab=log&find=hello"))
    expect(page.get_by_role("log")).to_contain_text("hello Hypatia")

    search_for(page, "queu")
    expect(found.first).to_contain_text("Queues")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Queues")).to_be_visible()


def test_a_run_is_repeated_with_other_arguments(site: Site, admin: Visitor) -> None:
    run_id = site.submit_and_wait("greet", "success", name="Ada")
    page = admin.page(f"/runs/{run_id}")

    press(page, "Rerun")
    asked = dialog(page, "Rerun greet")
    expect(asked.get_by_label("name")).to_have_value("Ada")
    asked.get_by_label("name").fill("Emmy")
    press(asked, "Rerun")

    expect(page).not_to_have_url(re.compile(run_id))
    state_shown(page, "Success")
    again = page.url.rpartition("/")[2].partition("?")[0]
    assert site.run(again)["args"]["name"] == "Emmy"


def test_many_runs_are_repeated_after_the_server_counted_them(site: Site, admin: Visitor) -> None:
    gate = site.path()
    ids = [site.submit_and_wait("deliver", "failed", path=str(gate)) for _ in range(2)]
    gate.touch()
    page = admin.page(f"/runs?jobId=deliver&error={gate.name}")

    for run_id in ids:
        page.get_by_role("checkbox", name=f"Select {run_id}").check()
    press(page, "Rerun")
    press(dialog(page, "Rerun 2 runs?"), "Rerun 2 runs")

    expect(page.get_by_text("2 runs submitted again.")).to_be_visible()
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(0)


def test_a_backfill_shows_its_runs_before_it_starts_them(site: Site, admin: Visitor) -> None:
    page = admin.page("/schedules?edit=report")

    press(dialog(page, "report"), "Backfill")
    asked = dialog(page, "Backfill report")
    asked.get_by_label("From").fill("2024-01-01T00:00")
    asked.get_by_label("Until").fill("2024-01-04T00:00")
    press(asked, "Show what would run")
    expect(asked.get_by_text("3 runs would start")).to_be_visible()
    press(asked, "Start 3 runs")
    expect(asked).to_be_hidden()
    press(dialog(page, "report"), "Close")
    page.get_by_role("tab", name="Backfills").click()

    expect(page.get_by_text(re.compile("of 3 runs"))).to_be_visible()
    eventually(lambda: site.get("/backfills")["items"][0]["succeeded"] == 3, "the backfill has run")


def test_a_queue_is_paused_with_a_note_and_goes_on(site: Site, admin: Visitor) -> None:
    site.post("/queues/cellar/pause", note="")
    site.post("/queues/cellar/resume")
    made = site.post("/runs", jobId="greet", args={"name": "Eve"}, queue="cellar")
    page = admin.page("/queues")
    row = row_of(page, "cellar")

    row.get_by_role("button", name="Actions for cellar").click()
    page.get_by_role("menuitem", name="Pause").click()
    asked = dialog(page, "Pause cellar?")
    asked.get_by_label("Note").fill("the stairs are wet")
    press(asked, "Pause")
    expect(row).to_contain_text("Paused")
    expect(row).to_contain_text("the stairs are wet")
    row.get_by_role("button", name="Actions for cellar").click()
    page.get_by_role("menuitem", name="Resume").click()

    expect(row).not_to_contain_text("Paused")
    site.post(f"/runs/{made['executionId']}/cancel")


def test_groups_fold_and_a_node_shows_its_log_which_can_be_fetched(
    site: Site, admin: Visitor, tmp_path: Path
) -> None:
    folder = site.path()
    folder.mkdir()
    run_id = site.submit_and_wait("order", "failed", folder=str(folder))
    page = admin.page(f"/runs/{run_id}?tab=graph&node=ship")
    nodes = page.locator(".react-flow__node")
    expect(nodes).to_have_count(4)

    press(page, "packing")
    expect(nodes).to_have_count(3)
    nodes.filter(has_text="packing").click()
    expect(nodes).to_have_count(4)

    told = site.get(f"/runs/{run_id}/nodes")["graph"]["nodes"]
    ran = next(each["runId"] for each in told if each["name"] == "ship")
    page.get_by_role("region", name="Node ship").get_by_role("link", name=short(ran)).click()
    expect(page).to_have_url(re.compile(f"/runs/{ran}"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("ship")
    state_shown(page, "Failed")
    greeted = site.submit_and_wait("greet", "success", name="Ada", times=2)
    page.goto(f"/runs/{greeted}", wait_until="commit")
    with page.expect_download() as fetched:
        press(page, "Download the log")
    fetched.value.save_as(tmp_path / "log")
    assert (tmp_path / "log").read_text().count("hello Ada\n") == 2


def test_the_theme_is_remembered(visit: Visit, sqlite_site: Site) -> None:
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.page("/settings")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    page.get_by_role("radio", name="Dark").check()
    expect(root).to_have_attribute("data-theme", "dark")
    page.reload(wait_until="commit")
    expect(page.get_by_role("radio", name="Dark")).to_be_checked()
    expect(root).to_have_attribute("data-theme", "dark")
    press(page, "Light or dark")
    expect(root).to_have_attribute("data-theme", "light")


def test_times_are_of_the_zone_of_the_viewer_with_utc_beside(site: Site, admin: Visitor) -> None:
    run_id = site.submit_and_wait("greet", "success", name="Ada")
    made = datetime.fromisoformat(site.run(run_id)["createdAt"])
    page = admin.page("/runs?jobId=greet&text=Ada")
    time = row_of(page, short(run_id)).get_by_role("time").first

    expect(time).to_contain_text(f"{made.astimezone(ZoneInfo('Europe/Paris')):%H:%M:%S}")
    expect(time).to_have_attribute("title", re.compile(f"{made:%H:%M:%S}.* UTC"))
