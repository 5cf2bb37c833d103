"""Labels, searches and saved views on the command line, on both databases."""

from __future__ import annotations

import pytest

from tests.support.cli import Rota


def submit(rota: Rota, *words: str) -> str:
    return rota.good("submit", "add", *words, "--app", "shop:app").out.strip()


def found(rota: Rota, *words: str) -> list[str]:
    return [each["executionId"] for each in rota.good("runs", *words, "--json").documents]


def test_runs_are_found_by_labels_arguments_and_time(rota: Rota) -> None:
    billing = submit(rota, "a=14", "--label", "team=billing", "--label", "amount=12")
    other = submit(rota, "a=15", "--label", "team=billing", "--label", "version=1.10")

    assert found(rota, "--label", "team=billing") == [other, billing]
    assert found(rota, "--label", "team=billing", "--label", "amount>10") == [billing]
    assert found(rota, "--label", "version=1.10") == [other]
    assert found(rota, "--arg", "a=15", "--since", "2h") == [other]
    assert found(rota, "--text", "15") == [other]
    assert found(rota, "--until", "2h") == found(rota, "--error", "x") == []
    assert found(rota, "--schedule", "nosuch", "--scheduled-for", "2026-11-18") == []
    table = rota.good("runs", "--label", "team", "--show-labels").out
    assert "amount=12, team=billing" in table
    assert "labels" not in rota.good("runs").out


def test_labels_of_a_run_are_shown_and_changed(rota: Rota) -> None:
    run_id = submit(rota, "a=1", "--label", "team=billing")

    changed = rota.good("runs", "label", run_id, "urgent=true", "zip=00123", "--remove", "team")
    nothing = rota("runs", "label", run_id)
    bad = rota("runs", "label", run_id, "a b=1")

    assert changed.out.strip() == f"{run_id}  urgent=true, zip=00123"
    assert "  urgent=true, zip=00123\n" in rota.good("runs", "show", run_id).out
    shown = rota.good("runs", "show", run_id, "--json").documents[0]["labels"]
    assert shown == {"urgent": True, "zip": "00123"}
    assert (nothing.code, bad.code) == (2, 2)
    assert "labels: 'a b' is not a name for a label" in bad.err


def test_a_view_is_saved_used_and_removed(rota: Rota) -> None:
    billing = submit(rota, "a=1", "--label", "team=billing")
    submit(rota, "a=2", "--label", "team=ops")

    saved = rota.good("views", "put", "mine", "--label", "team=billing", "--since", "1d")
    listed = rota.good("views")

    assert saved.out.strip() == "mine: label=team=billing since=1d"
    assert "label=team=billing since=1d" in listed.out
    assert found(rota, "--view", "mine") == [billing]
    assert found(rota, "--view", "mine", "--state", "failed") == []
    assert rota.good("views", "remove", "mine").out.strip() == "mine removed"
    gone = rota("runs", "--view", "mine")
    assert (gone.code, "no saved view is named 'mine'" in gone.err) == (2, True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("runs", "--label", "team!=x"), "is not a condition"),
        (("runs", "--arg", "x"), "write name=value"),
        (("runs", "--since", "soon"), "since"),
        (("runs", "--scheduled-for", "noon"), "--scheduled-for noon"),
        (("submit", "add", "1", "--label", "team", "--app", "shop:app"), "is not NAME=VALUE"),
        (("views", "put", "v", "--since", "soon"), "neither an instant"),
    ],
)
def test_a_bad_search_is_one_clear_line(rota: Rota, words: tuple[str, ...], says: str) -> None:
    refused = rota(*words)

    assert refused.code == 2
    assert says in refused.err
    assert "Traceback" not in refused.err


def test_jobs_are_listed_by_label(rota: Rota) -> None:
    (rota.folder / "web.yaml").write_text(
        "jobs:\n  ping: {command: [echo, hi], labels: {team: web, tier: 1}}\n"
        "  pong: {command: [echo, ho]}\n"
    )
    rota.good("apply", "web.yaml")

    listed = rota.good("jobs", "--label", "team=web", "--label", "tier=1", "--json").documents

    assert [each["name"] for each in listed] == ["ping"]
    assert "team=web, tier=1" in rota.good("jobs", "show", "ping").out
    run_id = rota.good("submit", "ping").out.strip()
    assert found(rota, "--label", "team=web") == [run_id]
