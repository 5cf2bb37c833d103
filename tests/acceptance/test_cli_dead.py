"""Dead letters, acts and reasons through the command line, on both databases."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rota import App, State
from rota.engine.runs.lists import runs
from rota.model.runs.run import RunView
from tests.contract.builders import (
    claim_some,
    finish_all,
    given_worker,
    new_run,
    submit_all,
    verdict,
)
from tests.support.cli import Rota, Said

SHOP = """
from rota import App
app = App()

@app.job(retries=0)
def charge(order: int) -> str:
    if order < 100:
        raise ValueError(f"order {order} is too small")
    return f"order {order} is paid"
"""


@pytest.fixture
def shop(rota: Rota) -> Iterator[Rota]:
    """A served shop with three dead letters of one cause."""
    (rota.folder / "shop.py").write_text(SHOP)
    with rota.serving("up", "shop.py"):
        for order in (1, 2, 3):
            assert rota("submit", "charge", str(order), "--wait", "--timeout", "30s").code == 7
        yield rota


def ids(rota: Rota, *filters: str) -> list[str]:
    return [each["executionId"] for each in rota.good("dead", "list", "--json", *filters).documents]


def group_of(rota: Rota) -> str:
    return str(rota.good("dead", "--json").documents[0]["group"])


def refused(said: Said, code: int, *words: str) -> None:
    assert said.code == code, said
    assert "Traceback" not in said.err
    for word in words:
        assert word in said.err


def test_letters_are_grouped_listed_and_shown(shop: Rota) -> None:
    table = shop.good("dead").out
    (group,) = shop.good("dead", "groups", "--job", "charge", "--json").documents
    listed = shop.good("dead", "list", "--fingerprint", group["group"]).out
    newest = ids(shop, "--limit", "1")
    rest = ids(shop, "--before", newest[0])
    page = shop.good("dead", "show", newest[0][-12:]).out
    (shown,) = shop.good("dead", "show", newest[0], "--json").documents

    assert group["group"] in table
    assert (group["open"], group["total"], group["versions"]) == (3, 3, [1])
    assert group["firstAt"] <= group["lastAt"]
    assert "ValueError: order 3 is too small" in listed
    assert len(rest) == 2
    assert "dead letter  open" in page
    assert "attempt 1: error" in page
    assert "(1 error)" in page
    assert 'raise ValueError(f"order {order} is too small")' in page
    assert shown["run"]["attempts"][0]["kind"] == "error"
    assert shown["run"]["tally"] == {"error": 1}


def test_a_letter_is_redriven_with_other_arguments_once(shop: Rota) -> None:
    old = ids(shop)[0]
    bad_name = shop("dead", "redrive", old, "--args", '{"oder": 100}')
    bad_type = shop("dead", "redrive", old, "--args", '{"order": "x"}', "--app", "shop.py")
    no_json = shop("dead", "redrive", old, "--args", "order=100")

    said = shop.good("dead", "redrive", old[-12:], "--args", '{"order": 100}')
    again = shop.good("dead", "redrive", old, "--json").documents[0]
    in_vain = shop("dead", "redrive", old, "--args", '{"order": 200}')
    new = said.out.split()[-1]
    result = shop.good("runs", "wait", new, "--timeout", "30s")

    refused(bad_name, 2, "oder")
    refused(bad_type, 2, "charge(order: int)")
    refused(no_json, 2, "--args")
    refused(in_vain, 3, f"was already redriven as {new}; --args were not used")
    assert said.out == f"{old}  redriven as {new}\n"
    assert again == {"executionId": old, "rerunId": new, "isNew": False}
    assert result.out == '"order 100 is paid"\n'
    assert ids(shop, "--state", "redriven") == [old]


def test_a_group_is_redriven_at_a_rate_and_the_act_is_recorded(shop: Rota) -> None:
    group = group_of(shop)

    unsure = shop("dead", "redrive", "--group", group)
    said = shop.good("dead", "redrive", "--group", group, "--rate", "1/h", "--yes",
                     "--who", "ann", "--reason", "fixed")  # fmt: skip
    waiting = shop.good("runs", "--state", "scheduled", "--json").documents
    why = shop.good("why", waiting[0]["executionId"]).out
    table = shop.good("acts", "--who", "ann").out
    (act,) = shop.good("acts", "--verb", "redrive", "--json").documents

    refused(unsure, 2, "would redrive 3 dead letters", "--yes")
    assert said.out.count("redriven as") == 3
    assert len(waiting) == 2
    assert "it was asked to start later" in why
    assert "ann" in table
    assert "fixed" in table
    assert (act["who"], act["subject"], act["detail"]["letters"]) == ("ann", f"group {group}", 3)
    assert act["at"].endswith("Z")


def test_letters_are_discarded(shop: Rota) -> None:
    first = ids(shop)[0]

    one = shop.good("dead", "discard", first, "--reason", "a test")
    rest = shop.good("dead", "discard", "--group", group_of(shop), "--json").documents
    late = shop("dead", "redrive", first)
    empty = shop.good("dead")
    every = shop.good("dead", "--all", "--json").documents

    assert one.out == "1 discarded\n"
    assert rest == [{"discarded": 2}]
    refused(late, 3, "was discarded by", "rota runs rerun")
    assert (empty.out, empty.err) == ("", "no letters\n")
    assert (every[0]["open"], every[0]["total"]) == (0, 3)


def test_a_person_at_a_terminal_is_asked(shop: Rota) -> None:
    words = ["dead", "discard", "--group", group_of(shop)]

    refused_ = at_a_terminal(shop, words, answer="n")
    agreed = at_a_terminal(shop, words, answer="y")

    assert "Discard 3 dead letters of group" in refused_
    assert "3 discarded" not in refused_
    assert "3 discarded" in agreed


def at_a_terminal(rota: Rota, words: list[str], *, answer: str) -> str:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "rota", *words],
        cwd=rota.folder,
        env=rota.env,
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        os.close(theirs)
        os.write(ours, f"{answer}\n".encode())
        said, _ = process.communicate(timeout=60)
        os.close(ours)
    return said


@pytest.mark.parametrize(
    ("words", "hints"),
    [
        (["dead", "redrive"], ["some IDs, or --group"]),
        (["dead", "discard", "x", "--group", "y"], ["some IDs, or --group"]),
        (["dead", "show", "abc"], ["too short"]),
        (["dead", "show", "abcdefabcdef"], ["no run has the id"]),
        (["dead", "list", "--state", "lost"], ["'lost'", "redriven"]),
        (["acts", "--before", "x"], ["not the id of an act"]),
        (["why", "abc"], ["too short"]),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_bad_input_is_refused(
    tmp_path: Path, sqlite_url: str, words: list[str], hints: list[str]
) -> None:
    rota = Rota(tmp_path, ROTA_URL=sqlite_url)
    rota.good("db", "migrate")

    refused(rota(*words), 2, *hints)


def test_a_run_says_why_it_waits(rota: Rota) -> None:
    rota.good("db", "migrate")
    run_id = rota.good("submit", "add", "1", "--app", "shop.py").out.strip()

    alone = rota.good("why", run_id, "--json").documents
    page = rota.good("runs", "show", run_id).out
    shown = rota.good("runs", "show", run_id, "--json").documents[0]
    (rota.folder / "other.py").write_text(SHOP)
    with rota.serving("worker", "other.py"):
        unknown = rota.good("why", run_id).out
        listed = rota.good("runs").out

    assert [reason["kind"] for reason in alone] == ["no_worker"]
    assert "no worker is alive" in page
    assert [reason["kind"] for reason in shown["why"]] == ["no_worker"]
    assert unknown.startswith("no live worker knows job add")
    assert "no live worker knows job add" in listed


def test_many_letters_are_redriven_with_a_bar_on_a_terminal(
    tmp_path: Path, sqlite_url: str
) -> None:
    rota = Rota(tmp_path, ROTA_URL=sqlite_url)
    many = 1_200
    with App(sqlite_url) as app:
        submit_all(app.store, [new_run() for _ in range(many)])
        leases = claim_some(app.store, given_worker(app.store), limit=many)
        finish_all(app.store, [verdict(lease, "fail", reason="no") for lease in leases])
        words = ["dead", "redrive", "--group", group_of(rota), "--yes", "--rate", "10/s"]

        ours, theirs = pty.openpty()
        ended = subprocess.run(
            [sys.executable, "-m", "rota", *words],
            cwd=rota.folder,
            env=rota.env | {"TERM": "xterm"},
            stdout=subprocess.PIPE,
            stderr=theirs,
            timeout=60,
            check=True,
        )
        os.close(theirs)
        bar = os.read(ours, 100_000).decode()
        os.close(ours)
        starts = [run.due_at.ms for run in runs_of(app, State.SCHEDULED)]

    assert ended.stdout.count(b"redriven as") == many
    assert f"/{many}" in bar
    assert max(starts) - min(starts) >= (many - 2) * 100


def runs_of(app: App, state: State) -> list[RunView]:
    return app.store.read(lambda tx: runs(tx, namespace=app.namespace, state=state, limit=5_000))
