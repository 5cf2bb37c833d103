"""Schedules: made and changed, with a look at what they mean before they are saved."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, row_of


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
    expect(made.get_by_role("listitem").first).to_contain_text("18:30")
    press(made, "Save")
    expect(made).to_be_hidden()

    row_of(page, "evening").click()
    shown = dialog(page, "evening")
    press(shown, "Edit")
    edited = dialog(page, "Edit evening")
    expect(edited.get_by_label("When")).to_have_value("30 18 * * *")
    edited.get_by_label("When").fill("15 7 * * mon")
    expect(edited.get_by_role("listitem").first).to_contain_text("07:15")
    press(edited, "Save")

    expect(edited).to_be_hidden()
    saved = site.get("/schedules/evening")
    assert (saved["trigger"], saved["zone"], saved["job"]) == (
        "15 7 * * mon",
        "America/New_York",
        "report",
    )


def test_what_the_form_suggests_is_understood(admin: Visitor) -> None:
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
