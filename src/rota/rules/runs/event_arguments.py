"""Events and arguments: what a run gets from the event that starts it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import msgspec

from rota.errors import BadArguments
from rota.model.events.event import Event

WHOLE = "event"
"""The parameter that takes the whole event."""


def check_event_args(job: str, args: Mapping[str, Any], parameters: Collection[str]) -> None:
    """Check the arguments of the schedule alone; those of the event are checked when it comes."""
    for name in args:
        if name not in parameters:
            takes = ", ".join(parameters) or "nothing"
            raise BadArguments(f"{name!r:.64} is no parameter of {job}; it takes {takes}")


def event_args(args: Mapping[str, Any], event: Event, parameters: Collection[str]) -> str:
    """Return the schedule's arguments, overlaid with the payload fields that are parameters.

    A parameter `event` gets the whole event: id, name, key and payload.
    """
    payload = msgspec.json.decode(event.payload)
    fields = payload if isinstance(payload, dict) else {}
    merged = {**args, **{name: fields[name] for name in parameters if name in fields}}
    if WHOLE in parameters and WHOLE not in merged:
        merged[WHOLE] = {"id": event.id, "name": event.name, "key": event.key, "payload": payload}
    return msgspec.json.encode(merged).decode()
