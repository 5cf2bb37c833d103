"""Prints the changes that a command made to an existing thing."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rota.rules.jobs.differences import differences

if TYPE_CHECKING:
    import msgspec

    from rota.model.jobs.apply_plan import FieldChange


def print_changes(
    old: msgspec.Struct | None, new: msgspec.Struct, *, others: bool = False
) -> list[FieldChange]:
    """Print each field before and after; nothing for a new thing. `others`: more has changed."""
    changes = [] if old is None else differences(old, new)
    if old is not None and not changes and not others:
        print("  nothing has changed")
    for each in changes:
        print(f"  {each.field}: {shown(each.old)} -> {shown(each.new)}")
    return changes


def shown(value: Any) -> str:
    """Return a value as one line."""
    if isinstance(value, str):
        return value
    import msgspec

    return "none" if value is None else json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
