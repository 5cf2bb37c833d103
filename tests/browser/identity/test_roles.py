"""Who may only look sees nothing to press; the pages ask the API, which knows who may do what."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.site import Site
from tests.browser.visitor import Visit, Visitor, settle

ACTS = (
    *("Trigger", "Cancel", "Rerun", "Pause", "Resume", "Delete", "Edit", "Backfill", "Drain"),
    *("Redrive", "Discard", "Mark", "Revoke", "Remove", "Roll back", "Unblock", "Actions for"),
    *("New job", "New template", "New schedule", "New calendar", "New window"),
    *("New token", "New namespace", "Rotate", "Share runs"),
    *("New rule", "New channel", "Turn off", "Test"),
)
ACTIVE = (
    *("job", "run, failed", "run, running", "run of a graph, node", "queues", "workers"),
    *("queue", "worker"),
    *("schedules", "schedule", "dead letter", "tokens", "namespaces"),
    *("jobs", "templates", "graph", "job, schedules", "token"),
    *("schedules, calendars", "schedules, maintenance", "alert rules", "alert channels"),
)
"""Pages on which something can be done."""


def acts_on(visitor: Visitor, places: dict[str, str]) -> dict[str, set[str]]:
    """What could be pressed on each page, by the first words on the buttons."""
    page = visitor.page()
    found = {}
    for name, path in places.items():
        page.goto(path, wait_until="commit")
        settle(page)
        found[name] = {act for act in ACTS for each in buttons(page) if each.startswith(act)}
    return {name: acts for name, acts in found.items() if acts}


def buttons(page: Page) -> list[str]:
    found: list[str] = page.get_by_role("button").evaluate_all(
        "all => all.map((each) => each.ariaLabel ?? each.innerText.trim())"
    )
    return found


def test_a_viewer_sees_no_button_it_may_not_press(
    visit: Visit, sqlite_site: Site, places: dict[str, str]
) -> None:
    viewer = visit(sqlite_site.address)
    viewer.sign_in(sqlite_site.token("viewer"))
    viewer.watch.forgive("403")  # some pages are for admins, and say so

    assert acts_on(viewer, {name: places[name] for name in ACTIVE}) == {}


def test_a_page_for_others_says_for_whom_and_where_to_go(
    visit: Visit, sqlite_site: Site, places: dict[str, str]
) -> None:
    viewer = visit(sqlite_site.address)
    viewer.sign_in(sqlite_site.token("viewer"))
    viewer.watch.forgive("403")
    page = viewer.page()
    told = page.get_by_role("alert")

    for name, role in (("audit", "audit"), ("tokens", "admin"), ("namespaces", "admin")):
        page.goto(places[name], wait_until="commit")
        expect(told).to_contain_text(f"needs the role {role}; the credential has viewer")
        expect(told.get_by_role("link", name="Sign in with another token")).to_be_visible()
    page.get_by_role("alert").get_by_role("link", name="See your roles").click()
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()


def test_a_user_sees_the_buttons_that_its_role_allows(
    visit: Visit, sqlite_site: Site, places: dict[str, str]
) -> None:
    """Otherwise nothing would be proved by a viewer who sees none."""
    admin = visit(sqlite_site.address)
    admin.sign_in(sqlite_site.token("admin", "exec"))

    acts = acts_on(admin, {name: places[name] for name in ACTIVE})

    assert acts["job"] >= {"Trigger", "Pause"}
    assert acts["run, failed"] == {"Rerun"}
    assert acts["run, running"] == {"Cancel"}
    assert acts["schedule"] >= {"Backfill", "Pause"}
    assert acts["workers"] >= {"Actions for"}
    assert acts["run of a graph, node"] >= {"Rerun"}
    assert acts["queues"] >= {"Actions for"}
    assert acts["schedules"] >= {"New schedule", "Actions for"}
    assert acts["tokens"] >= {"New token", "Actions for"}
    assert acts["dead letter"] >= {"Redrive", "Discard"}
    assert acts["jobs"] >= {"New job", "Actions for"}
    assert acts["templates"] >= {"New template"}
    assert acts["graph"] == {"Trigger"}
    assert acts["job, schedules"] >= {"New schedule", "Backfill"}
    assert acts["schedules, calendars"] >= {"New calendar"}
    assert acts["schedules, maintenance"] >= {"New window"}
    assert acts["token"] >= {"Rotate", "Revoke"}
    assert acts["alert rules"] >= {"New rule", "Edit", "Turn off", "Actions for"}
    assert acts["alert channels"] >= {"New channel", "Edit", "Test", "Actions for"}
