"""Breakers, calendars, windows, backfills, graphs, events, files, namespaces: as on a database."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rota.handles.actor import whoami
from tests.acceptance.test_cli_remote import WITH_SERVER, Both
from tests.support.cli import Rota, eventually

APP = """
import os, time
from rota import App, current_run

app = App()


@app.job
def add(a: int = 1, b: int = 1) -> int:
    return a + b


@app.job(retries=0)
def boom(order: int = 1) -> None:
    raise ValueError(f"no stock for {order}")


@app.job(retries=1, backoff="none")
def mail() -> str:
    with current_run().once("send", in_doubt="park") as effect:
        if not effect.is_done:
            raise TimeoutError("no answer")
    return effect.result


@app.graph
def load() -> None:
    boom(order=add(a=1))


@app.job
def hold(path: str) -> int:
    while not os.path.exists(path):
        time.sleep(0.01)
    return 1


@app.graph
def slow(path: str) -> None:
    boom(order=hold(path))
"""
FILE = """
jobs:
  ping:
    http: {url: "https://example.org/health", method: GET}
    schedule: "0 3 * * *"
  say: {command: [echo, "{word}"]}
"""


@pytest.fixture
def both(tmp_path: Path, store_url: str) -> Iterator[Both]:
    straight = Rota(tmp_path, ROTA_URL=store_url)
    (tmp_path / "works.py").write_text(APP)
    with straight.serving("up", "works.py", **WITH_SERVER) as served:
        yield Both(straight, served, tmp_path)


def test_effects(both: Both) -> None:
    assert both.alike("effects").err == "no effect is in doubt\n"
    run_id = both.straight.good("submit", "mail").out.strip()
    assert both.straight("runs", "wait", run_id).code == 7
    (shown,) = both.alike_json("effects")
    assert (shown["executionId"], shown["name"], shown["state"]) == (run_id, "send", "in_doubt")
    both.alike("effects", "show", run_id)
    assert both.alike("effects", "settle", run_id, "send").code == 2
    assert both.alike("effects", "settle", run_id, "send", "--done", "--result", "{").code == 2
    assert both.alike("effects", "settle", run_id, "nothing", "--not-done").code == 2
    said = both.afar.good("effects", "settle", run_id, "send", "--done", "--result", '"ok"')
    assert said.out.endswith(f"rota dead redrive {run_id}\n")
    assert both.alike_json("effects", "show", run_id)[0]["result"] == "ok"
    assert both.alike("effects", "settle", run_id, "send", "--not-done").code == 3
    redriven = both.straight.good("dead", "redrive", run_id).out.split()[-1]
    assert both.straight.good("runs", "wait", redriven, "--timeout", "30s").out == '"ok"\n'


def test_breakers(both: Both) -> None:
    assert both.alike("breakers").err == "no job has a breaker\n"
    assert both.afar.good("breakers", "open", "add", "--note", "down").out.endswith("is open\n")
    (shown,) = both.alike_json("breakers")
    assert (shown["state"], shown["note"]) == ("open", "down")
    both.alike("breakers")
    assert both.alike("breakers", "open", "ad").code == 2
    assert both.afar.good("breakers", "close", "add", "--json").documents[0]["state"] == "closed"
    both.alike("breakers")


def test_calendars_and_windows(both: Both) -> None:
    days = ("--country", "FR", "--off", "2026-12-24", "--weekend", "fri,sat")
    assert both.afar.good("calendars", "set", "acme", *days).out == "calendar acme is version 1\n"
    (shown,) = both.alike_json("calendars")
    assert shown["off"] == ["2026-12-24"]
    both.alike("calendars")
    assert both.alike("calendars", "set", "acme", "--off", "soon").code == 2
    assert both.alike("calendars", "remove", "other").code == 2
    rule = ("nightly", "0 3 * * *", "--job", "add", "-o", "calendar=acme")
    assert both.afar.good("schedules", "set", *rule).out
    assert both.alike("calendars", "remove", "acme").code == 2, "a schedule names it"

    window = ("--kind", "skip", "--trigger", "0 2 * * sun", "--duration", "4h", "--note", "tidy")
    assert both.afar.good("blackouts", "set", "sunday", *window).out == "window sunday is set\n"
    once = ("--kind", "defer", "--from", "2026-12-24T22:00Z", "--until", "2026-12-25T06:00Z")
    assert both.afar.good("blackouts", "set", "move", *once).out
    assert [each["name"] for each in both.alike_json("blackouts")] == ["move", "sunday"]
    both.alike("blackouts")
    assert both.alike("blackouts", "set", "bad", "--kind", "skip").code == 2
    assert both.afar.good("blackouts", "remove", "move").out == "window move is removed\n"
    assert both.alike("blackouts", "remove", "move").code == 2


def test_backfills(both: Both) -> None:
    both.afar.good("schedules", "set", "nightly", "0 3 * * *", "--job", "add")
    past = ("nightly", "--from", "2026-01-01", "--to", "2026-01-04")

    planned = both.alike_json("schedules", "backfill", *past, "--dry-run")
    assert [each["starts"] for each in planned] == [True] * 3
    both.alike("schedules", "backfill", *past, "--dry-run", "--newest-first")
    done = both.afar.good("schedules", "backfill", *past, "a=2", "--parallel", "2", "--json")
    assert done.documents[0]["succeeded"] == 3
    (shown,) = both.alike_json("schedules", "backfills", "nightly")
    assert (shown["state"], shown["concurrency"]) == ("done", 2)
    both.alike("schedules", "backfills")
    both.alike_json("schedules", "show", "nightly", "--count", "3")
    assert both.alike("schedules", "backfills", "--cancel", shown["id"]).code == 3
    assert both.alike("schedules", "backfill", *past, "c=1").code == 2
    empty = ("nightly", "--from", "2026-01-04", "--to", "2026-01-01")
    assert both.alike("schedules", "backfill", *empty).code == 2
    assert both.afar("schedules", "backfill", *past, "--who", "ann").code == 2


def test_runs_of_graphs_are_looked_at_and_stepped_into(both: Both) -> None:
    run_id = both.afar("submit", "load", "--wait", "--json").documents[0]["executionId"]

    assert [each["name"] for each in both.alike_json("graph", "nodes", run_id)] == ["add", "boom"]
    both.alike("graph", "nodes", run_id[-12:])
    (fresh,) = both.afar.good("graph", "rerun", run_id, "--json").documents
    assert fresh["rerun_of"] == run_id
    both.afar("runs", "wait", fresh["id"])
    assert both.alike_json("graph", "nodes", fresh["id"])[0]["state"] == "success"
    whole = both.afar.good("graph", "rerun", run_id, "--all").out.strip()
    assert both.afar("runs", "wait", whole).code == 7
    assert both.alike("graph", "rerun", run_id, "--from", "third").code == 2
    for verb in ("pause", "resume"):
        assert both.alike("graph", verb, run_id).code == 3
    assert both.alike("graph", "mark", run_id, "boom", "success").code == 3

    plain = both.afar("submit", "add", "--wait", "--json").documents[0]["executionId"]
    assert both.alike("graph", "rerun", plain, "--all").code != 0


def test_a_graph_is_paused_marked_and_resumed(both: Both, tmp_path: Path) -> None:
    release = tmp_path / "release"
    run_id = both.afar.good("submit", "slow", str(release)).out.strip()
    eventually(
        lambda: both.afar.good("graph", "nodes", run_id, "--json").documents[0]["startedAt"],
        "its first node runs",
    )
    assert both.afar.good("graph", "pause", run_id, "--why", "wait").out.endswith("is paused\n")
    marked = both.afar.good("graph", "mark", run_id, "boom", "skipped", "--json").documents[0]
    assert (marked["node"], marked["state"]) == ("boom", "skipped")
    both.alike_json("graph", "nodes", run_id)
    assert both.afar.good("graph", "resume", run_id, "--json").documents[0]["paused"] is False
    release.touch()
    assert both.alike("runs", "wait", run_id).code == 0


def test_events(both: Both) -> None:
    assert both.alike("send", "orders.closed").err == "no schedule listens\n"
    both.afar.good("schedules", "set", "ship", "@event orders.closed", "--job", "add")

    (sent,) = both.afar.good("send", "orders.closed", "a=4", "--key", "k", "--json").documents
    run_id = sent["heard"][0]["executionId"]
    assert (sent["isNew"], both.afar.good("runs", "wait", run_id).out.strip()) == (True, "5")
    again = both.alike("send", "orders.closed", "a=4", "--key", "k")
    assert (again.out.count(run_id), "was sent before" in again.err) == (1, True)
    assert both.alike("send", "orders.closed", "a=5", "--key", "k").code == 2
    assert both.alike("send", "no good").code == 2
    both.afar.good("audit", "verify")  # entries have their places now
    assert both.alike("acts", "--verb", "send event").out.count("orders.closed") == 3


def test_files_are_planned_and_applied(both: Both) -> None:
    for way in (both.straight, both.afar):
        (way.folder / "jobs.yaml").write_text(FILE)
        (way.folder / "bad.yaml").write_text("jobs: {ping: {htp: x}}\n")
        (way.folder / "code.yaml").write_text('jobs: {add: {command: ["true"]}}\n')

    planned = both.alike("plan", "jobs.yaml")
    assert (planned.code, planned.out.count("+ job")) == (0, 2)
    (document,) = both.alike_json("plan", "jobs.yaml", "--from", "2027-03-27", "--horizon", "2d")
    assert [each["new"] for each in document["runs"]] == [
        "2027-03-27T03:00:00.000Z",
        "2027-03-28T03:00:00.000Z",
    ]
    assert both.alike("plan", "jobs.yaml", "--check").code == 1
    assert both.alike("plan", "bad.yaml").code == 2
    assert both.alike("plan", "none.yaml").code == 2
    assert both.alike("apply", "code.yaml").code == 2, "that job belongs to code"
    assert "3 changes" in both.afar.good("apply", "jobs.yaml").out
    assert "nothing to do" in both.alike("apply", "jobs.yaml").out
    (applied,) = both.alike_json("apply", "jobs.yaml", "--from", "2027-03-27")
    assert applied["applied"] is True
    assert both.afar("apply", "jobs.yaml", "--who", "ann").code == 2
    secret = both.afar.good("tokens", "create", "ci", "--role", "author").out.strip()
    for way in (both.straight, both.afar):
        (way.folder / "jobs.yaml").write_text(FILE.replace("echo", "printf"))
    assert both.afar("apply", "jobs.yaml", ROTA_TOKEN=secret).code == 8, "it needs exec"


def test_namespaces(both: Both) -> None:
    assert both.alike("namespaces").err == "only `default`, without quotas\n"
    made = both.afar.good("namespaces", "create", "team-a", "--queued", "9", "--payload", "64KB")
    assert made.out == "namespace team-a is made\n"
    assert both.alike("namespaces", "create", "team-a").code == 3
    both.afar.good("namespaces", "set", "team-a", "--rate", "2.5", "--queued", "0", "--note", "A")
    (shown,) = both.alike_json("namespaces")
    assert shown["quotas"] == {"queued": None, "running": None, "rate": 2.5, "payload": 65_536}
    both.alike("namespaces")
    assert both.alike("namespaces", "set", "nobody", "--rate", "1").code == 2
    assert both.alike("namespaces", "set", "team-a", "--rate", "-1").code == 2
    assert both.afar.good("namespaces", "remove", "team-a").out == "namespace team-a is removed\n"
    assert both.alike("namespaces", "remove", "team-a").code == 2


def test_acts(both: Both) -> None:
    both.afar.good("queues", "pause", "mail")
    both.afar.good("audit", "verify")  # acts have their places now

    assert both.alike_json("acts", "--verb", "pause queue")[0]["subject"] == "mail"
    both.alike("acts", "--limit", "2")
    assert both.alike("acts", "--before", "x").code == 2


def test_a_change_is_audited_on_both_backends(both: Both) -> None:
    """Straight on the database it is the user of this machine who did it."""
    (worker,) = both.straight.good("workers", "--json").documents
    once = ("--kind", "skip", "--from", "2026-12-24T22:00Z", "--until", "2026-12-25T06:00Z")
    deeds = (
        ("queues", "pause", "mail", "--note", "no stamps"),
        ("queues", "resume", "mail"),
        ("workers", "drain", worker["id"]),
        ("workers", "resume", worker["id"]),
        ("calendars", "set", "acme", "--off", "2026-12-24"),
        ("calendars", "remove", "acme"),
        ("blackouts", "set", "eve", *once),
        ("blackouts", "remove", "eve"),
        ("schedules", "set", "nightly", "@daily", "--job", "add"),
        ("schedules", "remove", "nightly"),
    )
    for way in (both.straight, both.afar):
        for words in deeds:
            way.good(*words)

    acts = both.straight.good("audit", "list", "--limit", "20", "--json").documents
    there, here = (
        [(each["verb"], each["subject"], each["subjectName"], each["detail"]) for each in some]
        for some in (acts[:10], acts[10:])
    )
    assert here == there
    assert [verb for verb, *_ in reversed(here)] == [
        "pause queue",
        "resume queue",
        "drain worker",
        "resume worker",
        "put calendar",
        "remove calendar",
        "put blackout",
        "remove blackout",
        "put schedule",
        "remove schedule",
    ]
    assert {each["who"] for each in acts[10:]} == {whoami()}
