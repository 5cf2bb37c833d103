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
    """Advice on how to check more."""


def integrity(report: Integrity) -> Finding:
    """Report a broken page as a problem wherever it is: history may be somebody's proof."""
    if report.problems:
        more = len(report.problems) - SHOWN
        shown = "; ".join(report.problems[:SHOWN]) + (f"; and {more} more" if more > 0 else "")
        return Finding(
            "integrity",
            "problem",
            shown,
            "stop all processes and copy the database away; restore a backup, or save what can be "
            "read (SQLite: .recover; PostgreSQL: pg_dump) into a new one; examine the disk",
        )
    is_enough = bool(report.looked_at) and report.is_whole
    says = (
        report.looked_at
        if report.is_whole
        else f"{report.looked_at}; the time ran out before the end"
    )
    return finding(
        "integrity",
        "ok" if is_enough else "warning",
        f"no fault in {says}" if report.looked_at else "not looked at",
        advice=report.hint or "check with more time: --deep",
    )
