"""In the middle of the night: from what is wrong to its cause, in a few clicks."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.site import ADMIN, JOBS, Site, address_of
from tests.browser.visitor import Visit, Visitor, dialog, press, row_of, short, state_shown
from tests.support.cli import Rota


def test_a_failed_run_shows_its_error_and_leads_to_its_letter(site: Site, admin: Visitor) -> None:
    gate = site.path()
    run_id = site.submit_and_wait("deliver", "failed", path=str(gate))
    page = admin.page(f"/runs/{run_id}")

    expect(page.get_by_text("ConnectionError", exact=True)).to_be_visible()
    expect(page.get_by_text(f"nobody opens at {gate.name}", exact=True)).to_be_visible()
    page.get_by_role("link", name="Dead letter: ").click()
    letter = dialog(page, "Dead letter")
    expect(letter).to_contain_text(gate.name)
    gate.touch()
    press(letter, "Redrive")

    expect(letter).to_be_hidden()
    state_shown(page, "Success")
    assert run_id not in page.url, "it is a run of its own"


def test_a_run_that_fails_before_your_eyes_tells_why(site: Site, admin: Visitor) -> None:
    gate = site.path()
    run_id = site.submit("collapse", path=str(gate))
    page = admin.page(f"/runs/{run_id}")
    state_shown(page, "Running")
    gate.touch()

    state_shown(page, "Failed")
    expect(page.get_by_text(f"the bridge at {gate.name} gave way", exact=True)).to_be_visible()
    expect(page.get_by_role("region", name="Traceback")).to_contain_text("in collapse")


def test_a_cause_shows_the_traceback_and_log_of_its_newest_run(site: Site, admin: Visitor) -> None:
    run_id = site.submit_and_wait("repeat", "failed", text="the last words")
    group = site.get(f"/dead-letters/{run_id}")["group"]
    page = admin.page(f"/dead-letters?group={group}")

    expect(page.get_by_role("region", name="Traceback")).to_contain_text("in repeat")
    expect(page.get_by_role("region", name="The end of its log")).to_contain_text("the last words")
    page.get_by_role("link", name="Open the run").click()
    state_shown(page, "Failed")


def test_the_first_of_the_causes_is_open_where_there_is_room(site: Site, admin: Visitor) -> None:
    site.submit_and_wait("deliver", "failed", path=str(site.path()))
    page = admin.page("/dead-letters")
    letters = page.get_by_role("table", name="Dead letters of this cause")

    expect(page.get_by_role("button", pressed=True)).to_have_count(1)
    expect(letters).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("button", pressed=True)).to_have_count(0)
    expect(letters).to_have_count(0)


def test_a_failure_is_compared_with_what_went_well_before(site: Site, admin: Visitor) -> None:
    gate, closed = site.path(), site.path()
    gate.touch()
    good = site.submit_and_wait("deliver", "success", path=str(gate))
    site.submit_and_wait("deliver", "failed", path=str(closed))
    bad = site.submit_and_wait("deliver", "failed", path=str(closed))

    page = admin.page(f"/runs/{bad}?tab=compare")

    expect(page.get_by_label("Compare with")).to_have_value(good)


def test_the_runs_of_a_graph_are_one_run_until_somebody_asks(site: Site, admin: Visitor) -> None:
    folder = site.path()
    folder.mkdir()
    run_id = site.submit_and_wait("order", "failed", folder=str(folder))
    steps = site.get(f"/runs?parentId={run_id}")["items"]
    ship = next(each["executionId"] for each in steps if each["node"] == "ship")
    page = admin.page("/runs?status=failed")

    expect(row_of(page, short(run_id))).to_be_visible()
    expect(row_of(page, short(ship))).to_have_count(0)
    press(page, "Steps of graphs")
    expect(row_of(page, short(ship))).to_be_visible()
    page.goto("/runs?jobId=ship", wait_until="commit")
    expect(row_of(page, short(ship))).to_be_visible()


def test_a_failed_graph_leads_to_the_instance_that_failed(site: Site, admin: Visitor) -> None:
    folder = site.path()
    folder.mkdir()
    (folder / "a").touch()
    run_id = site.submit_and_wait("deliver_all", "failed", folder=str(folder))
    page = admin.page(f"/runs/{run_id}")

    press(page, "deliver")
    failed = page.get_by_role("list", name="Failed instances").get_by_role("listitem")
    expect(failed).to_have_count(1)
    expect(failed).to_contain_text("item 1")
    expect(failed).to_contain_text("nobody opens at b")
    failed.get_by_role("link").click()

    state_shown(page, "Failed")
    expect(page.get_by_role("link", name="Dead letter: ")).to_have_count(0)


def test_a_queue_tells_why_its_runs_wait(site: Site, admin: Visitor) -> None:
    site.post("/queues/attic/pause", note="The stairs are being painted.")
    made = site.post("/runs", jobId="greet", args={"name": "Eve"}, queue="attic")
    page = admin.page("/queues")

    row_of(page, "attic").get_by_role("button", name="Why do runs wait in attic?").click()
    told = dialog(page, "Why do runs wait in attic?")
    expect(told).to_contain_text("The stairs are being painted.")
    expect(told).to_contain_text("No worker that is alive serves this queue.")
    told.get_by_role("link", name="The run that waits").click()

    expect(row_of(page, "greet")).to_have_count(1)
    site.post(f"/runs/{made['executionId']}/cancel")


def test_the_overview_says_first_what_needs_a_person(site: Site, admin: Visitor) -> None:
    site.post("/queues/cellar/pause", note="The lamp is broken.")
    made = site.post("/runs", jobId="greet", args={"name": "Eve"}, queue="cellar")
    page = admin.page("/")
    told = page.get_by_role("list", name="Needs attention").get_by_role("listitem")
    cellar = told.filter(has_text="Queue cellar is paused, and 1 run waits in it.")

    expect(cellar).to_contain_text("The lamp is broken.")
    cellar.get_by_role("link").click()
    expect(page.get_by_role("heading", name="cellar")).to_contain_text("Paused")
    site.post("/queues/cellar/resume")
    site.post(f"/runs/{made['executionId']}/cancel")


def test_a_page_says_that_it_is_old_when_its_server_is_gone(
    visit: Visit, built: None, tmp_path: Path
) -> None:
    settings = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": ADMIN}
    rota = Rota(tmp_path, ROTA_URL=f"sqlite:///{tmp_path}/rota.db", **settings)
    with rota.started("up", str(JOBS)) as served:
        visitor = visit(address_of(served))
        visitor.sign_in(ADMIN)
        page = visitor.page("/queues")
        expect(page.get_by_role("status").filter(has_text="Live")).to_be_visible()
        visitor.watch.forgive("ERR_")
        served.kill()

        told = page.get_by_role("status").filter(has_text="No connection to the server since")
        expect(told).to_be_visible()
        expect(row_of(page, "default")).to_be_visible()


def test_an_address_with_a_tab_that_is_not_there_shows_the_first(admin: Visitor) -> None:
    page = admin.page("/schedules?tab=nonsense")

    expect(row_of(page, "report")).to_be_visible()
    expect(page.get_by_role("tab", name="Schedules")).to_have_attribute("aria-selected", "true")
