"""Schedules through the command line, on both databases."""

from __future__ import annotations

import re
from typing import Any, get_args

import pytest

from rota import App
from rota.cli.commands.schedules import act, fill, look
from rota.model.schedules.backfill import Reprocess
from rota.model.schedules.definitions import Catchup, Dialect, Fold, Gap, Roll
from rota.model.schedules.schedule import ScheduleState
from tests.support.cli import Rota, eventually

TIMED = """
from rota import App, current_run
app = App()

@app.job(schedule="* * * * * *", overlap="queue_all")
def tick() -> str:
    run = current_run()
    return f"{run.schedule} {run.scheduled_for:%S} {run.interval_end:%S}"

@app.job(schedule=["0 6 * * mon-fri", {"every": "1h", "args": {"day": "hourly"}}],
         timezone="Europe/Paris", catchup="none")
def report(day: str = "today") -> str:
    return day
"""


def test_a_schedule_in_code_is_listed_and_fires(rota: Rota) -> None:
    (rota.folder / "timed.py").write_text(TIMED)
    with rota.serving("up", "timed.py"), App(rota.env["ROTA_URL"]) as app:
        eventually(lambda: app.schedules.show("tick").last_success, "tick has succeeded")
        table = rota.good("schedules").out
        listed = rota.good("schedules", "--json").documents
        page = rota.good("schedules", "show", "tick", "--json").documents[0]
        text = rota.good("schedules", "show", "report").out
        last = app.run(page["lastSuccess"]).result()

    assert [(each["name"], each["job"]) for each in listed] == [
        ("report", "report"),
        ("report.2", "report"),
        ("tick", "tick"),
    ]
    assert "At 06:00, Monday to Friday, Europe/Paris" in table
    assert listed[1]["spec"]["args"] == {"day": "hourly"}
    assert len(page["coming"]) == 5
    assert {each["decision"] for each in page["past"]} <= {"started", "waits"}
    name, second, end = last.split()
    assert (name, second) == ("tick", end)
    assert "catchup none" in text


ECHO = "jobs: {echo: {command: 'echo {msg}'}, other: {command: 'echo {msg}'}}"


def test_set_keeps_what_is_not_said_and_tells_what_it_changed(rota: Rota) -> None:
    (rota.folder / "echo.yaml").write_text(ECHO)
    rota.good("apply", "echo.yaml", "--yes")

    def set_(*words: str) -> str:
        return rota.good("schedules", "set", "d", *words).out

    def stored() -> dict[str, Any]:
        return dict(rota.good("schedules", "show", "d", "--json").documents[0]["spec"])

    nobody = rota("schedules", "set", "d", "@daily")
    made = set_("@daily", "msg=a", "--job", "echo", "--overlap", "skip", "--zone", "Europe/Paris")
    changed = set_("@hourly")
    kept = stored()
    bounded = set_("@hourly", "-o", "parallel=3", "-o", "count=9", "--job", "other")
    free = set_("@hourly", "--overlap", "allow", "-o", "count=null")
    freed = stored()
    replaced = set_("@hourly", "msg=b", "--replace")
    again = set_("@hourly", "msg=b")
    wrong = rota("schedules", "set", "d", "@daily", "--count", "5")

    left = 'zone Europe/Paris, args {"msg": "a"}, overlap skip'
    assert nobody.code == 2
    assert "say --job" in nobody.err
    assert made == "d: At 00:00, every day, Europe/Paris\n"
    assert changed.splitlines() == [
        "d: Every hour, Europe/Paris",
        "  trigger.expression: @daily -> @hourly",
        f"  as it was: {left}; --replace sets back what is not said",
    ]
    assert (kept["overlap"], kept["args"], kept["zone"]) == ("skip", {"msg": "a"}, "Europe/Paris")
    assert "job: echo -> other" in bounded
    assert "count: none -> 9" in bounded
    assert "parallel: 3 -> 1" in free
    assert "count: 9 -> none" in free
    assert {"overlap", "parallel", "count"}.isdisjoint(freed)
    assert "zone: Europe/Paris -> UTC" in replaced
    assert "nothing has changed" in again
    assert "Write it as -o count=VALUE." in wrong.err


