"""Alerts are set up on their pages, reach people, and are seen until they are over."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.site import Site
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, settle, short
from tests.support.cli import eventually
from tests.support.webserver import WebServer


@pytest.fixture
def receiver() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


@pytest.fixture
def clean(site: Site) -> Iterator[Site]:
    """A site on which no rule and no channel of a test is left behind."""
    before = kept(site)
    yield site
    for place in kept(site) - before:
        site.api.delete(place)


def kept(site: Site) -> set[str]:
    """The places of all rules and channels."""
    kinds = ("alert-rules", "alert-channels")
    return {f"/{kind}/{each['name']}" for kind in kinds for each in site.get(f"/{kind}")["items"]}


def fail(site: Site) -> str:
    """A run that fails for good, of a job of which no other test has failed runs."""
    return site.submit_and_wait("ship", "failed", parts=[], folder=str(site.path()))


def test_a_channel_is_made_by_a_form_and_tells_whether_a_test_arrived(
    clean: Site, admin: Visitor, receiver: WebServer
) -> None:
    page = admin.page("/alerts?tab=channels")
    press(page, "New channel")
    form = dialog(page, "New channel")
    form.get_by_label("Name").fill("desk")
    form.get_by_label("URL").fill(receiver.url("/status/204"))
    form.get_by_label("Signing secret").fill("a key that both know")
    press(form, "Save")
    listed = page.get_by_role("listitem").filter(has_text="desk")
    expect(listed).to_contain_text("Nothing delivered yet")
    expect(listed).to_contain_text("Signed")

    press(listed, "Test")
    answer = dialog(page, "Test of desk")
    expect(answer).to_contain_text("Arrived at the first try")
    press(answer, "Close")

    expect(listed).to_contain_text("Last delivery")
    (request,) = [seen for seen in receiver.seen if seen.method == "POST"]
    assert request.headers["webhook-signature"].startswith("v1,")


def test_a_mail_channel_is_made_of_fields_and_keeps_its_password_to_itself(
    clean: Site, admin: Visitor
) -> None:
    page = admin.page("/alerts?tab=channels")
    press(page, "New channel")
    form = dialog(page, "New channel")
    form.get_by_label("Name").fill("post")
    form.get_by_label("E-mail").check()
    form.get_by_label("Mail server").fill("mail.example.org")
    form.get_by_label("Port").fill("2525")
    form.get_by_label("User").fill("rota")
    form.get_by_label("Password").fill("p@ss/word")
    form.get_by_label("From", exact=True).fill("rota@example.org")
    form.get_by_label("To", exact=True).fill("ann@example.org, bob@example.org")
    press(form, "Save")

    listed = page.get_by_role("listitem").filter(has_text="post")
    expect(listed).to_contain_text(
        "smtp://mail.example.org:2525/?to=ann@example.org,bob@example.org"
    )
    assert "p@ss" not in page.content()


def test_a_channel_that_refuses_shows_its_error_and_the_next_try(
    clean: Site, admin: Visitor, receiver: WebServer
) -> None:
    clean.put("/alert-channels/broken", url=receiver.url("/status/503"))
    page = admin.page("/alerts?tab=channels")
    listed = page.get_by_role("listitem").filter(has_text="broken")
    press(listed, "Test")
    answer = dialog(page, "Test of broken")
    expect(answer).to_contain_text("Retrying")
    expect(answer).to_contain_text("503")
    press(answer, "Close")
    expect(listed).to_contain_text("Failing")

    page.get_by_role("tab", name="Messages").click()
    row = row_of(page, "to broken")
    expect(row).to_contain_text("Retrying")
    expect(row).to_contain_text("1 try, the next in")
    row.click()
    expect(dialog(page, "A test message")).to_contain_text("503")


def test_a_failed_run_opens_an_incident_that_all_pages_tell_of(clean: Site, admin: Visitor) -> None:
    page = admin.page("/alerts?tab=rules")
    make_rule(page)
    rule = page.get_by_role("listitem").filter(has_text="shipping")
    expect(rule).to_contain_text("No channel nobody-yet")
    run_id = fail(clean)

    expect(page.get_by_role("link", name=re.compile("Alerts [12] open incident"))).to_be_visible()
    page.goto(f"{clean.address}/")
    told = page.get_by_role("list", name="Needs attention").get_by_role("listitem")
    told.filter(has_text="ship failed: ConnectionError").click()
    incident = page.get_by_role("dialog")
    expect(incident).to_contain_text("Critical")
    expect(incident.get_by_role("definition").filter(has_text="shipping")).to_be_visible()
    incident.get_by_role("link", name=short(run_id)).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ship")


def make_rule(page: Page) -> None:
    press(page, "New rule")
    form = dialog(page, "New alert rule")
    form.get_by_label("Name", exact=True).fill("shipping")
    form.get_by_label(re.compile("^To .*channels")).fill("nobody-yet")
    form.get_by_label("Only for jobs").fill("ship")
    form.get_by_label("Severity").select_option("Critical")
    form.get_by_label("Remind every").fill("")
    form.get_by_label("Quiet hours").check()
    form.get_by_label("From", exact=True).fill("21:30")
    press(form, "Save")


def test_a_rule_is_edited_and_what_a_form_does_not_show_stays(clean: Site, admin: Visitor) -> None:
    clean.put("/alert-channels/ops", url="https://example.org/hook")
    before = {
        "on": ["run.failed", "cause.new"],
        "to": ["ops", "later"],
        "jobs": ["a.*", "b"],
        "queues": ["mail"],
        "severity": "warning",
        "group": "cause",
        "after": 3,
        "window": "5m",
        "repeat": None,
        "recovery": False,
        "quiet": {"begin": "22:00", "end": "07:00", "zone": "Europe/Paris"},
        "atMost": 4,
        "enabled": True,
    }
    clean.put("/alert-rules/full", **before)
    page = admin.page("/alerts?tab=rules")
    press(page.get_by_role("listitem").filter(has_text="full"), "Edit")
    form = dialog(page, "Edit full")
    form.get_by_label("Note").fill("because")
    press(form, "Save")
    expect(page.get_by_role("listitem").filter(has_text="full")).to_contain_text("because")

    after = clean.get("/alert-rules/full")
    assert {name: after[name] for name in before} == before
    assert after["note"] == "because"


def test_a_rule_that_is_turned_off_closes_its_incidents(clean: Site, admin: Visitor) -> None:
    clean.put("/alert-rules/watch", on=["run.failed"], to=["nobody"], jobs=["ship"])
    fail(clean)
    eventually(lambda: clean.get("/alerts?status=open&rule=watch")["items"], "an incident is open")
    page = admin.page("/alerts?tab=rules")
    press(page.get_by_role("listitem").filter(has_text="watch"), "Turn off")
    expect(page.get_by_role("listitem").filter(has_text="watch")).to_contain_text("Off")
    eventually(lambda: not clean.get("/alerts?status=open&rule=watch")["items"], "it is closed")

    page.goto(f"{clean.address}/alerts?rule=watch")
    expect(page.get_by_text("No incident fits")).to_be_visible()
    page.get_by_label("State").select_option("Closed")
    expect(row_of(page, "ship failed")).to_contain_text("Closed")


def test_an_operator_makes_rules_and_tests_channels_but_makes_none(
    visit: Visit, clean: Site
) -> None:
    clean.put("/alert-channels/ops", url="https://example.org/hook")
    clean.put("/alert-rules/watch", on=["queue.paused"], to=["ops"])
    operator = visit(clean.address)
    operator.sign_in(clean.token("operator"))
    page = operator.page("/alerts?tab=channels")
    settle(page)
    channel = page.get_by_role("listitem").filter(has_text="ops")

    expect(channel.get_by_role("button", name="Test")).to_be_visible()
    expect(page.get_by_role("button", name="New channel")).to_have_count(0)
    expect(channel.get_by_role("button", name="Edit")).to_have_count(0)
    page.get_by_role("tab", name="Rules").click()
    expect(page.get_by_role("button", name="New rule")).to_be_visible()
    expect(page.get_by_role("button", name="Turn off").first).to_be_visible()


def test_who_sees_some_queues_sees_their_incidents_and_no_rules(visit: Visit, clean: Site) -> None:
    clean.put("/alert-rules/watch", on=["run.failed"], to=["nobody"], jobs=["ship"])
    fail(clean)
    eventually(lambda: clean.get("/alerts?status=open&rule=watch")["items"], "an incident is open")
    made = clean.post("/tokens", name="some", roles=["operator"], queues=["default"])
    guest = visit(clean.address)
    guest.sign_in(str(made["token"]))
    page = guest.page("/alerts?rule=watch")

    expect(row_of(page, "ship failed")).to_be_visible()
    expect(page.get_by_role("tab")).to_have_text(["Incidents"])
