"""Ask the fork server to run a `rota` command.

As a script it is that command, twenty times cheaper to start:

    python -I -S asking.py DOOR WORDS...

Imports little, and nothing of ours: a page of the documentation starts a hundred of them.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Mapping, Sequence


def ask(
    door: str,
    words: Sequence[str],
    *,
    folder: str,
    env: Mapping[str, str],
    streams: Sequence[int],
    limit_s: float | None = None,
) -> int:
    """Run a command with these streams in the fork server; return its exit code.

    Hanging up kills the command.
    """
    text = os.memfd_create("ask")
    os.write(text, json.dumps({"words": words, "folder": folder, "env": dict(env)}).encode())
    os.lseek(text, 0, os.SEEK_SET)
    try:
        with socket.socket(socket.AF_UNIX) as asker:
            asker.settimeout(limit_s)
            asker.connect(door)
            socket.send_fds(asker, [b"!"], [text, *streams])
            code = asker.recv(16)
    finally:
        os.close(text)
    if not code:
        raise RuntimeError(f"the fork server is gone, and with it: rota {' '.join(words)}")
    return int(code)


def main(door: str, *words: str) -> int:
    folder = os.getcwd()  # noqa: PTH109  # pathlib costs as much as all the rest
    code = ask(door, words, folder=folder, env=os.environ, streams=(0, 1, 2))
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
