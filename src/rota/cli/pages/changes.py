"""What a command changed of a thing that was there before."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rota.rules.jobs.differences import differences

if TYPE_CHECKING:
    import msgspec

    from rota.model.plan import FieldChange


def print_changes(
    old: msgspec.Struct | None, new: msgspec.Struct, *, others: bool = False
) -> list[FieldChange]:
    """Each field before and after; of a new thing nothing. `others` have changed, too."""
    changes = [] if old is None else differences(old, new)
    if old is not None and not changes and not others:
        print("  nothing has changed")
    for each in changes:
        print(f"  {each.field}: {shown(each.old)} -> {shown(each.new)}")
    return changes


def shown(value: Any) -> str:
    """A value as one line."""
    if isinstance(value, str):
        return value
    import msgspec

    return "none" if value is None else json.dumps(msgspec.to_builtins(value), ensure_ascii=False)
