"""Help that is worth reading, completion, and output that fits whoever reads it."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from rota.cli.main import COMMANDS, SECTIONS, cli
from rota.cli.suggest import HABITS
from rota.errors import RotaError
from rota.version import version
from tests.support.cli import Rota


def test_the_first_page_names_settings_and_all_exit_codes(local: Rota) -> None:
    page = local.good("--help").out

    codes = {RotaError.exit_code, *(error.exit_code for error in errors(RotaError))}
    for code in codes:
        assert f"  {code}  " in page
    for name in COMMANDS:
        assert f"  {name} " in page
    assert "ROTA_URL" in page
    assert "rota.toml" in page


def errors(kind: type[RotaError]) -> list[type[RotaError]]:
    return [each for sub in kind.__subclasses__() for each in (sub, *errors(sub))]


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_help_with_examples(name: str) -> None:
    context = click.Context(cli, info_name="rota")
    command = cli.get_command(context, name)

    assert command is not None
    assert command.help
    assert f"  rota {name}" in (command.epilog or "").replace('eval "$(rota', "  rota")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_printed_and_work(local: Rota, shell: str) -> None:
    script = local.good("completion", shell).out
    offered = local.good(_ROTA_COMPLETE="bash_complete", COMP_WORDS="rota que", COMP_CWORD="1").out

    assert "_ROTA_COMPLETE" in script
    assert offered == "plain,queues\n"


@pytest.mark.parametrize("meant", sorted({each for told in HABITS.values() for each in told}))
def test_commands_and_pages_that_help_names_exist(meant: str) -> None:
    assert CliRunner().invoke(cli, [*meant.split(), "--help"], prog_name="rota").exit_code == 0


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("sbmit x", "`rota submit`"),
        ("run", "`rota submit` or `rota runs`"),
        ("status", "`rota runs` or `rota doctor`"),
        ("migrate", "`rota db migrate`"),
        ("cancel 3f0c9d2a71be", "`rota runs cancel`"),
        ("pause mail", "`rota queues pause` or `rota schedules pause`"),
        ("runs lst", "`rota runs list`"),
    ],
)
def test_an_unknown_command_suggests_a_similar_one(words: str, meant: str) -> None:
    said = CliRunner().invoke(cli, words.split(), prog_name="rota")

    assert said.exit_code == 2
    assert f"Did you mean {meant}?" in said.output


def test_a_word_that_means_nothing_is_told_as_such() -> None:
    said = CliRunner().invoke(cli, ["qqq"], prog_name="rota")

    assert (said.exit_code, "No such command 'qqq'" in said.output) == (2, True)
    assert "Did you mean" not in said.output


@pytest.mark.parametrize("words", [[], ["runs"], ["runs", "show"]])
def test_help_may_come_first(words: list[str]) -> None:
    asked = CliRunner().invoke(cli, ["help", *words], prog_name="rota")
    plain = CliRunner().invoke(cli, [*words, "--help"], prog_name="rota")

    assert (asked.exit_code, asked.output) == (0, plain.output)


def test_the_help_of_a_command_is_not_cut_off() -> None:
    page = CliRunner().invoke(cli, ["--help"], prog_name="rota").output

    assert "..." not in page.partition("Run:")[2].partition("Settings come")[0]


def test_commands_are_grouped_by_what_a_person_wants_to_do() -> None:
    page = CliRunner().invoke(cli, ["--help"], prog_name="rota").output

    headings = [line.removesuffix(":") for line in page.splitlines() if line.endswith(":")]
    assert [each for each in headings if each in SECTIONS] == list(SECTIONS)
    assert sum(map(len, SECTIONS.values())) == len(COMMANDS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs cancel {} --reason late", "runs cancel {} --note late"),
        ("runs cancel {} --why late", "runs cancel {} --note late"),
    ],
)
def test_older_names_of_flags_still_work_and_are_not_shown(local: Rota, old: str, new: str) -> None:
    first, second = (
        local.good("submit", "add", "1", "--app", "shop.py").out.strip() for _ in range(2)
    )

    local.good(*old.format(first).split())
    local.good(*new.format(second).split())

    ended = [local.good("runs", "show", run, "--json").documents[0] for run in (first, second)]
    assert [run["reason"] for run in ended] == ["late", "late"]
    assert "--reason" not in local.good("runs", "cancel", "--help").out
    assert "--why" not in local.good("graphs", "pause", "--help").out
    assert "--to " not in local.good("schedules", "backfill", "--help").out


def test_the_version_is_printed(local: Rota) -> None:
    assert local.good("--version").out == f"rota {version()}\n"


def test_colours_are_for_terminals_only(local: Rota) -> None:
    local.good("submit", "add", "1", "--app", "shop.py")

    piped = local.good("runs").out
    shown = on_a_terminal(local, "runs")
    plain = on_a_terminal(local, "runs", NO_COLOR="1")

    assert "\x1b[" not in piped
    assert "\x1b[" in shown
    assert "\x1b[" not in plain
    assert "queued" in piped
    assert "queued" in shown
    assert "queued" in plain


def on_a_terminal(rota: Rota, *words: str, **env: str) -> str:
    """What the command prints when stdout is a terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "rota", *words],
        cwd=rota.folder,
        env=rota.env | {"TERM": "xterm-256color"} | env,
        stdout=theirs,
    )
    os.close(theirs)
    parts = []
    try:
        while part := os.read(ours, 65536):
            parts.append(part)
    except OSError:
        pass  # Linux says so when the other side of a terminal is gone
    finally:
        os.close(ours)
    assert process.wait(60) == 0
    return b"".join(parts).decode()


def test_a_reader_that_has_seen_enough_is_no_error(local: Rota) -> None:
    for number in range(3):
        local.good("submit", "add", str(number), "--app", "shop.py")
    command = f"{sys.executable} -m rota runs --json | head -c 10"

    said = subprocess.run(
        ["sh", "-c", command],
        cwd=local.folder,
        env=local.env,
        capture_output=True,
        text=True,
        check=True,
    )

    assert said.stderr == ""
