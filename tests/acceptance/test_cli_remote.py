"""Commands through a server: the same output and exit codes as straight on the database."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rota import App
from rota.engine.identity.tokens import issue
from rota.ids import new_id
from rota.operations.identity.new_tokens import draw_token
from tests.support.cli import Rota, Said, Served

TOKEN = "automation-token-0123456789-abcdef"
WITH_SERVER = {"ROTA_SERVE": "yes", "ROTA_PORT": "0", "ROTA_ADMIN_TOKEN": TOKEN}
AGES = re.compile(r"\b(in )?(\d+(\.\d+)? ?(ms|[dhms])\b ?)+(ago\b)?")
IDS = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}")


class Both:
    """One folder with a served store: commands go straight to it, or through the server."""

    def __init__(self, straight: Rota, served: Served, tmp_path: Path) -> None:
        served.wait_for("server started")
        found = re.search(r"listens on (\S+)", served.text)
        assert found, served.text
        self.address = found[1]
        self.straight = straight
        folder = tmp_path / "afar"
        folder.mkdir()
        self.afar = Rota(folder, ROTA_SERVER=self.address, ROTA_TOKEN=TOKEN)

    def alike(self, *words: str) -> Said:
        """What both say, which must be the same but for how long ago things were."""
        here, there = self.straight(*words), self.afar(*words)
        assert _lasting(here) == _lasting(there)
        return there

    def alike_submit(self, *words: str) -> Said:
        """Each makes a run of its own."""
        here, there = self.straight("submit", *words), self.afar("submit", *words)
        assert _lasting(here, are_same=False) == _lasting(there, are_same=False)
        return there

    def alike_json(self, *words: str) -> list[dict[str, Any]]:
        here, there = self.straight(*words, "--json"), self.afar(*words, "--json")
        assert here.documents == there.documents
        assert (here.code, here.err) == (there.code, there.err) == (0, "")
        return there.documents


def _lasting(said: Said, *, are_same: bool = True) -> tuple[str, str, int]:
    texts = [said.out, said.err] if are_same else [IDS.sub("ID", text) for text in said[:2]]
    squeezed = [" ".join(AGES.sub("T ", text).split()) for text in texts]
    return squeezed[0], squeezed[1], said.code


@pytest.fixture
def both(tmp_path: Path, store_url: str) -> Iterator[Both]:
    straight = Rota(tmp_path, ROTA_URL=store_url)
    with straight.serving("up", "shop.py", **WITH_SERVER) as served:
        yield Both(straight, served, tmp_path)


def test_runs_are_submitted_shown_and_rerun(both: Both) -> None:
    assert both.alike_submit("add", "2", "b=3", "--wait").out.strip() == "5"
    failed = both.alike_submit("boom", "--wait", "--timeout", "30s")
    assert (failed.code, "no stock" in failed.err) == (7, True)
    made = both.afar.good("submit", "label", "00123", "--key", "k", "--json").documents[0]
    assert both.afar.good("runs", "wait", made["executionId"]).out.strip() == '"00123"'

    listed = both.alike_json("runs", "list")
    assert [each["jobId"] for each in listed] == ["label", "boom", "boom", "add", "add"]
    assert both.alike("runs", "--state", "failed").out.count("no stock") == 2
    boom = listed[1]["executionId"]
    (shown,) = both.alike_json("runs", "show", boom[-12:])
    assert shown["tally"] == {"error": 1}
    both.alike("runs", "show", boom)
    assert both.alike("runs", "wait", boom).code == 7
    assert both.alike("logs", boom).code == 0
    fresh = both.afar.good("runs", "rerun", boom).out.strip()
    assert both.alike("runs", "wait", fresh).code == 7
    assert both.alike("why", boom).out


def test_runs_that_wait_are_explained_and_cancelled(both: Both, tmp_path: Path) -> None:
    waiting = both.afar.good("submit", "add", "1", "--queue", "nobody").out.strip()
    later = both.afar.good("submit", "add", "1", "--delay", "1h").out.strip()

    assert "no live worker serves queue nobody" in both.alike("runs").out
    assert both.alike_json("why", waiting)[0]["kind"] == "unserved_queue"
    both.alike("runs", "show", waiting)
    assert both.alike("runs", "wait", waiting, "--timeout", "100ms").code == 6
    assert "cancelled" in both.afar.good("runs", "cancel", waiting, "--reason", "no need").out
    ended = both.afar.good("submit", "add", "1", "--wait", "--json").documents[0]["executionId"]
    said = both.afar("runs", "cancel", ended, later)
    assert (said.code, f"{later}  cancelled" in said.out) == (3, True)
    assert both.alike("runs", "cancel", ended).code == 3

    release = tmp_path / "release"
    held = both.afar.good("submit", "hold", str(release)).out.strip()
    both.straight.wait_until_running(held)
    assert "asked to stop" in both.afar.good("runs", "cancel", held).out


def test_jobs_queues_and_workers(both: Both) -> None:
    assert [job["name"] for job in both.alike_json("jobs")] == ["add", "boom", "hold", "label"]
    both.alike("jobs")
    both.alike("jobs", "show", "hold")
    assert both.alike("jobs", "show", "ad").code == 2
    assert "paused" in both.afar.good("queues", "pause", "mail", "--note", "down").out
    both.alike("queues")
    both.alike_json("queues")
    both.afar.good("queues", "resume", "mail")
    assert both.alike("workers").out.count("alive") == 1


def test_workers_are_drained_and_work_again(both: Both) -> None:
    def worker_seen() -> dict[str, Any]:
        here, there = (way.good("workers", "--json") for way in (both.straight, both.afar))
        views = [each.documents[0] for each in (here, there)]
        assert all(view.pop("seenAt") for view in views)
        assert views[0] == views[1]
        return views[0]

    worker = worker_seen()
    for way in (both.afar, both.straight):
        assert "asked to drain" in way.good("workers", "drain", worker["name"]).out
        assert worker_seen()["draining"] is True
        both.alike("workers")
        (said,) = way.good("workers", "resume", worker["id"][-8:], "--json").documents
        assert said == {"id": worker["id"], "name": worker["name"], "draining": False}
    assert both.alike("workers", "drain", "nobody").code == 2


def test_bad_input_is_told_alike(both: Both) -> None:
    for words in (
        ("submit", "ad", "1"),
        ("submit", "add", "c=1"),
        ("submit", "add", "1", "2", "3"),
        ("submit", "add", "1", "--delay", "soon"),
        ("runs", "show", new_id()),
        ("runs", "show", "short"),
        ("runs", "show", "0123456789ab"),
        ("runs", "list", "--before", new_id(), "--limit", "1"),
    ):
        here, there = both.straight(*words), both.afar(*words)
        assert here.code == there.code, (here, there)
        assert "Traceback" not in there.err


def test_a_command_that_needs_the_database_says_so(both: Both) -> None:
    for words in (
        ("db", "check"),
        ("db", "migrate"),
        ("db", "protect"),
        ("doctor",),
        ("bench",),
    ):
        said = both.afar(*words)
        assert (said.code, "--url" in said.err) == (2, True), (words, said)
    for words in (("db", "check"), ("doctor",)):
        said = both.straight(*words, "--server", both.address)
        assert (said.code, "needs the database" in said.err) == (2, True), (words, said)


def test_profiles_name_servers_and_stores(both: Both, store_url: str) -> None:
    folder = both.afar.folder
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "rota.toml").write_text(
        '[rota]\nurl = "sqlite:///none.db"\n'
        f'[profiles.prod]\nserver = "{both.address}"\ntoken_file = "token"\n'
        f"[profiles.near]\nurl = {json.dumps(store_url)}\n"
    )
    plain = Rota(folder)

    assert plain("jobs").code == 4, "the store of the file is not there"
    far, near = plain.good("jobs", "--profile", "prod"), plain.good("jobs", "--profile", "near")
    assert far.out == near.out
    assert plain.good("jobs", ROTA_PROFILE="prod").out == far.out
    assert plain("jobs", ROTA_PROFILE="prod", ROTA_URL="sqlite:///other.db").code == 4
    assert plain.good("jobs", "--profile", "prod", ROTA_URL="sqlite:///other.db").out == far.out
    assert plain.good("jobs", "--url", store_url, ROTA_PROFILE="prod").out == far.out
    missing = plain("jobs", "--profile", "test")
    assert (missing.code, "prod, near" in missing.err) == (2, True)
    clash = plain("jobs", "--server", both.address, "--url", store_url)
    assert (clash.code, "not both" in clash.err) == (2, True)
    (folder / "token").unlink()
    assert "cannot read" in plain("jobs", "--profile", "prod").err


def test_credentials_and_servers_that_fail(both: Both, store_url: str) -> None:
    assert both.afar("runs", ROTA_TOKEN="wrong").code == 8
    with App(store_url) as app:
        drawn = draw_token("looks", roles=("viewer",))
        app.store.write(lambda tx: issue(tx, drawn.token, namespace="default", who="test"))
    assert both.afar.good("runs", ROTA_TOKEN=drawn.secret)
    denied = both.afar("submit", "add", "1", ROTA_TOKEN=drawn.secret)
    assert (denied.code, "operator" in denied.err) == (8, True)
    assert both.afar.good("jobs", "--namespace", "default").out
    other = both.afar("jobs", "--namespace", "other")
    assert (other.code, "belongs to namespace default" in other.err) == (2, True)
    for url in ("rota.example.org", "http://rota.example.org"):
        assert both.afar("jobs", "--server", url).code == 2


def test_runs_that_a_breaker_holds_are_shown_as_held(both: Both) -> None:
    both.straight.good("breakers", "open", "add", "--note", "later")
    held = both.afar.good("submit", "add", "1").out.strip()

    assert both.alike_json("runs")[0]["held"] is True
    assert both.alike_json("runs", "show", held)[0]["held"] is True
    assert "breaker" in both.alike("runs", "show", held).out
    assert both.alike_json("jobs", "show", "add")[0]["breaker"] == "open"
