"""The result: a table for people, a JSON file for programs, a verdict for scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measures import MEASURES, STORES, Figures, Measure, StoreName

TITLES: Mapping[StoreName, str] = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
_HOW_RAW = (
    "Raw limit: plain SQL on the real schema with the same durability, no engine. SQLite: one "
    "thread, groups of 500. PostgreSQL: single inserts by pgbench, COPY in thousands, claim and "
    "fenced finish in batches of 500 by 2 processes, a listener in another process."
)
_HOW_ROTA = (
    "Rota: SQLite with submitting threads and worker in one process; PostgreSQL over TCP with 2 "
    "worker processes (1 for latency). End to end is from before the first submit to the last "
    "record in history, with its result; drain from the first claim to the last record. "
    "rota up starts where no store exists. HTTP: one server process, its clients in one process "
    "on the same machine; a change is seen when the last of all readers has its event."
)


class Results:
    """Figures of Rota and of the raw limit, by store."""

    def __init__(self) -> None:
        self.ours: dict[StoreName, Figures] = {}
        self.limits: dict[StoreName, Figures] = {}
        self.cron: Figures = {}

    def add(self, store: StoreName, *, ours: Figures, limits: Figures) -> None:
        self.ours[store], self.limits[store] = ours, limits

    def missed_ratios(self) -> list[str]:
        """Return broken promises that do not depend on the speed of the machine."""
        return [
            f"{TITLES[store]}: {measure.title}"
            for store, figures in self.ours.items()
            for measure in MEASURES
            if self._misses_ratio(measure, store, figures)
        ]

    def _misses_ratio(self, measure: Measure, store: StoreName, figures: Figures) -> bool:
        value, target = figures.get(measure.name), measure.targets.get(store)
        if value is None or target is None:
            return False
        limit = self._limit(store, measure.name)
        is_kept = target.is_met if measure.is_ratio else target.keeps_ratio
        return not is_kept(value, limit)

    def _limit(self, store: StoreName, name: str) -> float | None:
        return self.limits.get(store, {}).get(name)

    def print(self, console: Console) -> None:
        for store in STORES:
            if store in self.ours:
                console.print(self._table(store))
        for line in (_HOW_RAW, _HOW_ROTA):
            console.print(line, style="dim", highlight=False)

    def write(self, path: Path, conditions: Mapping[str, float | str]) -> None:
        content: dict[str, object] = {
            **{store: _rounded(self.ours.get(store, {})) for store in STORES},
            "limit": {store: _rounded(self.limits.get(store, {})) for store in STORES},
            "cron": _rounded(self.cron),
            "conditions": conditions,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=2) + "\n")

    def _table(self, store: StoreName) -> Table:
        table = Table(title=f"Rota on {TITLES[store]}", title_justify="left")
        table.add_column("measure", no_wrap=True)
        for heading in ("raw limit", "Rota", "ratio", "target", "met"):
            table.add_column(heading, justify="right", no_wrap=True)
        for measure in MEASURES:
            value, limit = self.ours[store].get(measure.name), self._limit(store, measure.name)
            if value is not None:
                table.add_row(*_cells(measure, store, value, limit))
        return table


def _cells(
    measure: Measure, store: StoreName, value: float, limit: float | None
) -> tuple[str, ...]:
    target = measure.targets.get(store)
    met = ""
    if target is not None:
        met = "[green]yes[/green]" if target.is_met(value, limit) else "[red]no[/red]"
    return (
        measure.title,
        "-" if limit is None else number(limit),
        number(value),
        "-" if not limit else f"{value / limit:.2f}",
        str(target or ""),
        met,
    )


def number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def _rounded(figures: Figures) -> Figures:
    return {name: round(value, 3) for name, value in figures.items()}
