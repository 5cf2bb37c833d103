"""The one way out of the command line: what others wrote cannot move, hide or fake anything.

Names, notes, errors, logs, arguments and results come from outside. Whatever is printed passes a
stream that shows control characters instead of obeying them; our own colours are marked with
a word that nobody can know before the process has started.
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
"""Control characters as pictures, where one line must stay one line."""
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
"""What turns the direction of text, ends a line or begins a command to a terminal.

As JSON writes it, so that JSON stays the same JSON.
"""
ONE_LINE: dict[int, int | str] = {**ESCAPED, **PICTURES}
_INERT: dict[int, int | str] = {**PICTURES, **ESCAPED}
del _INERT[ord("\n")]
# Ranges: to compile 2,100 single characters took a tenth of `rota --help`.
_HOSTILE = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def made_inert(text: str) -> str:
    """The text as a terminal may have it; line breaks and tabs stay."""
    return text.translate(_INERT) if _HOSTILE.search(text) else text


class OutputLost(Exception):
    """What was to be printed went nowhere: the disk is full, or there is no output."""


class _Out:
    """A text stream that tells when it could not be written; a reader who left is no such case."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw if raw is not None else _Closed()

    def write(self, text: str) -> int:
        return int(self._done(self._raw.write, text))

    def flush(self) -> None:
        self._done(self._raw.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)

    def _done(self, act: Any, *given: str) -> Any:
        try:
            return act(*given)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise OutputLost(error.strerror or str(error)) from error


class _Err(_Out):
    """Words about what happens: that nobody can read them is no reason to do something else."""

    def _done(self, act: Any, *given: str) -> Any:
        try:
            return super()._done(act, *given)
        except OutputLost:
            silence(self)
            return sum(map(len, given))


class _Closed(io.TextIOBase):
    """Stands for an output that was closed before we started."""

    def write(self, text: str) -> int:  # noqa: ARG002  # nobody gets it
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def silence(stream: Any) -> None:
    """What is still to be written goes nowhere: the interpreter must not try it again."""
    with suppress(OSError):  # one that was closed has no number
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


class InertStream:
    """A text stream before another one, which gets nothing that it would obey."""

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
    """Standard output and errors are inert in the block, and after an exception that ends us."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = InertStream(_Out(out)), InertStream(_Err(err))
    yield
    sys.stdout, sys.stderr = out, err


def console(*, stderr: bool = False) -> Console:
    """A console of rich, for all that is drawn in colour: its own commands pass, no others."""
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
