"""Schedules: made and changed, with a look at what they mean before they are saved."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from playwright.sync_api import expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, state_shown


def test_a_schedule_is_edited_with_a_preview_of_what_it_means(site: Site, admin: Visitor) -> None:
    admin.watch.forgive("/schedules/preview")
    page = admin.page("/schedules")

    press(page, "New schedule")
    made = dialog(page, "New schedule")
    made.get_by_label("Name").fill("evening")
    made.get_by_label("Job").fill("report")
    made.get_by_label("Time zone").fill("America/New_York")
    when = made.get_by_label("When")
    when.fill("61 * * * *")
    expect(made.get_by_role("alert")).to_contain_text("61")
    expect(made.get_by_role("button", name="Save")).to_be_disabled()
    when.fill("30 18 * * *")
    expect(made.get_by_role("listitem").first).to_contain_text("18:30 in New York")
    press(made, "Save")
    expect(made).to_be_hidden()

    row_of(page, "evening").click()
    shown = dialog(page, "evening")
    press(shown, "Edit")
    edited = dialog(page, "Edit evening")
    expect(edited.get_by_label("When")).to_have_value("30 18 * * *")
    edited.get_by_label("When").fill("15 7 * * mon")
    expect(edited.get_by_role("listitem").first).to_contain_text("07:15 in New York")
    press(edited, "Save")

    expect(edited).to_be_hidden()
    saved = site.get("/schedules/evening")
    assert (saved["trigger"], saved["zone"], saved["job"]) == (
        "15 7 * * mon",
        "America/New_York",
        "report",
    )


def test_the_examples_in_the_form_are_valid(admin: Visitor) -> None:
    page = admin.page("/schedules")

    press(page, "New schedule")
    made = dialog(page, "New schedule")
    hint = made.get_by_text(re.compile("^A cron line such as"))
    examples = re.findall(r"as (.+?), or|(@[\w.]+(?: [\w.]+)?)", hint.inner_text())
    assert len(examples) >= 4

    for line, word in examples:
        with page.expect_response("**/schedules/preview") as answered:
            made.get_by_label("When").fill(line or word)
        assert answered.value.ok, line or word
        expect(made.get_by_role("button", name="Save")).to_be_enabled()


def test_the_hours_that_clocks_skip_are_marked(admin: Visitor) -> None:
    page = admin.page("/schedules")

    press(page, "New schedule")
    made = dialog(page, "New schedule")
    made.get_by_label("Time zone").fill("Europe/Paris")
    made.get_by_label("When").fill("30 2 * 3 sun")

    expect(made.get_by_text("Clock skips this hour").first).to_be_visible()


def test_the_form_shows_the_calendar_that_a_schedule_has(site: Site, admin: Visitor) -> None:
    site.put("/calendars/alps", country="FR", weekend=[5, 6])
    site.put("/schedules/alpine", job="report", expression="0 9 * * *", calendar="alps")
    page = admin.page("/schedules?edit=alpine")

    press(dialog(page, "alpine"), "Edit")
    edited = dialog(page, "Edit alpine")

    expect(edited.get_by_label("Days", exact=True)).to_have_value("alps")
    press(edited, "Save")
    expect(edited).to_be_hidden()
    assert site.get("/schedules/alpine")["definition"]["calendar"] == "alps"


def test_a_backfill_is_seen_before_it_starts(site: Site, admin: Visitor) -> None:
    site.put("/schedules/ledger", job="report", expression="0 3 * * *", zone="UTC")
    page = admin.page("/schedules?edit=ledger")

    press(dialog(page, "ledger"), "Backfill")
    asked = dialog(page, "Backfill ledger")
    asked.get_by_label("From").fill("2026-01-10T00:00")
    asked.get_by_label("Until").fill("2026-01-13T00:00")
    press(asked, "Show what would run")

    shown = asked.get_by_role("region", name="What would run")
    expect(shown.get_by_role("listitem")).to_have_count(3)
    assert not backfills_of(site, "ledger")
    asked.get_by_label("Until").fill("2026-01-12T00:00")
    expect(shown).to_have_count(0)
    press(asked, "Show what would run")
    press(asked, "Start 2 runs")

    expect(asked).to_be_hidden()
    assert [each["total"] for each in backfills_of(site, "ledger")] == [2]


def backfills_of(site: Site, schedule: str) -> list[dict[str, Any]]:
    return [each for each in site.get("/backfills")["items"] if each["schedule"] == schedule]


def test_the_page_shows_past_firings_and_why_one_was_left_out(site: Site, admin: Visitor) -> None:
    file = site.path()
    never = {"job": "hold", "expression": "0 0 29 2 *", "overlap": "skip"}
    site.put("/schedules/leap", **never, args={"path": str(file)})
    run_id = site.post("/schedules/leap/trigger")["executionId"]
    site.wait_for(run_id, "running")
    assert site.post("/schedules/leap/trigger")["executionId"] is None
    page = admin.page("/schedules?edit=leap")

    past = dialog(page, "leap").get_by_role("region", name="Past firings")
    rows = past.get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("Left out, as the last run still ran")
    expect(rows.last).to_contain_text("by hand")
    file.touch()
    rows.last.get_by_role("link", name="Running").click()
    expect(page).to_have_url(re.compile(f"/runs/{run_id}"))
    state_shown(page, "Success")


def test_a_maintenance_window_is_told_in_words(site: Site, admin: Visitor) -> None:
    weekly = {"trigger": "0 2 * * sun", "duration": "90m", "zone": "Europe/Paris"}
    site.put("/blackouts/repair", kind="skip", queue="nobodys", **weekly)
    page = admin.page("/schedules?tab=windows")

    expect(page.get_by_text("At 02:00, on Sunday, for 90 minutes, Europe/Paris")).to_be_visible()
    expect(page.get_by_text("0 2 * * sun")).to_have_count(0)


def test_the_week_tells_days_off_and_what_they_moved(sqlite_site: Site, visit: Visit) -> None:
    today = datetime.now(ZoneInfo("Europe/Paris")).date()
    off = today + timedelta(days=3)
    sqlite_site.put("/calendars/fair", weekend=[], off=[off.isoformat()])
    at_dawn = f"15 4 * * {off.isoweekday() % 7}"
    rolled = {"expression": at_dawn, "zone": "Europe/Paris", "calendar": "fair", "roll": "next"}
    sqlite_site.put("/schedules/stalls", job="report", **rolled)
    visitor = visit(sqlite_site.address)
    visitor.sign_in(ADMIN)
    page = visitor.page("/schedules?tab=week")

    expect(page.get_by_role("listitem").filter(has_text="By fair")).to_contain_text("Day off")
    free = page.get_by_role("columnheader").filter(has_text="By fair")
    expect(free).to_contain_text(f"{off.day} ")
    moved = page.get_by_role("cell").filter(has=page.get_by_role("link", name="stalls"))
    expect(moved).to_have_count(1)
    expect(moved).to_contain_text("moved from")
    expect(moved).to_contain_text("day off")


def test_the_week_tells_in_its_hours_what_has_fired_and_how_it_ended(
    site: Site, admin: Visitor
) -> None:
    morning = datetime.now(UTC).replace(hour=6, minute=20, second=0, microsecond=0)
    site.put("/schedules/milk", job="report", expression="20 6 * * *", zone="UTC")
    day_before = (morning - timedelta(days=1)).isoformat()
    made = site.post("/schedules/milk/trigger", scheduledFor=day_before)
    site.wait_for(str(made["executionId"]), "success")
    page = admin.page("/schedules?tab=week")

    of_hour = page.get_by_role("row").filter(has_text="milk").get_by_role("link")
    fired = of_hour.filter(has_text="milk").filter(has_text="Success")
    expect(fired).to_have_count(1)
    expect(of_hour.filter(has_text="milk").nth(2)).to_be_visible()
    fired.click()
    expect(page).to_have_url(f"{site.address}/runs/{made['executionId']}")
