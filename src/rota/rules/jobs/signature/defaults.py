"""What can be left out of a call, and what it is then, as far as JSON can say it."""

from __future__ import annotations

import inspect
import re
from inspect import Parameter
from typing import Any

import msgspec

from rota.rules.jobs.signature import wire

LONGEST = 1000
"""Bytes of a default that is kept; it is for people to read, and for forms."""

_SECRET = re.compile(r"token|secret|passw|passphrase|credential|api_?key|(^|_)pwd", re.IGNORECASE)


def defaults_of(shape: inspect.Signature) -> dict[str, Any]:
    """By name; None also where JSON cannot say it, says it at length, or should not."""
    return {
        each.name: _told(each)
        for each in shape.parameters.values()
        if each.default is not Parameter.empty or each.kind is Parameter.VAR_POSITIONAL
    }


def _told(parameter: Parameter) -> Any:
    if parameter.kind is Parameter.VAR_POSITIONAL or _SECRET.search(parameter.name):
        return None
    try:
        data = wire.ENCODER.encode(parameter.default)
    except wire.UNENCODABLE:
        return None
    return msgspec.json.decode(data) if len(data) <= LONGEST else None
