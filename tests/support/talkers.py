"""Handlers that print and log, for tests of logs; a child process imports them by name."""
# ruff: noqa: T201  # printing is the point

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import io
import logging
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

log = logging.getLogger("talkers")


def talks(name: str) -> str:
    print(name, "to stdout")
    print(name, "to stderr", file=sys.stderr)
    log.warning("%s to logging", name)
    sys.stdout.buffer.write(f"{name} as bytes\n".encode())
    sys.stdout.flush()
    return name


async def talks_async(name: str) -> str:
    for number in range(3):
        print(name, number)
        await asyncio.sleep(0.01)
    await asyncio.to_thread(print, name, "from a thread")
    return name


def talks_below_python() -> None:
    os.write(1, b"past Python\n")
    subprocess.run(["sh", "-c", "echo from a program; echo its error >&2"], check=True)


def counts(name: str, number: int) -> None:
    for n in range(number):
        print(name, n)


def fails_after_words() -> None:
    print("before the end")
    log.error("it goes wrong")
    raise ValueError("no luck")


def logs_a_traceback() -> None:
    try:
        os.environ["NO SUCH VARIABLE"]
    except KeyError:
        log.exception("caught")


def dies_after_words() -> None:
    print("last words", flush=True)
    os.kill(os.getpid(), 9)


def hangs_after_words(spoken: str) -> None:
    """Print, make that file, and run on until it is stopped."""
    print("waiting")
    Path(spoken).touch()
    while True:
        time.sleep(0.01)


def floods(mb: int, line: int) -> int:
    """Print `mb` megabytes in lines of this length; 0 is one line without an end."""
    text = ("x" * (line - 1) + "\n") * (65_536 // line) if line else "x" * 65_536
    for _ in range(mb * 16):
        sys.stdout.write(text)
    return len(text)


def floods_binary(mb: int) -> None:
    noise = os.urandom(65_536) + b"\0" * 1_000 + b"\x1b[2J\r\n"
    for _ in range(mb * 16):
        sys.stdout.buffer.write(noise)
    sys.stdout.buffer.flush()


def tells_secrets() -> None:
    secret = os.environ["TALK_TOKEN"]
    print("the token is", secret)
    sys.stdout.write(secret[:4])
    sys.stdout.write(secret[4:] + "\n")
    log.warning("connect to postgresql://me:%s@db and password=%s", "hunter22", "hunter22")


def leaves_a_talking_thread() -> None:
    thread = threading.Thread(target=print, args=("from nowhere",))
    thread.start()
    thread.join()
    context = contextvars.copy_context()
    known = threading.Thread(target=context.run, args=(print, "from my own thread"))
    known.start()
    known.join()


def redirects() -> str:
    with contextlib.redirect_stdout(io.StringIO()) as own:
        print("mine alone")
    print("everybody's")
    return own.getvalue()


def replaces_stdout() -> None:
    sys.stdout = io.StringIO()
    print("gone")


def logs_nonsense() -> None:
    log.warning("%d words", "no number")
    print("goes on")


def prints_half_a_character() -> str:
    print("before \ud800 after")
    return "printed"
