"""Whether the pages of a database are what they were when they were written."""

from __future__ import annotations

from typing import NamedTuple

from rota.rules.insight.checkup import Finding, finding

SHOWN = 3


class Integrity(NamedTuple):
    """What a look at the pages of a database has shown."""

    looked_at: str
    """What was read, and how; empty when nothing could be."""
    problems: tuple[str, ...] = ()
    is_whole: bool = True
    """False when the time was over before the end."""
    hint: str = ""
    """How to see more."""


def integrity(found: Integrity) -> Finding:
    """A broken page is a problem wherever it is: also history is somebody's proof."""
    if found.problems:
        more = len(found.problems) - SHOWN
        shown = "; ".join(found.problems[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
        return Finding(
            "integrity",
            "problem",
            shown,
            "stop all processes and copy the database away; restore a backup, or save what can be "
            "read (SQLite: .recover; PostgreSQL: pg_dump) into a new one; examine the disk",
        )
    is_enough = bool(found.looked_at) and found.is_whole
    says = found.looked_at if found.is_whole else f"{found.looked_at}; the time was over before all"
    return finding(
        "integrity",
        "ok" if is_enough else "warning",
        f"no fault in {says}" if found.looked_at else "not looked at",
        advice=found.hint or "take the time: --deep",
    )
