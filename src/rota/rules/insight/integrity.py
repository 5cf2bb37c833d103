"""Whether the pages of a database are intact."""

from __future__ import annotations

from typing import NamedTuple

from rota.rules.insight.checkup import Finding, finding

SHOWN = 3


class Integrity(NamedTuple):
    """The result of reading the pages of a database."""

    looked_at: str
    """The parts that were read, and how; empty if nothing could be read."""
    problems: tuple[str, ...] = ()
    is_whole: bool = True
    """False if time ran out before the end."""
    hint: str = ""
    """How to check more."""


def integrity(found: Integrity) -> Finding:
    """Report a broken page as a problem wherever it is: history may be somebody's proof."""
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