def test_calendars_and_windows_keep_what_is_not_said(rota: Rota) -> None:
    rota.good("db", "migrate")
    rota.good("calendars", "set", "acme", "--country", "FR", "--off", "2026-12-24")
    calendar = rota.good("calendars", "set", "acme", "--weekend", "fri,sat").out
    kept = rota.good("calendars", "--json").documents[0]
    rota.good("calendars", "set", "acme", "--country", "DE", "--replace")
    replaced = rota.good("calendars", "--json").documents[0]
    rota.good("blackouts", "set", "sun", "--kind", "skip", "--trigger", "0 2 * * sun",
              "--duration", "4h", "--queue", "mail", "--note", "moves")  # fmt: skip
    window = rota.good("blackouts", "set", "sun", "--duration", "1h", "--kind", "defer").out
    once = rota.good("blackouts", "set", "sun", "--from", "2026-01-01T00:00Z",
                     "--until", "2026-01-02T00:00Z").out  # fmt: skip
    shown = rota.good("blackouts", "--json").documents[0]

    assert "weekend: [5, 6] -> [4, 5]" in calendar
    assert (kept["country"], kept["off"], kept["weekend"]) == ("FR", ["2026-12-24"], [4, 5])
    assert (replaced["country"], replaced["off"], replaced["weekend"]) == ("DE", [], [5, 6])
    assert "kind: skip -> defer" in window
    assert "duration: 4h -> 1h" in window
    assert "trigger" in once
    assert (shown["queue"], shown["note"], shown["kind"]) == ("mail", "moves", "defer")
    assert (shown["trigger"], shown["duration"]) == (None, None)


def test_a_sentence_names_the_times_that_h_stands_for(rota: Rota) -> None:
    (rota.folder / "echo.yaml").write_text(ECHO)
    rota.good("apply", "echo.yaml", "--yes")
    line = "H H(2-4) * * *"
    made = rota.good("schedules", "set", "h1", line, "msg=a", "--job", "echo").out
    page = rota.good("schedules", "show", "h1", "--json").documents[0]
    text = rota.good("schedules", "show", "h1").out
    listed = rota.good("schedules", "--json").documents[0]
    preview = rota.good("schedules", "preview", line, "--seed", "h1", "--json").documents[0]

    clock = page["coming"][0]["local"][11:16]
    assert f"At {clock}" in made
    assert f"At {clock}" in text
    assert {each["description"].split(",")[0] for each in (page, listed, preview)} == {
        f"At {clock}"
    }
    assert preview["firings"][0] == page["coming"][0]


def test_a_schedule_is_made_paused_started_by_hand_and_removed(rota: Rota) -> None:
    with rota.serving("up", "shop.py"):
        made = rota.good("schedules", "set", "sum", "0 6 * * *", "a=2", "--job", "add")
        rota.good("schedules", "pause", "sum", "--note", "the shop moves", "--who", "ann")
        paused = rota.good("schedules", "show", "sum").out
        run_id = rota.good("schedules", "trigger", "sum", "b=40", "--wait").out.strip()
        result = rota.good("runs", "wait", run_id).out
        shown = rota.good("runs", "show", run_id).out
        rota.good("schedules", "resume", "sum")
        active = rota.good("schedules", "--json").documents
        rota.good("schedules", "remove", "sum")
        acts = [each["verb"] for each in rota.good("acts", "--json").documents]
        gone = rota("schedules", "show", "sum")

    assert made.out == "sum: At 06:00, every day, UTC\n"
    assert "paused by ann: the shop moves" in paused
    assert result == "42\n"
    assert re.search(r"schedule +sum \(manual\)\n", shown)
    assert re.search(r"for +20\d\d-\d\d-\d\dT\S+\+00:00\n", shown)
    assert re.search(r"interval +\S+T06:00:00\+00:00 to \S+T06:00:00\+00:00\n", shown)
    assert [(each["name"], each["state"]) for each in active] == [("sum", "active")]
    verbs = ("remove", "resume", "trigger", "pause", "put")
    assert acts == [f"{verb} schedule" for verb in verbs]
    assert gone.code == 2
    assert "no schedule is named 'sum'" in gone.err


