"""Jobs: found among many by what they do, and brought back to what they were."""

from __future__ import annotations

import re

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


def test_a_template_is_made_in_a_form_that_tells_what_is_wrong_with_which_field(
    site: Site, admin: Visitor
) -> None:
    admin.watch.forgive("/templates/")
    page = admin.page("/jobs?tab=templates")

    press(page, "New template")
    made = dialog(page, "New template")
    made.get_by_label("Name", exact=True).first.fill("nightly")
    made.get_by_label("Name of the job").fill("nightly-${region}")
    made.get_by_label("Command").fill("echo ${regio}")
    made.get_by_label("Retries").fill("${tries}")
    press(made, "Add a blank")
    made.get_by_label("Name", exact=True).last.fill("tries")
    made.get_by_label("Type").last.select_option("integer")
    made.get_by_label("Default").last.fill("2")
    made.get_by_label("What it is for").last.fill("How often it is tried again")
    press(made, "Save")
    expect(made.get_by_label("Command")).to_have_accessible_description(
        re.compile("regio} is not a parameter")
    )
    expect(made.get_by_label("Command")).to_have_attribute("aria-invalid", "true")
    made.get_by_label("Command").fill("echo ${region}")

    press(made, "Edit as JSON")
    expect(made.get_by_label("Definition")).to_have_value(re.compile('"retries": "\\${tries}"'))
    press(made, "Edit as a form")
    expect(made.get_by_label("Command")).to_have_value("echo ${region}")
    press(made, "Save")
    expect(made).to_be_hidden()

    press(page, "Make a job")
    asked = dialog(page, "A job from nightly")
    expect(asked.get_by_text("How often it is tried again")).to_be_visible()
    asked.get_by_label("region").fill("north")
    press(asked, "Create the job")
    expect(page).to_have_url(re.compile("/jobs/nightly-north"))
    assert site.get("/jobs/nightly-north")["definition"]["retries"] == 2
