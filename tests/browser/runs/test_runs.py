"""Runs as a person sees them: going by, triggered, cancelled, and talking."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, short, state_shown


def mark(page: Page) -> None:
    """A reload would forget it."""
    page.evaluate("window.isTheSamePage = true")


def is_the_same(page: Page) -> bool:
    return bool(page.evaluate("window.isTheSamePage === true"))


def test_runs_go_by_without_a_reload(site: Site, admin: Visitor) -> None:
    page = admin.page("/runs")
    expect(page.get_by_role("status").filter(has_text="Live").first).to_be_visible()
    mark(page)
    gate = site.path()

    run_id = site.submit("hold", path=str(gate))
    row = row_of(page, short(run_id))
    expect(row).to_contain_text("Running")
    expect(row).to_contain_text("half way")
    gate.touch()

    expect(row).to_contain_text("Success")
    assert is_the_same(page)


def test_a_job_is_triggered_with_typed_parameters(site: Site, admin: Visitor) -> None:
    page = admin.page("/jobs/greet")

    press(page, "Trigger")
    asked = dialog(page, "Trigger greet")
    expect(asked.get_by_label("times")).to_have_attribute("type", "number")
    expect(asked.get_by_label("times")).to_have_value("1")
    expect(asked.get_by_label("name")).to_have_attribute("required", "")
    expect(asked.get_by_label("tone").get_by_role("option", selected=True)).to_have_text("warm")
    asked.get_by_label("name").fill("Grace")
    asked.get_by_label("times").fill("3")
    asked.get_by_label("tone").select_option("cold")
    press(asked, "Trigger")

    state_shown(page, "Success")
    expect(page.get_by_role("log")).to_contain_text("hello Grace")
    page.get_by_role("tab", name="Arguments and result").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text(
        "cold greetings to Grace, 3 times"
    )
    run_id = page.url.rpartition("/")[2].partition("?")[0]
    assert site.run(run_id)["args"] == {"name": "Grace", "times": 3, "tone": "cold"}


def test_a_number_is_sent_as_it_was_typed(sqlite_site: Site, sqlite_admin: Visitor) -> None:
    page = sqlite_admin.page("/jobs/weigh")

    press(page, "Trigger")
    asked = dialog(page, "Trigger weigh")
    asked.get_by_label("share").press_sequentially("0.05")
    press(asked, "Trigger")

    state_shown(page, "Success")
    run_id = page.url.rpartition("/")[2].partition("?")[0]
    assert sqlite_site.run(run_id)["args"] == {"share": 0.05}


def test_a_moment_is_typed_key_by_key(sqlite_admin: Visitor) -> None:
    """Each key makes another date. The 11th of the 11th: browsers differ in what is first."""
    page = sqlite_admin.page("/runs")
    page.get_by_label("Since", exact=True).select_option(label="Between …")
    begin = page.get_by_label("From", exact=True)

    begin.focus()
    page.keyboard.type("11112026", delay=100)

    expect(begin).to_have_value(re.compile("^2026-11-11T"))
    expect(page).to_have_url(re.compile("since=2026-11-1[01]T"))


def test_the_form_shows_arguments_that_the_job_would_refuse(admin: Visitor) -> None:
    admin.watch.forgive("/jobs/greet/trigger")
    page = admin.page("/jobs/greet")

    press(page, "Trigger")
    asked = dialog(page, "Trigger greet")
    press(asked, "Edit as JSON")
    asked.get_by_label("Arguments").fill('{"name": "Grace", "nmae": 1}')
    press(asked, "Trigger")

    expect(asked.get_by_role("alert")).to_contain_text("nmae")
    asked.get_by_label("Arguments").fill('{"times": 2}')
    press(asked, "Trigger")
    expect(asked.get_by_role("alert")).to_contain_text("name")


def test_a_running_run_is_cancelled(site: Site, admin: Visitor) -> None:
    run_id = site.submit_and_wait("hold", "running", path=str(site.path()))
    page = admin.page(f"/runs/{run_id}")

    press(page, "Cancel")
    asked = dialog(page, f"Cancel hold {short(run_id)}?")
    press(asked, "Keep as it is")
    expect(asked).to_be_hidden()
    assert site.run(run_id)["status"] == "running"
    press(page, "Cancel")
    press(dialog(page, f"Cancel hold {short(run_id)}?"), "Cancel the run")

    state_shown(page, "Cancelled")
    assert site.run(run_id)["status"] == "cancelled"


def test_chosen_runs_are_cancelled_together(site: Site, admin: Visitor) -> None:
    ids = [site.submit_and_wait("hold", "running", path=str(site.path())) for _ in range(3)]
    page = admin.page("/runs?status=running&jobId=hold")

    for run_id in ids[:2]:
        page.get_by_role("checkbox", name=f"Select {run_id}").check()
    press(page, "Cancel")
    press(dialog(page, "Cancel 2 runs?"), "Cancel 2 runs")

    for run_id in ids[:2]:
        site.wait_for(run_id, "cancelled")
        expect(row_of(page, short(run_id))).to_be_hidden()
    assert site.run(ids[2])["status"] == "running"
    site.post(f"/runs/{ids[2]}/cancel")


def test_runs_chosen_under_other_filters_are_forgotten(sqlite_site: Site, visit: Visit) -> None:
    run_id = sqlite_site.submit_and_wait("hold", "running", path=str(sqlite_site.path()))
    admin = visit(sqlite_site.address)
    admin.sign_in(ADMIN)
    page = admin.page("/runs?jobId=hold")
    box = page.get_by_role("checkbox", name=f"Select {run_id}")

    box.check()
    expect(page.get_by_text("1 run selected")).to_be_visible()
    press(page, "Running")

    expect(page).to_have_url(re.compile("status=running"))
    expect(page.get_by_text("1 run selected")).to_have_count(0)
    expect(box).not_to_be_checked()
    sqlite_site.post(f"/runs/{run_id}/cancel")


def test_a_log_is_followed_while_it_grows(site: Site, admin: Visitor) -> None:
    gate = site.path()
    run_id = site.submit_and_wait("talk", "running", path=str(gate))
    page = admin.page(f"/runs/{run_id}")
    log = page.get_by_role("log")
    expect(log).to_contain_text("the first thing")
    mark(page)

    gate.touch()
    expect(log).to_contain_text("the second thing")
    expect(log).to_contain_text("WARN")
    gate.with_name(f"{gate.name}.end").touch()

    state_shown(page, "Success")
    assert is_the_same(page)
    page.get_by_label("Search in the log").fill("second")
    expect(page.get_by_text("1 of 2 lines")).to_be_visible()
    expect(log).not_to_contain_text("the first thing")

    expect(page).to_have_url(re.compile(r"[?&]find=second"))
    page.reload()
    expect(log).to_contain_text("the second thing")
    expect(log).not_to_contain_text("the first thing")


def test_a_run_says_why_it_does_not_run(site: Site, admin: Visitor) -> None:
    site.post("/queues/asleep/pause", note="the mail server is down")
    try:
        made = site.post("/runs", jobId="greet", args={"name": "Ada"}, queue="asleep")
        page = admin.page(f"/runs/{made['executionId']}")

        expect(page.get_by_role("heading", name="Why is it not running?")).to_be_visible()
        expect(page.get_by_text("the mail server is down")).to_be_visible()
    finally:
        site.post("/queues/asleep/resume")
