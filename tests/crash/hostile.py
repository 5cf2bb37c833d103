"""Handlers that do the worst to their process that Python allows, and some healthy ones."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from rota import App


def leave(code: int) -> None:
    os._exit(code)


def close_everything() -> None:
    os.closerange(3, 4096)
    time.sleep(30)


def close_and_return() -> None:
    os.closerange(3, 4096)


def kill_the_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)


def kill_the_group() -> None:
    os.kill(0, signal.SIGTERM)


def kill_the_worker_by_a_program() -> None:
    """Kill the worker with a program, as its user may; only the supervisor can repair that."""
    libc = ctypes.CDLL(None)
    libc.kill(os.getpid(), signal.SIGTERM)
    time.sleep(30)


def leave_by_alarm() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    time.sleep(0.5)


def exit_politely() -> None:
    sys.exit(0)


def segfault() -> None:
    ctypes.string_at(0)


def recurse() -> None:
    """Recurse for ever; each exception is answered by the next call, so none gets out."""
    try:
        recurse()
    finally:
        recurse()


def hold_the_interpreter() -> None:
    """Run C code that does not release the lock of the interpreter."""
    ctypes.PyDLL(None).sleep(600)


def leave_later() -> int:
    """Return well, and leave something behind that ends the process of the next handler."""
    threading.Timer(0.2, os._exit, (0,)).start()
    return 1


def healthy(number: int) -> int:
    time.sleep(0.05)
    return number


def hostile_app(url: str | None = None) -> App:
    app = App(url)
    handlers: tuple[Callable[..., object], ...] = (
        leave,
        close_everything,
        close_and_return,
        kill_the_parent,
        kill_the_group,
        kill_the_worker_by_a_program,
        leave_by_alarm,
        exit_politely,
        segfault,
        recurse,
        hold_the_interpreter,
        leave_later,
    )
    for handler in handlers:
        app.job(retries=0, timeout="2s", max_crashes=2)(handler)
    app.job(healthy)
    return app


app = hostile_app()
