"""Exceptions of user code as small, storable text.

Describing an exception never fails, whatever the exception does when it is inspected.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType

from rota.model.runs.run import ErrorDetail
from rota.scripts import class_name

MAX_MESSAGE = 4_096
MAX_TRACEBACK = 16_384
MAX_CHAIN = 8
"""Most causes shown; longer chains are accidents, and each cause costs a read of source lines."""
MAX_FRAMES = 100

_OWN_CODE = str(Path(__file__).parent.parent.parent) + "/"

Frames = Iterator[tuple[FrameType, int]]


def describe(exc: BaseException) -> ErrorDetail:
    """Return the error with its qualified type, message and the frames of user code, bounded."""
    return ErrorDetail(
        type=type_name(type(exc)),
        message=bounded(_message(exc), MAX_MESSAGE),
        traceback=bounded("\n".join(_chain_lines(exc)), MAX_TRACEBACK),
    )


def type_names(exc: BaseException) -> tuple[str, ...]:
    """Return the names of the exception's class and its bases, nearest first, without `object`."""
    return tuple(type_name(cls) for cls in type(exc).__mro__ if cls is not object)


def type_name(cls: type) -> str:
    """Return `package.module.Name`; builtins go by their bare name."""
    return cls.__qualname__ if cls.__module__ == "builtins" else class_name(cls)


def bounded(text: str, limit: int) -> str:
    """Return the text in a form any store can hold: head and tail kept, the cut visible.

    NUL and lone surrogates are replaced; PostgreSQL refuses both.
    """
    if len(text) > limit:
        half = limit // 2
        cut = f"\n... {len(text) - 2 * half} characters cut ...\n"
        text = text[:half] + cut + text[len(text) - half :]
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def stack_text(frame: FrameType) -> str:
    """Return where a thread is now, in user code, for notices."""
    inner_last = reversed(list(traceback.walk_stack(frame)))
    return bounded("".join(_stack_lines(inner_last)), MAX_TRACEBACK)


def _message(exc: BaseException) -> str:
    try:
        return str(exc)
    except BaseException as failure:  # noqa: BLE001  # a broken __str__ may raise even SystemExit
        return f"<its message cannot be shown: __str__ raised {type(failure).__name__}>"


def _chain_lines(exc: BaseException) -> Iterator[str]:
    """Yield the oldest cause first, as Python prints it; a circular chain ends where it closes."""
    chain: list[tuple[BaseException, str]] = []
    seen: set[int] = set()
    link: BaseException | None = exc
    leads_to = ""
    while link is not None and id(link) not in seen and len(chain) < MAX_CHAIN:
        chain.append((link, leads_to))
        seen.add(id(link))
        link, leads_to = _cause(link)
    for member, leads_to in reversed(chain):
        yield from _own_lines(member)
        if leads_to:
            yield f"\n{leads_to}\n"


def _cause(exc: BaseException) -> tuple[BaseException | None, str]:
    if exc.__cause__ is not None:
        return exc.__cause__, "The above exception was the direct cause of the following exception:"
    if exc.__suppress_context__:
        return None, ""
    return exc.__context__, "During handling of the above exception, another exception occurred:"


def _own_lines(exc: BaseException) -> Iterator[str]:
    frames = _stack_lines(_walk(exc.__traceback__))
    if frames:
        yield "Traceback (most recent call last):"
        yield "".join(frames).rstrip("\n")
    yield f"{type_name(type(exc))}: {bounded(_message(exc), MAX_MESSAGE)}"
    notes = getattr(exc, "__notes__", None)
    if isinstance(notes, list):
        yield from (bounded(note, MAX_MESSAGE) for note in notes if isinstance(note, str))
    if isinstance(exc, BaseExceptionGroup):
        for member in exc.exceptions[:MAX_CHAIN]:
            yield f"  | {type_name(type(member))}: {bounded(_message(member), MAX_MESSAGE // 8)}"


def _walk(tb: TracebackType | None) -> Frames:
    return traceback.walk_tb(tb)


def _stack_lines(frames: Frames) -> list[str]:
    user = ((frame, line) for frame, line in frames if not _is_own(frame))
    # A negative limit keeps the innermost frames, where the error is.
    return traceback.StackSummary.extract(user, limit=-MAX_FRAMES).format()


def _is_own(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_OWN_CODE)
