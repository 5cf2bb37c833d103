"""Anchors as people use them: workers note where the audit ends, and a chain made anew is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.test_cli_remote import WITH_SERVER, Both
from tests.contract.builders import run_sql
from tests.contract.identity.test_audit import meddle
from tests.support.cli import Rota, eventually

KEY = "a key that nobody guesses"


@pytest.fixture
def sink(tmp_path: Path) -> Path:
    return tmp_path / "anchors"


@pytest.fixture
def both(tmp_path: Path, store_url: str, sink: Path) -> Iterator[Both]:
    straight = Rota(tmp_path, ROTA_URL=store_url)
    anchored = {"ROTA_ANCHOR": f"file://{sink}", "ROTA_ANCHOR_EVERY": "1s", "ROTA_ANCHOR_KEY": KEY}
    with straight.serving("up", "shop.py", **WITH_SERVER, **anchored) as served:
        yield Both(straight, served, tmp_path)


def wait_until_noted(sink: Path, end: str) -> None:
    eventually(lambda: sink.exists() and end in sink.read_text(), "the end is noted")


def test_a_chain_that_is_not_the_one_of_then_is_told(
    both: Both, store_url: str, sink: Path
) -> None:
    for queue in ("mail", "images"):
        both.afar.good("queues", "pause", queue)
        wait_until_noted(sink, both.afar.good("audit", "verify", "--json").documents[0]["hash"])
    check = ("audit", "verify", "--anchors", str(sink))

    good = both.alike(*check, "--json")
    assert (good.code, good.documents[0]["anchors"]) == (0, len(sink.read_text().splitlines()))
    (key := sink.parent / "key").write_text(KEY)
    assert both.alike(*check, "--key-file", str(key)).out.startswith("good: ")
    assert "signed" in both.alike(*check).err, "there is no key to check that with"
    key.write_text(KEY[::-1])
    assert both.alike(*check, "--key-file", str(key)).code == 2
    assert both.alike("audit", "verify", "--anchors", "none").code == 2

    by_hand = both.afar.good("audit", "anchor").out
    assert both.straight("audit", "verify", "--anchors", "-", stdin=by_hand).code == 0
    assert (
        json.loads(by_hand)["keptUntil"]
        == json.loads(sink.read_text().splitlines()[-1])["keptUntil"]
    )

    meddle(store_url, "delete from rota.act where subject = 'images'")
    (end,) = run_sql(store_url, "select seq, hash from rota.act order by seq desc limit 1")
    run_sql(store_url, f"update rota.chain set seq = {end[0]}, hash = '{end[1]}'")
    assert both.straight("audit", "verify").code == 0, "the chain alone looks good"
    cut = both.alike(*check)
    assert (cut.code, "is missing, and all after it" in cut.out) == (1, True)


def test_acts_that_were_removed_are_missed_by_an_anchor_that_was_printed(
    tmp_path: Path, store_url: str
) -> None:
    rota = Rota(tmp_path, ROTA_URL=store_url)
    rota.good("db", "migrate")
    for number in range(3):
        rota.good("tokens", "create", f"ci{number}", "--role", "viewer")
    printed = rota.good("audit", "anchor").out
    soon = rota.good("audit", "anchor", "--keep", "1ms").out
    check = ("audit", "verify", "--anchors", "-")
    assert rota(*check, stdin=printed).code == 0

    meddle(store_url, "delete from rota.act")
    run_sql(store_url, "update rota.chain set base_seq = seq, base_hash = hash")

    found = rota(*check, stdin=printed)
    assert (found.code, found.out.split(" until ")[0]) == (
        1, "NOT good: act 3 was removed, which had to stay"
    )  # fmt: skip
    assert rota(*check, stdin=soon).code == 0, "retention may have done it"
    undated = json.dumps(json.loads(printed) | {"keptUntil": None}, separators=(",", ":"))
    told = rota.good(*check, stdin=undated).out
    assert "the acts of 1 anchors are gone, which do not say until when" in told
