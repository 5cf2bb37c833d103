"""The runner of the pages itself: each kind of false claim is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Block, Page
from tests.docs.program import Wrong
from tests.docs.shell import is_run
from tests.docs.test_pages import folder, run_blocks

__all__ = ["folder"]

JOB = """
from rota import App

app = App()

@app.job(retries=0)
def double(n: int) -> int:
    return 2 * n
"""


def block(text: str, language: str = "python", *, mark: str = "") -> Block:
    return Block(page="a.md", line=1, language=language, title="", mark=mark, text=text)


@pytest.mark.parametrize(
    "claim",
    [
        "1 + 1  # -> 2",
        "n = 1 + 1  # -> 2",
        "int('x')\n# raises ValueError: invalid literal ...",
        "int('x')\n# raises ValueError: invalid literal for int()\n#   with base 10: 'x'",
        f"{JOB}\ndouble.submit(2).result(10)  # -> 4",
    ],
)
def test_a_true_claim_passes(claim: str, folder: Path) -> None:
    run_blocks([block(claim)], folder)


@pytest.mark.parametrize(
    "claim",
    [
        "1 + 1  # -> 3",
        "1  # -> True",
        "int('1')\n# raises ValueError: invalid ...",
        "int('x')\n# raises TypeError: invalid ...",
        "int('x')\n# raises ValueError: something else",
        "assert 1  # -> 1",
        f"{JOB}\ndouble.submit(2).result(10)  # -> 5",
    ],
)
def test_a_false_claim_is_noticed(claim: str, folder: Path) -> None:
    with pytest.raises(Wrong, match=r"a\.md:"):
        run_blocks([block(claim)], folder)


@pytest.mark.parametrize("command", ["python -c '1/0'", "python -c 'print(1)'  # -> 2"])
def test_a_command_that_does_not_do_as_told_is_noticed(command: str, folder: Path) -> None:
    with pytest.raises(Wrong, match=r"a\.md:1"):
        run_blocks([block(command, "sh")], folder)


def test_a_command_that_should_serve_and_does_not_is_noticed(folder: Path) -> None:
    with pytest.raises(Wrong, match="does not serve"):
        run_blocks([block("rota up nowhere.py", "sh", mark="background")], folder)


def test_commands_keep_their_variables_and_exit_codes(folder: Path) -> None:
    text = "n=$(python -c 'print(3)')\npython -c 'raise SystemExit('$n')'  # exit 3\n"

    run_blocks([block(text, "sh")], folder)


def test_a_block_that_mixes_our_commands_with_others_is_refused() -> None:
    with pytest.raises(Wrong, match="one block"):
        is_run(block("git status\nrota runs\n", "sh"))


def test_blocks_are_found_with_title_mark_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_text('# A\n\n<!-- test: background -->\n\n```sh title="x.sh"\nrota up\n```\n')

    found = _at(path).blocks()

    assert [(each.language, each.title, each.mark) for each in found] == [
        ("sh", "x.sh", "background")
    ]
    assert found[0].line == 6
    assert found[0].text == "rota up\n"


def _at(path: Path) -> Page:
    class Elsewhere(Page):
        name = "a.md"

    return Elsewhere(path)
