"""The programs in examples/ run to their end, and do what their first lines say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import Block
from tests.docs.shell import Shell
from tests.support.source import ROOT

EXAMPLES = ROOT / "examples"
SERVED = {"shop.py"}
"""These need a `rota up` beside them; the others bring their worker."""

EXPECTED = {
    "hello.py": r"submitted \S+\nresult    hello Ann, hello Ann\nstate     success\n",
    "images.py": r"(painting: row \d+ of 320\n)+made apple-160.pgm, 25,615 bytes\n"
    r"made apple-80.pgm, 6,413 bytes\n",
    "emails.py": r"sent News to ann@example.org after 2 attempts\n"
    r"sent News to busy@example.org after 2 attempts\nletters that left: 2\n"
    r"the same key is the same run: True\nthe same key with another letter is refused\n"
    r"sent Your order 17 to bob@example.org\n"
    r"failed: gave up on ValueError; ValueError: nobody is no address\n",
    "backup.py": r"tar ended with 0\nthe desk answered 201\nthe desk knows /backups/data.tgz\n",
}


def run(name: str, folder: Path) -> str:
    """What the program prints, in a folder of its own and with every warning an error."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
    ended = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / name],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    return ended.stdout


def test_every_example_is_tested() -> None:
    programs = {path.name for path in EXAMPLES.glob("*.py")}

    assert programs - SERVED == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_an_example_does_what_it_says(name: str, tmp_path: Path) -> None:
    assert re.fullmatch(EXPECTED[name], run(name, tmp_path))


def test_an_example_can_be_run_twice_on_the_same_store(tmp_path: Path) -> None:
    run("emails.py", tmp_path)

    assert re.fullmatch(EXPECTED["emails.py"], run("emails.py", tmp_path))


@pytest.mark.parametrize("name", sorted(SERVED))
def test_an_example_is_served_by_rota_up(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text((EXAMPLES / name).read_text())
    shell = Shell(tmp_path)
    shell.start(_block(f"rota up {name}"))
    try:
        printed = run(name, tmp_path)
    finally:
        shell.close(is_well=False)

    assert printed.endswith("cat-200.png\n")


def _block(text: str) -> Block:
    return Block(page="examples", line=1, language="sh", title="", mark="background", text=text)
