"""`rota` commands as processes of a fork server; one server for each test process."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import IO

from tests.support import asking, fork_server

LIMIT_S = 60.0


def run_rota(
    words: Sequence[str], *, folder: Path, env: Mapping[str, str], stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """Run `python -m rota WORDS` to its end; it is killed when it takes a minute."""
    with ExitStack() as stack:
        given, out, err = streams = [
            stack.enter_context(_memory()) for _ in range(fork_server.STREAMS)
        ]
        given.write(stdin.encode())
        given.seek(0)
        code = asking.ask(
            door(),
            words,
            folder=str(folder),
            env=env,
            streams=[each.fileno() for each in streams],
            limit_s=LIMIT_S,
        )
        return subprocess.CompletedProcess(words, code, _text(out), _text(err))


def shim() -> str:
    """Return shell words that run `python -m rota` through the fork server."""
    return f"{sys.executable} -I -S {asking.__file__} {door()}"


@cache
def door() -> str:
    """Return the address of the fork server, which starts at the first call and ends with us."""
    folder = tempfile.mkdtemp(prefix="rota-fork-")
    process = subprocess.Popen(
        [sys.executable, fork_server.__file__, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    atexit.register(process.wait, LIMIT_S)
    atexit.register(process.stdin.close)
    with process.stdout as ready:
        assert ready.readline() == b"ready\n", "the fork server did not start"
    return str(Path(folder, "door"))


def _memory() -> IO[bytes]:
    """Return a file without a name; a command takes it for one that it was redirected to."""
    return os.fdopen(os.memfd_create("stream"), "w+b", buffering=0)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()
