"""The only output of the command line: text of others cannot move, hide or fake anything.

Names, notes, errors, logs, arguments and results come from outside. All output passes a stream that
shows control characters instead of obeying them; our own colours are marked with a word that nobody
can know before the process has started.
"""

from __future__ import annotations

import errno
import io
import os
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

ESCAPE = "\x1b"
MARK = f"\ue000{os.urandom(8).hex()}\ue001"
"""Stands for an escape character of our own until it is written."""
PICTURES = {code: 0x2400 + code for code in range(32) if code != ord("\t")} | {127: 0x2421}
"""Control characters as pictures, for text that must stay on one line."""
_UNSEEN = (
    *range(0x7F, 0xA0),
    0x61C,
    0x200E,
    0x200F,
    *range(0x2028, 0x202F),
    *range(0x2066, 0x206A),
    *range(0xD800, 0xE000),
)
ESCAPED = {code: f"\\u{code:04x}" for code in _UNSEEN}
"""Characters that turn the direction of text, end a line or begin a command to a terminal.

They are escaped as in JSON, so that JSON stays the same JSON.
"""
ONE_LINE: dict[int, int | str] = {**ESCAPED, **PICTURES}
_INERT: dict[int, int | str] = {**PICTURES, **ESCAPED}
del _INERT[ord("\n")]
# Ranges: compiling 2,100 single characters took a tenth of the time of `rota --help`.
_HOSTILE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def made_inert(text: str) -> str:
    """Return the text in a form that is safe for a terminal; line breaks and tabs stay."""
    return text.translate(_INERT) if _HOSTILE.search(text) else text


class OutputLost(Exception):
    """The output could not be written: the disk is full, or there is no output."""


class _Out:
    """A text stream that raises OutputLost on a failed write, except when the reader has left."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw if raw is not None else _Closed()

    def write(self, text: str) -> int:
        return int(self._done(self._raw.write, text))

    def flush(self) -> None:
        self._done(self._raw.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def _done(self, act: Any, *arguments: str) -> Any:
        try:
            return act(*arguments)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from error


class _Err(_Out):
    """A stream for messages: a failure to write them does not change what the program does."""

    def _done(self, act: Any, *arguments: str) -> Any:
        try:
            return super()._done(act, *arguments)
        except OutputLost:
            silence(self)
            return sum(map(len, arguments))


class _Closed(io.TextIOBase):
    """A stand-in for an output that was closed before we started."""

    def write(self, text: str) -> int:  # noqa: ARG002  # nobody gets it
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def silence(stream: Any) -> None:
    """Discard what is still to be written: the interpreter must not try it again."""
    with suppress(OSError):  # one that was closed has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class InertStream:
    """A text stream in front of another: no text that passes can command a terminal."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw

    def write(self, text: str) -> int:
        self.raw.write(made_inert(text).replace(MARK, ESCAPE))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.raw, name)


@contextmanager
def inert_output() -> Iterator[None]:
    """Make standard output and errors inert in the block, and after an exception that ends us."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = InertStream(_Out(out)), InertStream(_Err(err))
    yield
    sys.stdout, sys.stderr = out, err


def console(*, stderr: bool = False) -> Console:
    """Return a console of rich, for colours: its own commands pass, no others."""
    from rich.console import Console
    from rich.segment import Segment

    class InertConsole(Console):
        def _render_buffer(self, buffer: Iterable[Segment]) -> str:
            return super()._render_buffer(
                part if part.control else Segment(made_inert(part.text), part.style)
                for part in buffer
            )

    stream: Any = sys.stderr if stderr else sys.stdout
    return InertConsole(file=stream.raw if isinstance(stream, InertStream) else stream)
