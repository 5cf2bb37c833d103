"""Defaults that a job file declares, for arguments that a run leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.model.runs.run import Lease

_arguments = msgspec.json.Decoder(dict[str, msgspec.Raw])


def with_defaults(lease: Lease, defaults: Mapping[str, Any]) -> Lease:
    """Return the lease with missing arguments filled in; given arguments stay as they are."""
    arguments = _arguments.decode(lease.args)
    if defaults.keys() <= arguments.keys():
        return lease
    text = msgspec.json.encode({**defaults, **arguments}).decode()
    return msgspec.structs.replace(lease, args=text)