def test_an_event_starts_what_listens(rota: Rota) -> None:
    with rota.serving("up", "shop.py"):
        rota.good("schedules", "set", "sum", "@event shop.opened", "a=2", "--job", "add")
        shown = rota.good("schedules", "show", "sum").out
        sent = rota.good("send", "shop.opened", "b=3", "--key", "monday", "--json").documents[0]
        again = rota.good("send", "shop.opened", "b=3", "--key", "monday")
        (heard,) = sent["heard"]
        result = rota.good("runs", "wait", heard["executionId"], "--timeout", "30s").out
        nobody = rota.good("send", "shop.closed", "--payload", "[1]").err
        bad = rota("send", "shop.opened", "--payload", "[1")

    assert "When shop.opened is sent" in shown
    assert (heard["schedule"], heard["decision"], sent["isNew"]) == ("sum", "started", True)
    assert "was sent before" in again.err
    assert heard["executionId"] in again.out
    assert result.strip() == "5"
    assert "no schedule listens" in nobody
    assert (bad.code, "--payload is not JSON" in bad.err) == (2, True)


def test_past_instants_are_run_once(rota: Rota) -> None:
    days = ("--from", "2026-01-01", "--to", "2026-01-04")
    with rota.serving("up", "shop.py"):
        rota.good("schedules", "set", "sum", "@daily", "a=1", "--job", "add")
        planned = rota.good("schedules", "backfill", "sum", *days, "--dry-run", "--json").documents
        first = rota.good("schedules", "backfill", "sum", *days, "--json").documents[0]
        again = rota.good("schedules", "backfill", "sum", *days).out
        listed = rota.good("schedules", "backfills", "--json").documents
        long = ("schedules", "backfill", "sum", "--from", "1971-01-01", "--to", "2020-01-01")
        refused = rota(*long)
        allowed = rota.good(*long, "--most", "20000", "--dry-run").out

    assert planned == [
        {"at": f"2026-01-0{day}T00:00:00.000Z", "starts": True, "state": None} for day in (1, 2, 3)
    ]
    assert (first["state"], first["started"], first["succeeded"]) == ("done", 3, 3)
    assert "0 started" in again
    assert "3 had a run" in again
    assert len(listed) == 2
    assert refused.code == 2
    assert "more than 10,000" in refused.err
    assert "(--most on the command line)" in refused.err
    assert "100 of these 100 would be started" in allowed


def test_a_backfill_and_its_end_are_on_record(rota: Rota) -> None:
    with rota.serving("up", "shop.py"):
        rota.good(
            "schedules", "set", "sum", "@daily", "a=2", "b=3", "--job", "add", "--zone", "UTC"
        )
    span = ("--from", "2026-01-01", "--to", "2026-01-04")
    begun = rota.good("schedules", "backfill", "sum", *span, "--detach", "--who", "ann", "--json")
    backfill_id = begun.documents[0]["id"]
    words = ("--cancel", backfill_id, "--note", "wrong year", "--who", "ben")
    rota.good("schedules", "backfills", *words)
    acts = rota.good("acts", "--json").documents

    assert begun.documents[0]["concurrency"] is None
    assert [(act["verb"], act["who"], act["detail"]["id"]) for act in acts[:2]] == [
        ("cancel backfill", "ben", backfill_id),
        ("backfill schedule", "ann", backfill_id),
    ]
    assert {act["subject"] for act in acts[:2]} == {"sum"}
    assert acts[0]["detail"]["note"] == "wrong year"


