"""`rota demo --once`: all examples run, end as they must, and the figures are shown."""

from __future__ import annotations

import re

import httpx2

from tests.support.cli import Rota


def test_the_demo_runs_by_itself_and_shows_its_figures(local: Rota) -> None:
    said = local.good("demo", "--once", ROTA_URL="sqlite:///real.db")
    shown = ("--nodes", "--url", "sqlite:///rota-demo.db", "--json")
    failed = local.good("runs", "--state", "failed", *shown)

    assert f"store  {local.folder}/rota-demo.db" in said.out
    assert not (local.folder / "real.db").exists()
    assert said.out.count("as expected") == 8
    assert re.search(r"^web    http://127\.0\.0\.1:\d+", said.out, re.MULTILINE)
    assert re.search(r"burst: 5,000 runs in [\d.]+ s, [\d,]+ runs/s", said.out)
    assert "attempt 2 failed (ConnectionError), tried again soon" in said.out
    assert "failed for good: retries used up (2)" in said.out
    assert {run["jobId"] for run in failed.documents} == {"sync_stock", "fulfil", "pack"}
    assert "\x1b[" not in said.out


def test_the_demo_can_be_watched_until_ctrl_c_and_repeated(local: Rota) -> None:
    local.good("demo", "--once")
    with local.started("demo") as served:
        served.wait_for("burst: all 5,000 runs done")
        served.wait_for("failed for good")
        served.wait_for("Ctrl-C ends the demo")
        link = re.findall(r"http://\S+/login\?ticket=\S+", served.text)[0]
        assert signs_in(link), "the store has tokens already, and still there is a link"
        result = local.good(
            "submit", "thumbnail", "cat.png", "--wait", "--url", "sqlite:///rota-demo.db"
        )

        served.press_ctrl_c()

        assert served.wait() == 0
    assert "cat.png" in result.out


def signs_in(link: str) -> bool:
    address, _, ticket = link.partition("/login?ticket=")
    with httpx2.Client(base_url=address, timeout=20) as browser:
        browser.post("/login", data={"ticket": ticket})
        return browser.get("/api/v1/session").status_code == 200


def test_the_demo_goes_without_pages_if_it_is_told_to(local: Rota) -> None:
    with local.started("demo", "--no-server") as served:
        served.wait_for("Ctrl-C ends the demo")

        served.press_ctrl_c()

        assert served.wait() == 0
    assert "http://" not in served.text
