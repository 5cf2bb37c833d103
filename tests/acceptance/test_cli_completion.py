"""A shell completes names of the store or server of the command, and is never told of an error."""

from __future__ import annotations

import time

import pytest

from tests.acceptance.test_cli_remote import Both, both
from tests.support.cli import Rota

__all__ = ["both"]
SLOW_APP = """
import time
print("this must not be seen")
time.sleep(60)
"""
LINES = {
    "submit ": ["add", "boom", "hold", "label"],
    "submit ho": ["hold"],
    "jobs show b": ["boom"],
    "runs --job bo": ["boom"],
    "queues pause ": ["default", "slow"],
    "schedules show ": ["nightly"],
    "calendars remove ": ["acme"],
    "blackouts remove ": ["move"],
    "breakers close ": ["boom"],
    "runs --state suc": ["success"],
}
"""What is typed after `rota`, and what is offered."""


def offered(rota: Rota, typed: str, shell: str = "bash", **env: str) -> list[str]:
    """Return what a shell offers after these words."""
    words = ["rota", *typed.split(" ")]
    at = {"COMP_WORDS": " ".join(words), "COMP_CWORD": str(len(words) - 1)}
    if shell == "fish":
        at["COMP_CWORD"] = words[-1]
    said = rota.good(_ROTA_COMPLETE=f"{shell}_complete", **at, **env)
    assert said.err == ""
    return said.out.split("\n")[:-1] if said.out.strip() else []


def furnish(rota: Rota) -> str:
    """Make a thing of each kind; return the id of a run."""
    rota.good("schedules", "set", "nightly", "0 3 * * *", "a=1", "--job", "add")
    rota.good("calendars", "set", "acme", "--country", "FR")
    window = ("--kind", "skip", "--trigger", "@daily", "--duration", "1h")
    rota.good("blackouts", "set", "move", *window)
    rota.good("breakers", "open", "boom")
    return rota.good("submit", "label", "x", "--delay", "1h").out.strip()


def test_names_are_completed_from_the_store_and_through_a_server(both: Both) -> None:
    run_id = furnish(both.afar)

    for rota in (both.straight, both.afar):
        for typed, names in LINES.items():
            assert offered(rota, typed) == [f"plain,{name}" for name in names], typed
        assert offered(rota, "runs show ")[0] == f"plain,{run_id[-12:]}"
        assert offered(rota, f"why {run_id[:30]}") == [f"plain,{run_id}"]


def test_flags_before_the_word_name_the_store(both: Both) -> None:
    url = both.straight.env["ROTA_URL"]
    elsewhere = Rota(both.straight.folder)

    assert offered(elsewhere, f"runs --url {url} --job bo") == ["plain,boom"]


def test_zsh_and_fish_show_what_each_name_is(both: Both) -> None:
    assert offered(both.straight, "jobs show bo", "zsh") == ["plain", "boom", "python"]
    assert offered(both.straight, "jobs show bo", "fish") == ["plain,boom\tpython"]


@pytest.mark.parametrize(
    "env",
    [
        {},
        {"ROTA_URL": "postgresql://rota@127.0.0.1:1/rota"},
        {"ROTA_SERVER": "http://127.0.0.1:1", "ROTA_TOKEN": "x" * 40},
        {"ROTA_URL": "nonsense"},
        {"ROTA_APP": "slow.py"},
        {"ROTA_APP": "missing.py"},
    ],
    ids=str,
)
def test_what_cannot_be_had_is_not_offered_and_no_error_is_shown(
    local: Rota, env: dict[str, str]
) -> None:
    (local.folder / "slow.py").write_text(SLOW_APP)
    began = time.monotonic()

    assert offered(local, "runs show ", **env) == []

    assert time.monotonic() - began < 20
    assert not (local.folder / "rota.db").exists()
