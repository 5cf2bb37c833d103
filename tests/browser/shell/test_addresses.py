"""Every view has an address: whoever gets it sees the same, and "back" leads to what was before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.site import ADMIN, Site
from tests.browser.visitor import Visitor, dialog, press, row_of, settle

Act = Callable[[Page], None]
Sight = Callable[[Page], Locator]


def click(name: str) -> Act:
    return lambda page: press(page, name)


def tab(name: str) -> Act:
    return lambda page: page.get_by_role("tab", name=name).click()


def write(label: str, text: str) -> Act:
    return lambda page: page.get_by_label(label, exact=True).fill(text)


def choose(label: str, option: str) -> Act:
    return lambda page: _do(page.get_by_label(label, exact=True).select_option(option))


def open_row(text: str) -> Act:
    return lambda page: row_of(page, text).first.click()


def chosen_tab(name: str) -> Sight:
    return lambda page: page.get_by_role("tab", name=name, selected=True)


def pressed(name: str) -> Sight:
    return lambda page: page.get_by_role("button", name=name, pressed=True)


def window(title: str) -> Sight:
    return lambda page: page.get_by_role("dialog", name=title)


def with_value(label: str, text: str) -> Sight:
    return lambda page: page.get_by_label(label, exact=True).and_(page.locator(f"[value='{text}']"))


def option(label: str, text: str) -> Sight:
    return lambda page: page.get_by_label(label, exact=True).locator(
        "option:checked", has_text=text
    )


def region(name: str) -> Sight:
    return lambda page: page.get_by_role("region", name=name)


def _do(_: object) -> None:
    """For what answers something that nobody wants."""


class View(NamedTuple):
    """What is done, what the address then says, and what is seen by whoever gets it."""

    act: Act
    said: str
    sight: Sight


def written(label: str, text: str, said: str) -> View:
    return View(write(label, text), said, with_value(label, text))


VIEWS: dict[str, tuple[str, list[View]]] = {
    "window of the overview": (
        "overview",
        [
            View(
                lambda page: page.get_by_text("24 hours", exact=True).click(),
                "window=24h",
                lambda page: page.get_by_role("radio", name="24 hours", checked=True),
            )
        ],
    ),
    "jobs that fit": (
        "jobs",
        [
            written("Search jobs", "ord", "q=ord"),
            View(choose("Kind", "graph"), "kind=graph", option("Kind", "graph")),
        ],
    ),
    "templates": ("jobs", [View(tab("Templates"), "tab=templates", chosen_tab("Templates"))]),
    "new job": ("jobs", [View(click("New job"), "new=job", window("New job"))]),
    "versions of a job": ("job", [View(tab("Versions"), "tab=versions", chosen_tab("Versions"))]),
    "failed runs and steps": (
        "runs",
        [
            View(click("Failed"), "status=failed", pressed("Failed")),
            View(click("Steps of graphs"), "steps=yes", pressed("Steps of graphs")),
        ],
    ),
    "runs that fit": (
        "runs",
        [
            written("Job", "greet", "jobId=greet"),
            written("Queue", "default", "queue=default"),
            written("Text in arguments or key", "Ada", "text=Ada"),
            written("Text in the error", "nobody", "error=nobody"),
            View(choose("Since", "1h"), "since=1h", option("Since", "Last hour")),
        ],
    ),
    "attempts of a run": (
        "run, failed",
        [View(tab("Attempts"), "tab=attempts", chosen_tab("Attempts"))],
    ),
    "lines of a log": (
        "run, log",
        [
            written("Search in the log", "Ada", "find=Ada"),
            View(
                choose("Lowest level", "error"),
                "level=error",
                option("Lowest level", "error and worse"),
            ),
        ],
    ),
    "node of a graph": (
        "run of a graph",
        [
            View(
                lambda page: page.get_by_role("button", name=re.compile("^ship Failed")).click(),
                "node=ship",
                region("Node ship"),
            )
        ],
    ),
    "gantt": ("run of a graph", [View(tab("Gantt"), "tab=gantt", chosen_tab("Gantt"))]),
    "graphs that fit": ("graphs", [written("Search graphs", "ord", "q=ord")]),
    "definition of a graph": (
        "graph",
        [View(tab("Definition"), "tab=graph", chosen_tab("Definition"))],
    ),
    "cause of dead letters": (
        "dead letters",
        [
            View(
                lambda page: page.get_by_role("button").filter(has_text="deliver ·").click(),
                "group=",
                lambda page: page.get_by_role("button", pressed=True).filter(has_text="deliver ·"),
            )
        ],
    ),
    "dead letter": (
        "dead letters of a cause",
        [View(open_row("nobody opens"), "id=", window("Dead letter"))],
    ),
    "schedule that fits": (
        "schedules",
        [
            written("Search schedules", "rep", "q=rep"),
            View(open_row("report"), "edit=report", window("report")),
        ],
    ),
    "new schedule": (
        "schedules",
        [View(click("New schedule"), "new=schedule", window("New schedule"))],
    ),
    "week after this": (
        "schedules",
        [
            View(tab("Week"), "tab=week", chosen_tab("Week")),
            View(
                click("Week after"),
                "week=1",
                lambda page: page.get_by_role("button", name="This week", disabled=False),
            ),
        ],
    ),
    "act that fits": (
        "audit",
        [
            written("Search who, action or subject", "sign in", "text=sign"),
            View(choose("Since", "7d"), "since=7d", option("Since", "Last 7 days")),
            View(open_row("sign in"), "act=", window("sign in")),
        ],
    ),
    "namespaces": ("tokens", [View(tab("Namespaces"), "tab=namespaces", chosen_tab("Namespaces"))]),
}


@pytest.fixture(scope="module")
def guest(chromium: Browser, sqlite_site: Site) -> Iterator[Page]:
    """One page for all views: a context for each would take longer than the look."""
    context = chromium.new_context(
        base_url=sqlite_site.address, viewport={"width": 1440, "height": 900}
    )
    visitor = Visitor(context, sqlite_site.address)
    visitor.sign_in(ADMIN)
    yield visitor.page()
    context.close()


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_in_the_address(guest: Page, places: dict[str, str], name: str) -> None:
    place, views = VIEWS[name]
    guest.goto(places[place], wait_until="commit")
    settle(guest)
    for act, said, sight in views:
        expect(sight(guest)).to_have_count(0)
        act(guest)
        expect(sight(guest)).to_have_count(1)
        expect(guest).to_have_url(re.compile(rf"[?&]{said}"))
    guest.reload(wait_until="commit")
    settle(guest)

    for _, said, sight in views:
        expect(sight(guest)).to_have_count(1)
        assert said in guest.url


def test_back_leads_through_views_and_not_through_typing(
    guest: Page, places: dict[str, str]
) -> None:
    guest.goto(places["runs"], wait_until="commit")
    settle(guest)
    press(guest, "Failed")
    expect(guest).to_have_url(re.compile(r"\?status=failed$"))
    guest.get_by_label("Queue").fill("default")
    expect(guest).to_have_url(re.compile("status=failed&queue=default$"))
    row_of(guest, "order").first.click()
    guest.get_by_role("tab", name="Gantt").click()
    expect(guest).to_have_url(re.compile("tab=gantt$"))

    guest.go_back(wait_until="commit")
    expect(guest.get_by_role("tab", name="Graph", selected=True)).to_be_visible()
    guest.go_back(wait_until="commit")
    expect(guest).to_have_url(re.compile("status=failed&queue=default$"))
    expect(guest.get_by_label("Queue")).to_have_value("default")
    guest.go_back(wait_until="commit")
    expect(guest).to_have_url(re.compile("/runs$"))
    expect(guest.get_by_role("button", name="Failed", pressed=False)).to_be_visible()


def test_back_does_not_open_again_what_was_closed(guest: Page, places: dict[str, str]) -> None:
    guest.goto(places["jobs"], wait_until="commit")
    settle(guest)
    guest.get_by_role("link", name="Schedules").click()
    row_of(guest, "report").first.click()
    press(dialog(guest, "report"), "Close")
    expect(guest.get_by_role("dialog")).to_have_count(0)
    guest.go_back(wait_until="commit")
    expect(guest.get_by_role("heading", name="Schedules")).to_be_visible()
    expect(guest.get_by_role("dialog")).to_have_count(0)


LISTS = (
    ("runs", "Runs", "/runs/"),
    ("jobs", "Jobs", "/jobs/"),
    ("graphs", "Graphs", "/graphs/"),
    ("schedules", "Schedules", "/schedules?edit="),
    ("queues", "Queues", "/queues/"),
    ("audit", "Acts", "/audit?act="),
)


def test_a_name_in_a_list_is_a_link(guest: Page, places: dict[str, str]) -> None:
    """So that it opens in a new tab, is copied and is found by readers."""
    for place, table, start in LISTS:
        guest.goto(places[place], wait_until="commit")
        link = guest.get_by_role("table", name=table).get_by_role("link").first
        expect(link).to_have_attribute("href", re.compile(f"^{re.escape(start)}."))
    guest.goto(places["dead letters of a cause"], wait_until="commit")
    letters = guest.get_by_role("table", name="Dead letters of this cause")
    with guest.context.expect_page() as opened:
        letters.get_by_role("link").first.click(modifiers=["Control"])
    expect(opened.value.get_by_role("dialog", name="Dead letter")).to_be_visible()
    opened.value.close()
