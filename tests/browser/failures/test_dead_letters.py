"""Dead letters: what failed for good runs again when its cause is gone."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.visitor import Visitor, dialog, press, row_of, short, state_shown


def test_a_dead_letter_runs_again_with_other_arguments(site: Site, admin: Visitor) -> None:
    closed, open_ = site.path(), site.path()
    open_.touch()
    run_id = site.submit_and_wait("deliver", "failed", path=str(closed))
    page = admin.page("/dead-letters")

    page.get_by_role("button").filter(has_text=closed.name).click()
    row_of(page, short(run_id)).click()
    letter = dialog(page, "Dead letter")
    arguments = letter.get_by_label("Arguments")
    expect(arguments).to_have_value(f'{{\n  "path": "{closed}"\n}}')
    arguments.fill(f'{{"path": "{open_}"}}')
    press(letter, "Redrive")

    expect(letter).to_be_hidden()
    state_shown(page, "Success")
    again = site.get(f"/dead-letters/{run_id}")["rerunId"]
    expect(page).to_have_url(re.compile(f"/runs/{again}"))
    assert site.run(again)["args"] == {"path": str(open_)}


def test_the_second_redrive_is_told_that_its_arguments_were_not_used(
    sqlite_site: Site, sqlite_admin: Visitor
) -> None:
    site = sqlite_site
    closed, open_ = site.path(), site.path()
    open_.touch()
    run_id = site.submit_and_wait("deliver", "failed", path=str(closed))
    page = sqlite_admin.page(f"/dead-letters?id={run_id}")
    letter = dialog(page, "Dead letter")
    letter.get_by_label("Arguments").fill("null")
    expect(letter.get_by_text("write {} for none")).to_be_visible()
    expect(letter.get_by_role("button", name="Redrive", exact=True)).to_be_disabled()
    letter.get_by_label("Arguments").fill('{"path": "/mine"}')

    first = site.post(f"/dead-letters/{run_id}/redrive", args={"path": str(open_)})
    press(letter, "Redrive")

    told = f"It was already redriven as {short(first['rerunId'])}. Your arguments were not used."
    expect(page.get_by_text(told)).to_be_visible()
    expect(page).to_have_url(re.compile(f"/runs/{first['rerunId']}"))


def test_all_of_one_cause_run_again(site: Site, admin: Visitor) -> None:
    gate = site.path()
    ids = [site.submit_and_wait("deliver", "failed", path=str(gate)) for _ in range(3)]
    page = admin.page("/dead-letters")

    page.get_by_role("button").filter(has_text=gate.name).click()
    Path(gate).touch()
    press(page, "Redrive all 3")
    press(dialog(page, "Redrive 3 dead letters?"), "Redrive 3")

    expect(page.get_by_text("3 dead letters run again.")).to_be_visible()
    for run_id in ids:
        site.wait_for(site.get(f"/dead-letters/{run_id}")["rerunId"], "success")
