"""Which words of a command an argument may fill in, however the job is defined."""

from __future__ import annotations

import pytest

from rota.app import App
from rota.errors import BadInput
from rota.rules.definitions import command_target
from rota.rules.jobfile import read_bundle
from rota.rules.programs import check_argv

GOOD = (
    ["pg_dump", "--file={path}", "{database}"],
    ["sh", "-c", 'echo "$1"', "sh", "{name}"],
    ["bash", "-o", "pipefail", "-ec", 'cat "$1" | wc', "bash", "{path}"],
    ["sh", "script.sh", "{name}"],
    ["sh", "-c", "echo {{braces}}"],
    ["wc", "-c", "{path}"],
)
BAD = (
    ["{program}"],
    ["/opt/{program}/run", "x"],
    ["sh", "-c", "echo {name}"],
    ["/bin/bash", "-lc", "{script}"],
    ["env", "-i", "sh", "-e", "-c", "rm -r {folder}"],
    ["sudo", "-u", "me", "dash", "-c", "cat '{path}'"],
    ["bash", "-o", "pipefail", "-c", "cat {path} | wc"],
)


@pytest.mark.parametrize("argv", GOOD)
def test_words_may_be_arguments(argv: list[str]) -> None:
    check_argv(argv)


@pytest.mark.parametrize("argv", BAD)
def test_neither_the_program_nor_the_text_of_a_shell_may(argv: list[str]) -> None:
    with pytest.raises(BadInput, match=r"program|shell"):
        command_target(argv, env={}, cwd=None)
    with pytest.raises(BadInput, match=r"program|shell"):
        App("sqlite:///nowhere.db").command("job", argv)
    with pytest.raises(BadInput, match=r"program|shell"):
        read_bundle(f"jobs: {{job: {{command: {argv!r}}}}}".encode(), "jobs.yaml")
