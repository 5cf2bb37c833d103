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
WEB = {"orders.py", "thumbnails.py", "reports.py"}
"""Web applications, which test_web_examples serves."""

EXPECTED = {
    "hello.py": r"submitted \S+\nresult    hello Ann, hello Ann\nstate     success\n",
    "images.py": r"(painting: row \d+ of 320\n)+made apple-160.pgm, 25,615 bytes\n"
    r"made apple-80.pgm, 6,413 bytes\n",
    "emails.py": r"sent News to ann@example.org after 2 attempts\n"
    r"sent News to busy@example.org after 2 attempts\nletters that left: 2\n"
    r"the same key is the same run: True\nthe same key with another letter is refused\n"
    r"sent Your order 17 to bob@example.org\n"
    r"failed: gave up on ValueError; ValueError: nobody is no address\n",
    "etl.py": r"2026-03-01: 3 orders of 2 regions, 174 in all, 1 dropped\n"
    r"(\w+ +success\n){5}again: 2026-03-01: 3 orders of 2 regions, 174 in all, 1 dropped\n",
    "training.py": r"y = 3.0 x \+ 2.0 with rate 0.5\n8 settings, 2 ran away\nsuccess\n",
    "verified_backup.py": r"the first is success\nthe second is failed\n"
    r"data: 2 files, 64 digits of checksum\nnowhere: the backup failed\n",
    "branches.py": r"week 0: #########\nweek 1: #\nonly 40 in week 2\n"
    r"a good week: 2000 \| week 3: #{20}\nleft out in week 2: praise, chart\n",
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

    assert programs - SERVED - WEB == set(EXPECTED)


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


def test_the_backup_as_a_file_needs_no_python(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "cats.txt").write_text("17 cats\n")
    archive = tmp_path / "data.tgz"
    shell = Shell(tmp_path)
    applied = f"rota graphs show {EXAMPLES}/backup.yaml\nrota apply {EXAMPLES}/backup.yaml\n"
    submit = f"rota submit backup folder={data} target={archive} --wait --timeout 30s\n"
    failing = f"rota submit backup folder={data}/no target={tmp_path}/no.tgz --wait   # exit 7\n"
    try:
        shell.run(_block(applied))
        shell.start(_block("rota up --stored"))
        shell.run(_block(submit + failing))
    finally:
        shell.close(is_well=False)

    assert (tmp_path / "data.tgz.good").read_bytes() == archive.read_bytes()


def _block(text: str) -> Block:
    return Block(page="examples", line=1, language="sh", title="", mark="background", text=text)
