"""Alerts through the command line, on both databases."""

from __future__ import annotations

from tests.support.calls import eventually
from tests.support.cli import Rota

JOBS = """
from rota import App

app = App()


@app.job(retries=0)
def charge() -> None:
    raise ValueError("the bank is closed")
"""


def test_a_person_sets_alerts_up_and_sees_what_is_wrong(rota: Rota) -> None:
    (rota.folder / "bank.py").write_text(JOBS)
    with rota.serving("up", "bank.py"):
        channel = rota.good("alerts", "channels", "set", "ops", "https://127.0.0.1:1/hook/s3cret")
        rule = rota.good(
            *("alerts", "rules", "set", "all", "--on", "run.failed", "--to", "ops", "--to", "boss"),
            *("--quiet", "22:00-07:00", "--zone", "Europe/Paris", "--repeat", "never"),
        )
        changed = rota.good("alerts", "rules", "set", "all", "--severity", "critical", "--json")
        run_id = rota.good("submit", "charge").out.strip()
        eventually(lambda: rota.good("alerts", "--json").documents)
        (incident,) = rota.good("alerts", "--json").documents
        shown = rota.good("alerts", "show", incident["id"])
        tried = rota("alerts", "channels", "test", "ops")
        messages = rota.good("alerts", "messages", "--channel", "ops", "--json").documents
        listed = rota.good("alerts", "channels")

    assert channel.out.startswith("channel ops is set: webhook, https://127.0.0.1:1/...\n")
    assert "there is no channel boss yet" in rule.out
    (changed_rule,) = changed.documents
    assert (changed_rule["severity"], changed_rule["repeat"]) == ("critical", None)
    assert changed_rule["quiet"] == {"begin": "22:00", "end": "07:00", "zone": "Europe/Paris"}
    assert (incident["runId"], incident["state"], incident["runs"]) == (run_id, "open", 1)
    assert run_id in shown.out
    assert tried.code == 1
    assert "is not on the public internet" in tried.out
    assert {each["kind"] for each in messages} == {"opened", "test"}
    assert "s3cret" not in listed.out
    assert rota.good("alerts", "rules", "remove", "all").out == "alert rule all is removed\n"
    assert rota.good("alerts", "channels", "remove", "ops").out == "channel ops is removed\n"


def test_mistakes_are_named(rota: Rota) -> None:
    rota.good("db", "migrate")

    url = rota("alerts", "channels", "set", "ops", "nowhere")
    rule = rota("alerts", "rules", "set", "all", "--on", "run.failed")
    quiet = rota(
        *("alerts", "rules", "set", "all", "--on", "run.failed", "--to", "ops", "--quiet", "night")
    )
    strange = rota("alerts", "rules", "remove", "strange")
    alert = rota("alerts", "show", "strange")

    assert [each.code for each in (url, rule, quiet, strange, alert)] == [2] * 5
    assert "'nowhere' is no URL" in url.err
    assert "give --on and --to" in rule.err
    assert "is not a time of day" in quiet.err
    assert "no alert rule is named 'strange'" in strange.err
    assert "there is no alert 'strange'" in alert.err
    assert rota.good("alerts").err == "nothing is wrong\n"
