"""Settings: a flag beats a variable beats rota.toml; slips of the pen are told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rota.app.workers.options import worker_options
from rota.cli.serve.serving import shown_url
from rota.errors import BadDuration, BadOption
from rota.runtime.options import WorkerOptions
from rota.settings.read import read_settings
from tests.support.cli import Rota

TOML = """
[rota]
url = "sqlite:///file.db"
app = "shop.py"
[worker]
slots = 4
prefetch = 0
queues = ["a", "b"]
drain = "3s"
keep_success = "1d"
[alerts]
webhook = "https://chat.example.com/hook"
private = true
"""


def given(folder: Path, toml: str = TOML) -> Path:
    (folder / "rota.toml").write_text(toml)
    return folder


def test_a_flag_beats_a_variable_beats_the_file(tmp_path: Path) -> None:
    folder = given(tmp_path)
    env = {"ROTA_SLOTS": "5", "ROTA_QUEUES": "c, d"}

    from_file = read_settings({}, env={}, folder=folder)
    from_env = read_settings({"slots": None}, env=env, folder=folder)
    from_flag = read_settings({"slots": "6"}, env=env, folder=folder)

    assert (from_file.slots, from_env.slots, from_flag.slots) == (4, 5, 6)
    assert from_file.queues == ("a", "b")
    assert from_env.queues == from_flag.queues == ("c", "d")


def test_a_worker_gets_what_was_said_and_its_own_defaults_else(tmp_path: Path) -> None:
    said = worker_options(read_settings({}, env={}, folder=given(tmp_path)))
    nothing = worker_options(read_settings({}, env={}, folder=tmp_path.parent))

    assert (said.slots, said.drain_ms, said.retention.success_ms) == (4, 3_000, 86_400_000)
    assert (said.prefetch, nothing.prefetch) == (0, 500)
    assert (said.alert_webhook, said.alert_private) == ("https://chat.example.com/hook", True)
    assert said.retention.failure_ms == WorkerOptions().retention.failure_ms
    assert nothing == WorkerOptions()


def test_the_file_counts_for_folders_below_it_with_its_own_paths(tmp_path: Path) -> None:
    below = given(tmp_path) / "a" / "b"
    below.mkdir(parents=True)

    said = read_settings({}, env={}, folder=below)

    assert said.url == f"sqlite:///{tmp_path}/file.db"
    assert said.app == f"{tmp_path}/shop.py"


@pytest.mark.parametrize(
    ("toml", "hint"),
    [
        ("[rota]\nulr = 'x'", "Did you mean 'url'?"),
        ("[wroker]\nslots = 1", "Did you mean 'worker'?"),
        ("slots = 4", r"no section \[slots\]"),
        ("worker = 4", r"write \[worker\] as a section"),
        ("[worker]\nslots = 0", "rota.toml: slots: 0 is not a number from 1"),
        ("[worker]\nslots = true", "True is not a number"),
        ("[worker]\nprefetch = -1", "prefetch: -1 is not a number from 0 to 1,000"),
        ("[worker]\nqueues = [1]", "1 is not a name for a queue"),
        ("[rota]\nurl = 5", "5 is not a text"),
        ("[rota", "cannot read"),
    ],
)
def test_a_slip_in_the_file_is_told(tmp_path: Path, toml: str, hint: str) -> None:
    with pytest.raises(BadOption, match=hint):
        read_settings({}, env={}, folder=given(tmp_path, toml))


@pytest.mark.parametrize(
    ("flags", "env", "error", "hint"),
    [
        ({"drain": "soon"}, {}, BadDuration, "--drain: 'soon'"),
        ({}, {"ROTA_DRAIN": "-1"}, BadDuration, "ROTA_DRAIN"),
        ({}, {"ROTA_LOG_FORMAT": "xml"}, BadOption, "ROTA_LOG_FORMAT: 'xml'"),
        ({}, {"ROTA_PROCESSES": "1.5"}, BadOption, "ROTA_PROCESSES"),
        ({"namespace": "a b"}, {}, BadOption, "--namespace"),
    ],
)
def test_a_bad_value_is_told_with_the_place_it_came_from(
    tmp_path: Path, flags: dict[str, Any], env: dict[str, str], error: type[Exception], hint: str
) -> None:
    with pytest.raises(error, match=hint):
        read_settings(flags, env=env, folder=tmp_path)


def test_commands_obey_the_file_then_the_variable_then_the_flag(local: Rota) -> None:
    given(local.folder)

    local.good("submit", "add", "1")
    local.good("submit", "add", "1", ROTA_URL="sqlite:///variable.db")
    flag = ["--url", "sqlite:///flag.db"]
    local.good("submit", "add", "1", *flag, ROTA_URL="sqlite:///variable.db")

    assert {path.name for path in local.folder.glob("*.db")} == {
        "file.db",
        "variable.db",
        "flag.db",
    }


def test_a_slip_in_the_file_ends_a_command_with_one_line(local: Rota) -> None:
    given(local.folder, "[rota]\nulr = 'x'")

    said = local("runs")

    assert said.code == 2
    assert said.err.count("\n") == 1
    assert "Did you mean 'url'?" in said.err


def test_a_password_is_never_shown() -> None:
    assert shown_url("postgresql://rota:secret@db/rota") == "postgresql://rota:***@db/rota"
