"""Changes in the audit: the fields of a definition that a change gave other values."""

from __future__ import annotations

from typing import Any

import msgspec

from rota.model.view import encode
from rota.operations.caller import Caller
from rota.operations.operation import tell
from rota.store.base import Tx

MOST_CHARS = 500
"""A longer value is cut: the entry says what changed, and keeps no copy of everything."""


def tell_changed(tx: Tx, caller: Caller, old: object, new: object) -> None:
    """Add to the audit entry which fields changed, from what to what; nothing of a new one.

    For definitions whose fields are no secrets: whoever reads the audit sees the values.
    """
    if old is None:
        return
    before, after = _fields(old), _fields(new)
    changed = {
        name: {"before": _cut(before.get(name)), "after": _cut(after.get(name))}
        for name in {**before, **after}
        if before.get(name) != after.get(name)
    }
    tell(tx, caller, changed=changed or None)


def _fields(definition: object) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.json.decode(encode(definition))
    return fields


def _cut(value: Any) -> Any:
    text = msgspec.json.encode(value).decode()
    return value if len(text) <= MOST_CHARS else f"{text[:MOST_CHARS]}..."
