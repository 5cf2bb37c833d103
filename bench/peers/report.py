"""The result of a run: one table for people, one JSON file for programs."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.peers.catalogue import Peer
from bench.peers.measures import MEASURES, WORKERS, medians, ratios

WIDTH = 118
"""The table's width where the output is no terminal."""

COMPLETION = (
    "A completion is counted in the handler, for all alike; the store's record of it comes later. "
    "When that was measured, at the end of 20,000 jobs, it was 20-70 ms for Rota and 10-25 ms for "
    "PgQueuer: rates by records are 3-9 % lower for Rota and about 1 % lower for PgQueuer."
)


@dataclass(slots=True, kw_only=True)
class Row:
    """The results of one peer."""

    peer: Peer
    jobs: int
    versions: str = "-"
    rounds: list[dict[str, float]] = field(default_factory=list)
    error: str | None = None

    @property
    def figures(self) -> dict[str, float]:
        return medians(self.rounds)


def print_report(console: Console, rows: Sequence[Row]) -> None:
    """Print the table, how it was measured, and what failed."""
    ours = _ours(rows)
    table = Table(title="Rota and its peers: the same no-op jobs, medians", show_lines=True)
    table.add_column("peer")
    for measure in MEASURES:
        table.add_column(measure.heading, justify="right")
    for row in rows:
        table.add_row(_name_cell(row), *_cells(row, ours))
    console.print(table)
    console.print(
        "Second line of a cell: how many times better Rota is than that peer (above 1: Rota is "
        "better),\nRota on SQLite against SQLite peers, Rota on PostgreSQL against all others."
    )
    for line in _how(rows):
        console.print(line, style="dim", highlight=False)
    for row in rows:
        if row.error is not None:
            console.print(f"{row.peer.title}: {row.error}", style="red", markup=False)


def write_json(path: Path, rows: Sequence[Row]) -> None:
    """Write the same figures, with versions and ratios, for programs."""
    ours = _ours(rows)
    content = {
        "machine": _machine(),
        "measures": {measure.name: measure.meaning for measure in MEASURES},
        "completion": COMPLETION,
        "peers": {
            row.peer.name: {
                "title": row.peer.title,
                "versions": row.versions,
                "note": row.peer.note,
                "jobs": row.jobs,
                "rounds": row.rounds,
                "error": row.error,
                "figures": row.figures,
                "rota_is_better_by": ratios(ours.get(row.peer.against, {}), row.figures),
            }
            for row in rows
        },
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2) + "\n")


def _ours(rows: Sequence[Row]) -> dict[str, dict[str, float]]:
    return {row.peer.name: row.figures for row in rows if row.peer.name == row.peer.against}


def _name_cell(row: Row) -> str:
    return f"{row.peer.title}\n[dim]{row.versions}[/dim]"


def _cells(row: Row, ours: Mapping[str, Mapping[str, float]]) -> list[str]:
    figures = row.figures
    if not figures:
        return ["failed", *[""] * (len(MEASURES) - 1)]
    better = {} if row.peer.name in ours else ratios(ours.get(row.peer.against, {}), figures)
    return [_cell(figures.get(m.name), better.get(m.name)) for m in MEASURES]


def _cell(value: float | None, ratio: float | None) -> str:
    if value is None:
        return "-"
    text = f"{value:,.0f}" if value >= 200 else f"{value:,.1f}"
    return text if ratio is None else f"{text}\n[cyan]{ratio:.1f}x[/cyan]"


def _how(rows: Sequence[Row]) -> list[str]:
    """Describe how the figures were made, in lines that a reader of the table can check."""
    sizes = ", ".join(f"{row.peer.name} {row.jobs:,} x {len(row.rounds)}" for row in rows)
    where = f"{_machine()}; {WORKERS} worker processes, stores on the same machine"
    return [
        f"Measured on {where}, peers in turn round by round.",
        f"Jobs a burst x rounds: {sizes}.",
        *(f"{' '.join(m.heading.split())}: {m.meaning}." for m in MEASURES),
        COMPLETION,
        *(f"{row.peer.title}: {row.peer.note}." for row in rows),
    ]


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
