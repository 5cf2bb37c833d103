"""Who is told of failures, on the command line: what a job names, and the two runs as a pair."""

from __future__ import annotations

from tests.support.cli import Rota

SHOP = """
from rota import App, Failure
app = App()

@app.job
def tell(failure: Failure) -> str:
    return failure.error_message

@app.job(retries=0, on_failure=tell)
def charge(order: int) -> str:
    raise ValueError(f"order {order} is too small")
"""


def test_a_failed_run_and_the_one_that_tells_of_it_lead_to_each_other(rota: Rota) -> None:
    (rota.folder / "shop.py").write_text(SHOP)
    with rota.serving("up", "shop.py"):
        assert rota("submit", "charge", "1", "--wait", "--timeout", "30s").code == 7
        (failed,) = rota.good("runs", "--job", "charge", "--json").documents
        (shown,) = rota.good("runs", "show", failed["executionId"], "--json").documents
        told = shown["onFailureRun"]
        assert rota.good("runs", "wait", told, "--timeout", "30s").out == '"order 1 is too small"\n'
        (other,) = rota.good("runs", "show", told, "--json").documents
        page = rota.good("runs", "show", failed["executionId"]).out
        other_page = rota.good("runs", "show", told).out
        job = rota.good("jobs", "show", "charge").out

    assert (other["failureOf"], other["onFailureRun"]) == (failed["executionId"], None)
    assert f"run {told}" in page
    assert failed["executionId"] in other_page
    assert "on failure" in job
    assert "tell" in job


def test_a_name_that_nobody_has_is_refused_when_the_app_starts(rota: Rota) -> None:
    (rota.folder / "shop.py").write_text(SHOP.replace("on_failure=tell", "on_failure='tel'"))

    said = rota("worker", "shop.py")

    assert said.code != 0
    assert "job 'charge': on_failure: no job is named 'tel'" in said.err
    assert "Did you mean 'tell'?" in said.err
    assert "Traceback" not in said.err
