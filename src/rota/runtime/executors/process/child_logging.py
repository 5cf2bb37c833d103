"""Logging inside a child process: records of the attempt go to the worker, with their level."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from collections.abc import Callable
from typing import TextIO

from rota.runtime.logs.capture import level_of, print_as_ever, text_of

Send = Callable[[int, str], bool]
"""Called with level and text; False when no attempt is running."""


class ChildRecords(logging.Handler):
    """Sends records to the worker; handlers that the user's module set up write to the console."""

    def __init__(self, send: Send, console: TextIO) -> None:
        super().__init__()
        self._send_record = send
        self._console = console

    def createLock(self) -> None:  # noqa: N802  # the name in logging
        self.lock = None  # the pipe has a lock of its own

    def emit(self, record: logging.LogRecord) -> None:
        try:
            is_sent = self._send_record(level_of(record), text_of(record))
        except OSError:
            return  # the worker is gone, and so are we in a moment
        except Exception:  # noqa: BLE001  # arguments that do not fit; logging says where
            self.handleError(record)
            return
        if not is_sent and logging.root.handlers == [self]:
            print_as_ever(record)

    def install(self) -> None:
        """Add this handler to the root logger, after the user's module has set up logging.

        Handlers that write to the standard streams would duplicate records, so they go to the
        console.
        """
        for handler in logging.root.handlers:
            if isinstance(handler, logging.StreamHandler) and handler.stream in _standard():
                handler.setStream(self._console)
        if self not in logging.root.handlers:
            logging.root.addHandler(self)


def open_console(fd: int) -> TextIO:
    """Open the worker's standard error, which the child received at its start."""
    return os.fdopen(fd, "w", buffering=1, encoding="utf-8", errors="backslashreplace")


def _standard() -> tuple[object, ...]:
    return (sys.stdout, sys.stderr)


def flush_streams() -> None:
    """Flush what the handler printed; a child lives long and its buffers are large."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
