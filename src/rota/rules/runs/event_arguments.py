"""Events and arguments: what a run gets of the event that starts it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from rota.errors import BadArguments
from rota.model.event import Event

WHOLE = "event"
"""A parameter of this name gets all of it."""


def check_event_args(job: str, args: Mapping[str, Any], parameters: Collection[str]) -> None:
    """Those of the schedule alone: the event brings the others, and only then they are checked."""
    for name in args:
        if name not in parameters:
            takes = ", ".join(parameters) or "nothing"
            raise BadArguments(f"{name!r:.64} is no parameter of {job}; it takes {takes}")


def event_args(args: Mapping[str, Any], event: Event, parameters: Collection[str]) -> str:
    """The schedule's arguments and, over them, the fields of the payload that are parameters.

    A job with a parameter `event` gets the whole there, as id, name, key and payload.
    """
    payload = msgspec.json.decode(event.payload)
    fields = payload if isinstance(payload, dict) else {}
    merged = {**args, **{name: fields[name] for name in parameters if name in fields}}
    if WHOLE in parameters and WHOLE not in merged:
        merged[WHOLE] = {"id": event.id, "name": event.name, "key": event.key, "payload": payload}
    return msgspec.json.encode(merged).decode()
