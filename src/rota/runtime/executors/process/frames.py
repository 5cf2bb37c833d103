"""What a worker and its child processes say to each other: JSON frames over pipes.

A frame is four bytes of length and one JSON object; nothing is ever unpickled.
"""

from __future__ import annotations

import os
import struct

import msgspec

from rota.model.run import ErrorDetail, Lease
from rota.runtime.attempts.attempt import Ending, Raised, Returned, Stopped, StopReason
from rota.runtime.attempts.remote_services import ServiceReply, ServiceRequest

MAX_FRAME = 64 * 2**20
"""Far above any capped payload: a longer one means that somebody else wrote into the pipe."""

_LENGTH = struct.Struct(">I")
_CHUNK = 65_536


class Begin(msgspec.Struct, frozen=True, kw_only=True, tag="begin"):
    """Worker to child: carry this call out."""

    lease: Lease
    ref: str
    timeout_s: float | None
    memory_mb: int | None
    mismatch: str = ""
    """Which version the run is for and which this one is, if those take different arguments."""
    services: tuple[str, str, str] | None = None
    """The address of the store and the namespace, for what the handler asks of it."""
    asks: bool = False
    """There is no such address: the handler asks through this pipe."""


class Ready(msgspec.Struct, frozen=True, tag="ready"):
    """Child to worker: imports are done, calls may come."""


class Begun(msgspec.Struct, frozen=True, tag="begun"):
    """Child to worker: from now on a signal stops this call and no other."""


class Told(msgspec.Struct, frozen=True, kw_only=True, tag="told"):
    """Child to worker: progress of the call."""

    fraction: float
    note: str


class Settled(msgspec.Struct, frozen=True, tag="settled"):
    """Child to worker: the handler has ended its run by itself; a crash changes nothing now."""


class Said(msgspec.Struct, frozen=True, kw_only=True, tag="said"):
    """Child to worker: a record of logging."""

    level: int
    text: str


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag="asked"):
    """Child to worker: a question of the handler; the next frame from there is the reply."""

    question: ServiceRequest


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag="ended", omit_defaults=True):
    """Child to worker: how the call ended; the exception itself stays in the child."""

    result: str | None = None
    error: ErrorDetail | None = None
    types: tuple[str, ...] = ()
    retry_after_s: float | None = None
    wants_retry: bool = False
    gives_up: bool = False
    reason: str | None = None
    misfit: bool = False
    is_spent: bool = False
    """The child is better replaced, for instance because its memory ran out."""

    @classmethod
    def of(cls, ending: Ending, *, is_spent: bool = False) -> Ended:
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
        """As an ending of the call; one without result and error was stopped, for this reason."""
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


Answer = Ready | Begun | Told | Said | Settled | Asked | Ended

decode_begin = msgspec.json.Decoder(Begin).decode
decode_reply = msgspec.json.Decoder(ServiceReply).decode
decode_answer = msgspec.json.Decoder(Answer).decode


class Broken(Exception):
    """The pipe does not carry frames any more."""


def write_frame(fd: int, frame: Begin | ServiceReply | Answer) -> None:
    """Write the whole frame; raises OSError when nobody reads."""
    body = msgspec.json.encode(frame)
    rest = memoryview(_LENGTH.pack(len(body)) + body)
    while rest:
        rest = rest[os.write(fd, rest) :]


class FrameReader:
    """Cuts what comes out of a pipe into frames."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._buffer = bytearray()

    def read(self) -> bytes | None:
        """The next frame, waiting for it; None at the end of the pipe."""
        while (frame := self.take()) is None:
            if not self.fetch():
                return None
        return frame

    def fetch(self) -> bool:
        """Read what there is, waiting for something; False at the end of the pipe."""
        chunk = os.read(self._fd, _CHUNK)
        self._buffer += chunk
        return bool(chunk)

    def take(self) -> bytes | None:
        """A frame that is complete already, or None; raises Broken on nonsense."""
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
