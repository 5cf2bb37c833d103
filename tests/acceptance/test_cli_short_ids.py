"""Ids may be shortened wherever a run is named, and an error lists the runs that may be meant."""

from __future__ import annotations

from rota import App
from rota.ids import is_id
from rota.model.runs.run import NewRun
from tests.acceptance.test_cli_help import on_a_terminal
from tests.support.cli import Rota

TWINS = ("01a1ec4b-195b-73cc-bc34-4cc642bc76f0", "01a1ec4b-2222-73cc-bc34-0cc642bc76f0")


def submitted(rota: Rota) -> str:
    return rota.good("submit", "add", "1", "--app", "shop.py").out.strip()


def given_twins(rota: Rota) -> None:
    """Submit two runs whose ids begin alike, and end in the same eleven characters."""
    submitted(rota)
    with App(rota.env["ROTA_URL"]) as app:
        app.submit_runs([NewRun(id=each, job="add", version=1) for each in TWINS])


def test_the_end_of_an_id_is_enough_in_any_case(rota: Rota) -> None:
    run_id = submitted(rota)

    for part in (run_id[-6:], run_id[-8:], run_id[-12:].upper(), run_id[-17:], run_id):
        shown = rota.good("runs", "show", part, "--json").documents[0]
        assert shown["executionId"] == run_id
    assert rota.good("runs", "cancel", run_id[-8:]).out.startswith(f"{run_id}  cancelled")
    assert rota.good("runs", "show", run_id[-8:], "--json").documents[0]["state"] == "cancelled"


def test_several_runs_that_may_be_meant_are_listed(rota: Rota) -> None:
    given_twins(rota)

    for part in (TWINS[0][-8:], TWINS[0][:8]):
        refused = rota("runs", "cancel", part)
        assert refused.code == 2
        for each in TWINS:
            assert f"{each} (add, queued)" in refused.err
        assert len(refused.err.splitlines()) == 1
    assert {run["state"] for run in rota.good("runs", "--json").documents} == {"queued"}
    assert rota.good("why", TWINS[1][-12:]).code == 0


def test_what_no_id_has_is_no_pattern(rota: Rota) -> None:
    submitted(rota)

    for part in ("______", "%%%%%%%", "zzzzzzz"):
        refused = rota("runs", "show", part)
        assert (refused.code, "no run has the id" in refused.err) == (2, True)


def test_handles_are_found_by_a_part_of_their_id(rota: Rota) -> None:
    run_id = submitted(rota)

    with App(rota.env["ROTA_URL"]) as app:
        assert app.find_run(run_id[-8:]).id == run_id


def test_a_terminal_shows_the_part_that_differs_and_a_pipe_the_whole(local: Rota) -> None:
    run_id = submitted(local)

    shown = on_a_terminal(local, "runs")

    assert run_id[-12:] in shown
    assert run_id not in shown
    assert all(is_id(line.split()[0]) for line in local.good("runs").out.splitlines()[1:])