def test_calendars_and_windows_are_kept(rota: Rota) -> None:
    rota.good("db", "migrate")
    rota.good("calendars", "set", "acme", "--country", "FR", "--off", "2026-12-24")
    again = rota.good("calendars", "set", "acme", "--weekend", "fri,sat").out
    calendars = rota.good("calendars", "--json").documents
    rota.good("blackouts", "set", "sunday", "--kind", "skip", "--trigger", "0 2 * * sun",
              "--duration", "4h")  # fmt: skip
    windows = rota.good("blackouts").out
    wrong = rota("blackouts", "set", "odd", "--kind", "skip", "--from", "2026-01-01")
    rota.good("blackouts", "remove", "sunday")
    missing = rota("blackouts", "remove", "sunday")

    assert again == "calendar acme is version 2\n  weekend: [5, 6] -> [4, 5]\n"
    assert [(each["name"], each["weekend"]) for each in calendars] == [("acme", [4, 5])]
    assert "At 02:00, on Sunday, for 4 hours, UTC" in windows
    assert wrong.code == 2
    assert missing.code == 2


def test_a_preview_needs_no_store_and_marks_changed_clocks(local: Rota) -> None:
    said = local.good(
        "schedules", "preview", "30 2 * * *", "--zone", "America/New_York",
        "--from", "2026-03-07", "--count", "2", "--json",
    )  # fmt: skip
    firings = said.documents[0]["firings"]

    assert firings[0]["at"] == "2026-03-07T07:30:00.000Z"
    assert firings[1] == {
        "at": "2026-03-08T07:00:00.000Z",
        "local": "2026-03-08T03:00:00-04:00",
        "mark": "gap",
        "marks": ["moved from 02:30, which does not exist"],
    }
    assert not (local.folder / "rota.db").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("61 * * * *",), "minute '61'"),
        (("0 0 31 2 *",), "never fire"),
        (("@daily", "--zone", "Europe/Pari"), "did you mean 'Europe/Paris'"),
        (("@every 0s",), "every"),
        (("0 0 1 * 1", "--dialect", "quartz"), "fields"),
        (('{"every": "90s", "at": "2026-01-01"}',), "exactly one"),
        (("@daily", "--from", "soon"), "from='soon' is not a time"),
    ],
)
def test_a_preview_says_what_is_wrong(local: Rota, words: tuple[str, ...], says: str) -> None:
    said = local("schedules", "preview", *words)

    assert said.code == 2
    assert says in said.err
    assert "Traceback" not in said.err


def test_the_words_of_the_command_line_are_those_of_the_model() -> None:
    assert get_args(Dialect) == look.DIALECTS
    assert get_args(Gap) == look.GAPS
    assert get_args(Fold) == look.FOLDS
    assert get_args(Roll) == look.ROLLS
    assert get_args(Catchup) == act.CATCHUPS
    assert get_args(ScheduleState) == look.STATES
    assert get_args(Reprocess) == fill.REPROCESS


def test_arguments_of_a_schedule_are_taken_or_refused(rota: Rota) -> None:
    (rota.folder / "echo.yaml").write_text(ECHO)
    rota.good("apply", "echo.yaml", "--yes")

    def args_after(*words: str) -> object:
        rota.good("schedules", "set", "d", *words)
        return rota.good("schedules", "show", "d", "--json").documents[0]["spec"].get("args")

    def refusal(*words: str) -> str:
        said = rota("schedules", "set", "d", *words)
        assert said.code == 2, said
        return said.err

    assert args_after("@daily", "--job", "echo", "-o", 'args={"msg": "q"}') == {"msg": "q"}
    assert args_after("@hourly") == {"msg": "q"}
    assert args_after("@hourly", "msg=r") == {"msg": "r"}
    assert args_after("@hourly", "-o", 'args={"msg": "s"}') == {"msg": "s"}
    assert "is not NAME=VALUE" in refusal("@hourly", "cat.png")
    assert "is given twice" in refusal("@hourly", "msg=r", "-o", 'args={"msg": "s"}')
    assert "is given twice" in refusal("@hourly", "-o", 'args={"msg": 1, "msg": 2}')
    assert "args is not an object" in refusal("@hourly", "-o", "args=cat.png")
    own = '{"cron": "@daily", "args": {"msg": "own"}}'
    assert args_after(own) == {"msg": "own"}
    assert "EXPR has args of its own" in refusal('{"cron": "@daily", "args": {}}', "msg=r")
