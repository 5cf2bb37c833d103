"""Monitors through the command line, on both databases."""

from __future__ import annotations

from urllib.request import urlopen

from tests.support.cli import Rota
from tests.support.postgres import free_port


def test_a_person_makes_a_monitor_and_a_job_pings_it(rota: Rota) -> None:
    made = rota.good(
        *("monitors", "set", "backup", "--cron", "0 3 * * *", "--zone", "Europe/Paris"),
        *("--grace", "30m", "--note", "the shop"),
    )
    port = free_port()
    with rota.started("server", "--port", str(port)) as served:
        served.wait_for("server started")
        address = rota.good("monitors", "url", "backup", "--base", f"http://127.0.0.1:{port}")
        url = address.out.strip()
        for after, log in (("/start", b""), ("/2", b"no space left\n")):
            with urlopen(url + after, data=log, timeout=30) as answer:
                assert answer.read() == b"OK"

    (down,) = rota.good("monitors", "--json").documents
    shown = rota.good("monitors", "show", "backup").out
    pings = rota.good("monitors", "pings", "backup").out
    told = rota.good("monitors", "pings", "backup", "--number", "2").out

    assert made.out.startswith("monitor backup is set: At 03:00, every day, Europe/Paris, 30m")
    assert (down["state"], down["reason"]) == ("down", "It ended with exit status 2.")
    assert "backup is down" in shown
    assert "It ended with exit status 2." in shown
    assert [line.split()[0] for line in pings.splitlines()[-2:]] == ["2", "1"]
    assert "fail 2" in pings
    assert told == "  no space left\n"


def test_a_person_changes_pauses_and_removes_a_monitor(rota: Rota) -> None:
    rota.good("monitors", "set", "backup", "--cron", "0 3 * * *", "--zone", "Europe/Paris")
    first = rota.good("monitors", "url", "backup", "--json").documents[0]["url"]
    (changed,) = rota.good("monitors", "set", "backup", "--every", "2h", "--json").documents
    paused = rota.good("monitors", "pause", "backup", "--note", "moving")
    listed = rota.good("monitors", "--state", "paused")
    resumed = rota.good("monitors", "resume", "backup")
    rotated = rota.good("monitors", "rotate", "backup")
    second = rota.good("monitors", "url", "backup", "--json").documents[0]["url"]

    assert first == f"http://127.0.0.1:8470{changed['path']}"
    assert (changed["cron"], changed["every"], changed["zone"]) == (None, "2h", "UTC")
    assert paused.out == "monitor backup is paused\n"
    assert "backup" in listed.out
    assert resumed.out == "monitor backup is new\n"
    assert first != second
    assert (
        rotated.out == f"pings go to {second.removeprefix('http://127.0.0.1:8470')} from now on\n"
    )
    assert rota.good("monitors", "remove", "backup").out == "monitor backup is removed\n"
    assert rota.good("monitors").err.startswith("no monitors")


def test_mistakes_are_named(rota: Rota) -> None:
    rota.good("db", "migrate")

    wrong = {
        "give --every or --cron": ("set", "backup", "--grace", "1h"),
        "is not a duration": ("set", "backup", "--every", "soon"),
        "'strange'": ("show", "strange"),
        "no monitor is named 'gone'": ("remove", "gone"),
        "or --key": ("rotate",),
        "has no slash": ("set", "a/b", "--every", "1d"),
    }
    for message, command in wrong.items():
        said = rota("monitors", *command)
        assert said.code == 2, command
        assert message in said.err
        assert "Traceback" not in said.err
