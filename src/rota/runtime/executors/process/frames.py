"""The protocol of a worker and its child processes: JSON frames over pipes.

A frame is four bytes of length and one JSON object; nothing is ever unpickled.
"""

from __future__ import annotations

import os
import struct

import msgspec

from rota.model.runs.run import ErrorDetail, Lease
from rota.runtime.attempts.attempt import Ending, Raised, Returned, Stopped, StopReason
from rota.runtime.attempts.remote_services import ServiceReply, ServiceRequest

MAX_FRAME = 64 * 2**20
"""Far above any capped payload: a longer frame means that another writer used the pipe."""

_LENGTH = struct.Struct(">I")
_CHUNK = 65_536


class BeginFrame(msgspec.Struct, frozen=True, kw_only=True, tag="begin"):
    """Worker to child: carry this attempt out."""

    lease: Lease
    ref: str
    timeout_s: float | None
    memory_mb: int | None
    mismatch: str = ""
    """The version that the run is for and this one, if those take different arguments."""
    services: tuple[str, str, str] | None = None
    """The address of the store and the namespace, for the run services of the handler."""
    asks: bool = False
    """Whether there is no such address, so that run services use this pipe."""


class ReadyFrame(msgspec.Struct, frozen=True, tag="ready"):
    """Child to worker: imports are done, attempts may come."""


class BegunFrame(msgspec.Struct, frozen=True, tag="begun"):
    """Child to worker: from now on a signal stops this attempt and no other."""


class ProgressFrame(msgspec.Struct, frozen=True, kw_only=True, tag="told"):
    """Child to worker: progress of the attempt."""

    fraction: float
    note: str


class SettledFrame(msgspec.Struct, frozen=True, tag="settled"):
    """Child to worker: the handler has ended its run by commit(); a crash changes nothing now."""


class LogFrame(msgspec.Struct, frozen=True, kw_only=True, tag="said"):
    """Child to worker: a log record."""

    level: int
    text: str


class QuestionFrame(msgspec.Struct, frozen=True, kw_only=True, tag="asked"):
    """Child to worker: a request of the handler; the next frame in return is the reply."""

    question: ServiceRequest


class EndFrame(msgspec.Struct, frozen=True, kw_only=True, tag="ended", omit_defaults=True):
    """Child to worker: how the attempt ended; the exception itself stays in the child."""

    result: str | None = None
    error: ErrorDetail | None = None
    types: tuple[str, ...] = ()
    retry_after_s: float | None = None
    wants_retry: bool = False
    gives_up: bool = False
    reason: str | None = None
    misfit: bool = False
    is_spent: bool = False
    """Whether to replace the child, for instance because its memory ran out."""

    @classmethod
    def of(cls, ending: Ending, *, is_spent: bool = False) -> EndFrame:
        if isinstance(ending, Returned):
            return cls(result=ending.result, is_spent=is_spent)
        if isinstance(ending, Stopped):
            return cls(is_spent=is_spent)
        if isinstance(ending, Raised):
            return cls(
                error=ending.error,
                types=ending.types,
                retry_after_s=ending.retry_after_s,
                wants_retry=ending.wants_retry,
                gives_up=ending.gives_up,
                reason=ending.reason,
                misfit=ending.misfit,
                is_spent=is_spent,
            )
        return cls(error=ending.error, is_spent=True)

    def ending(self, why: StopReason | None) -> Ending:
        """Return the ending; without a result and an error the attempt was stopped for `why`."""
        if self.result is not None:
            return Returned(self.result)
        if self.error is None:
            return Stopped(why or "cancel")
        return Raised(
            error=self.error,
            types=self.types,
            retry_after_s=self.retry_after_s,
            wants_retry=self.wants_retry,
            gives_up=self.gives_up,
            reason=self.reason,
            misfit=self.misfit,
        )


Answer = (
    ReadyFrame | BegunFrame | ProgressFrame | LogFrame | SettledFrame | QuestionFrame | EndFrame
)

decode_begin = msgspec.json.Decoder(BeginFrame).decode
decode_reply = msgspec.json.Decoder(ServiceReply).decode
decode_answer = msgspec.json.Decoder(Answer).decode


class Broken(Exception):
    """The pipe does not carry frames any more."""


def write_frame(fd: int, frame: BeginFrame | ServiceReply | Answer) -> None:
    """Write the whole frame; raises OSError when nobody reads."""
    body = msgspec.json.encode(frame)
    rest = memoryview(_LENGTH.pack(len(body)) + body)
    while rest:
        rest = rest[os.write(fd, rest) :]


class FrameReader:
    """Cuts the bytes of a pipe into frames."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()

    def read(self) -> bytes | None:
        """Return the next frame, waiting for it; None at the end of the pipe."""
        while (frame := self.take()) is None:
            if not self.fetch():
                return None
        return frame

    def fetch(self) -> bool:
        """Read the available bytes, waiting for some; False at the end of the pipe."""
        chunk = os.read(self._fd, _CHUNK)
        self._buffer += chunk
        return bool(chunk)

    def take(self) -> bytes | None:
        """Return a frame that is complete already, or None; raises Broken on nonsense."""
        if len(self._buffer) < _LENGTH.size:
            return None
        (length,) = _LENGTH.unpack_from(self._buffer)
        if length > MAX_FRAME:
            raise Broken
        end = _LENGTH.size + length
        if len(self._buffer) < end:
            return None
        frame = bytes(self._buffer[_LENGTH.size : end])
        del self._buffer[:end]
        return frame
