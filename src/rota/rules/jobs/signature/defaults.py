"""The optional parameters of a call and their defaults, as far as JSON can hold them."""

from __future__ import annotations

import inspect
import re
from inspect import Parameter
from typing import Any

import msgspec

from rota.rules.jobs.signature import wire

LONGEST = 1000
"""The most bytes of a default that is kept, for people and forms."""

_SECRET = re.compile(r"token|secret|passw|passphrase|credential|api_?key|(^|_)pwd", re.IGNORECASE)


def defaults_of(shape: inspect.Signature) -> dict[str, Any]:
    """Return defaults by name; None also for one that JSON cannot, or should not, hold."""
    return {
        each.name: _declared(each)
        for each in shape.parameters.values()
        if each.default is not Parameter.empty or each.kind is Parameter.VAR_POSITIONAL
    }


def _declared(parameter: Parameter) -> Any:
    if parameter.kind is Parameter.VAR_POSITIONAL or _SECRET.search(parameter.name):
        return None
    try:
        data = wire.ENCODER.encode(parameter.default)
    except wire.UNENCODABLE:
        return None
    return msgspec.json.decode(data) if len(data) <= LONGEST else None
