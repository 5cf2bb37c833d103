"""Forms of parameters: nested types, days and lengths of time, and how a run is asked for."""

from __future__ import annotations

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, state_shown


def shown_run(page: Page) -> str:
    """The id in the address."""
    return page.url.rpartition("/")[2].partition("?")[0]


def part(asked: Locator, name: str) -> Locator:
    """The fields of one argument that has fields of its own."""
    return asked.get_by_role("group", name=name, exact=False).first


def test_dataclasses_models_lists_and_times_are_filled_in(site: Site, admin: Visitor) -> None:
    page = admin.page("/jobs/buy")
    press(page, "Trigger")
    asked = dialog(page, "Trigger buy")
    asked.get_by_label("day").fill("2026-03-05")
    for at, (item, many) in enumerate((("cup", "2"), ("plate", "5")), 1):
        press(asked, "Add to lines")
        part(asked, f"lines {at}").get_by_label("item").fill(item)
        part(asked, f"lines {at}").get_by_label("many").fill(many)
    asked.get_by_label("colour").select_option("blue")
    asked.get_by_label("street").fill("Main Street 1")
    asked.get_by_label("wait").fill("1h 30m")
    asked.get_by_label("at", exact=True).fill("2026-03-05T12:00:30")
    press(asked, "Trigger")

    state_shown(page, "Success")
    page.get_by_role("tab", name="Arguments and result").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text(
        "7 blue on 2026-03-05 to Main Street 1, 1:30:00, 2026-03-05 11:00:30+00:00"
    )
    assert site.run(shown_run(page))["args"]["purchase"] == {
        "day": "2026-03-05",
        "lines": [{"item": "cup", "many": 2}, {"item": "plate", "many": 5}],
        "colour": "blue",
    }


def test_what_is_no_length_of_time_is_not_sent(site: Site, admin: Visitor) -> None:
    page = admin.page("/jobs/buy")
    press(page, "Trigger")
    asked = dialog(page, "Trigger buy")
    asked.get_by_label("wait").fill("soon")

    expect(asked.get_by_role("button", name="Trigger", exact=True)).to_be_disabled()
    asked.get_by_label("wait").fill("20m")
    expect(asked.get_by_role("button", name="Trigger", exact=True)).to_be_enabled()


def test_a_form_begins_as_last_time(site: Site, admin: Visitor) -> None:
    site.submit_and_wait("greet", "success", name="Ada", times=3)
    page = admin.page("/jobs/greet")
    press(page, "Trigger")
    asked = dialog(page, "Trigger greet")
    press(asked, "As last time")

    expect(asked.get_by_label("name")).to_have_value("Ada")
    expect(asked.get_by_label("times")).to_have_value("3")


def test_a_run_is_asked_for_later_with_a_priority_and_a_key(site: Site, admin: Visitor) -> None:
    page = admin.page("/jobs/greet")
    press(page, "Trigger")
    asked = dialog(page, "Trigger greet")
    asked.get_by_label("name").fill("Eve")
    asked.get_by_text("Delay, priority, key").click()
    asked.get_by_label("Start after").fill("2h")
    asked.get_by_label("Priority").select_option("High")
    asked.get_by_label("Key").fill("eve-of-today")
    press(asked, "Trigger")

    state_shown(page, "Scheduled")
    run = site.run(shown_run(page))
    assert (run["key"], run["status"]) == ("eve-of-today", "scheduled")
    assert run["priority"] > 0
