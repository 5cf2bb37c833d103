"""The events of live streams as bytes: the current state of things, without others' secrets."""

from __future__ import annotations

import msgspec

from rota.model.insight.live_events import LineEvent
from rota.model.logs.log import FoundLine
from rota.model.view import View, project, to_wire

_encode = msgspec.json.Encoder(enc_hook=to_wire).encode


def event(kind: str, view: View) -> bytes:
    """Return an event as a stream carries it, without its id."""
    return b"event: %b\ndata: %b\n" % (kind.encode(), _encode(view))


def line_event(line: FoundLine) -> bytes:
    return event("log", project(LineEvent, line))
