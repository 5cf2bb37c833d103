"""A page's shell blocks: commands run by bash, with `rota` and `python` of this environment.

`command  # -> text` must print it, `command  # exit 7` must end so; others end with 0.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

from tests.docs.pages import Block
from tests.docs.program import Wrong
from tests.support.rota_process import shim

_COMMENT = re.compile(r"\s+# (?P<kind>->|exit) (?P<said>.+)$")
_OURS = re.compile(r"(\w+=\$\()?(\w+=\S+ )*(rota|python|curl|eval \"\$\(rota|echo .*\| rota)\b")
_MARK = "::end"
_PATIENCE_S = 60.0


class Shell:
    """Runs blocks in the folder of a page.

    Short commands come from the fork server unless the shell is `cold`; commands that serve start
    from nothing.
    """

    def __init__(self, folder: Path, *, is_cold: bool = False) -> None:
        self._folder = folder
        self._started: list[tuple[Block, subprocess.Popen[bytes], Path]] = []
        own = {name: value for name, value in os.environ.items() if not name.startswith("ROTA_")}
        cold = _bin(folder / ".bin", rota=f"{sys.executable} -m rota", python=sys.executable)
        self._env = own | {"NO_COLOR": "1", "HOME": str(folder)}
        self._env["PATH"] = f"{cold}{os.pathsep}{os.environ['PATH']}"
        warm = "" if is_cold else f"{_bin(folder / '.warm', rota=shim())}{os.pathsep}"
        self._short = self._env | {"PATH": f"{warm}{self._env['PATH']}"}

    def run(self, block: Block) -> None:
        """Run the commands of a block one after the other, in one shell."""
        wanted = commands(block)
        lines = [f"{command}\ncode=$?; echo; echo '{_MARK}' $code" for command in wanted]
        ended = subprocess.run(
            ["bash", "-c", "\n".join(lines)],
            cwd=self._folder,
            env=self._short,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        answers = re.findall(rf"(.*?)^{_MARK} (\d+)\n", ended.stdout, re.DOTALL | re.MULTILINE)
        if len(answers) != len(wanted):
            raise Wrong(f"{block.place}: bash ended early\n{ended.stdout}{ended.stderr}")
        for command, (printed, code) in zip(wanted, answers, strict=True):
            _check(block, command, printed.strip(), code, ended.stderr)

    def start(self, block: Block) -> None:
        """Start a command that serves; returns when it says that it does."""
        (command,) = commands(block)
        log = self._folder / f"background-{len(self._started)}.log"
        with log.open("wb") as out:
            popen = _start(["bash", "-c", f"exec {command}"], self._folder, self._env, out)
        self._started.append((block, popen, log))
        end = time.monotonic() + _PATIENCE_S
        while not any(each in log.read_text() for each in ("worker started", "server started")):
            if popen.poll() is not None or time.monotonic() > end:
                raise Wrong(f"{block.place}: {command} does not serve\n{log.read_text()}")
            time.sleep(0.02)

    def close(self, *, is_well: bool) -> None:
        """Stop what was started; it must end in order, unless the page has failed anyway."""
        for _, popen, _ in self._started:
            popen.send_signal(signal.SIGTERM)
        codes = [_wait(popen) for _, popen, _ in self._started]
        for (block, _, log), code in zip(self._started, codes, strict=True):
            if code != 0 and is_well:
                raise Wrong(f"{block.place}: ended with {code} after TERM\n{log.read_text()}")


def _bin(folder: Path, **programs: str) -> Path:
    """A folder for PATH with these programs."""
    folder.mkdir()
    for name, words in programs.items():
        path = folder / name
        path.write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        path.chmod(0o755)
    return folder


def _wait(popen: subprocess.Popen[bytes]) -> int:
    try:
        return popen.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        popen.kill()
        return popen.wait()


def _start(
    argv: list[str], folder: Path, env: dict[str, str], out: IO[bytes]
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(argv, cwd=folder, env=env, stdout=out, stderr=subprocess.STDOUT)


def commands(block: Block) -> list[str]:
    """The commands of a block, continued lines joined; empty lines and comments are left out."""
    joined = re.sub(r"\\\n\s*", "", block.text)
    return [line for line in joined.splitlines() if line.strip() and not line.startswith("#")]


def is_run(block: Block) -> bool:
    """Whether a shell block is ours to run; git, make and the like are the reader's."""
    ours = [bool(_OURS.match(command)) for command in commands(block)]
    if any(ours) and not all(ours):
        raise Wrong(f"{block.place}: `rota` commands and others do not go into one block")
    return any(ours)


def _check(block: Block, command: str, printed: str, code: str, errors: str) -> None:
    found = _COMMENT.search(command)
    kind, said = (found["kind"], found["said"]) if found else ("", "")
    expected = said.split()[0] if kind == "exit" else "0"
    if code != expected:
        raise Wrong(f"{block.place}: {command}\nended with {code}\n{printed}\n{errors}")
    if kind == "->" and printed != said:
        raise Wrong(f"{block.place}: {command}\nprinted {printed!r}")
