"""The report of a chaos run: a table for people, JSON for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from chaos.checker import INVARIANTS
from chaos.invariants.finding import Finding

SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The findings and figures of one run."""

    seed: int
    findings: Mapping[str, Finding]
    figures: Mapping[str, Any]
    slowest: list[dict[str, Any]]
    """The deaths with the longest recovery."""
    outages: list[dict[str, Any]]
    notes: tuple[str, ...] = ()

    @property
    def violations(self) -> list[str]:
        return [
            f"{number}: {line}"
            for number, found in self.findings.items()
            for line in found.violations
        ]

    def print(self, console: Console) -> None:
        Whole(seed=self.seed, parts={"": self}).print(console)

    def print_figures(self, console: Console) -> None:
        for name, figure in self.figures.items():
            console.print(f"  {name:<44} {_shown(figure)}", highlight=False, markup=False)
        for note in self.notes:
            console.print(f"  note: {note}", highlight=False, markup=False)
        for number, found in self.findings.items():
            for line in found.violations[:SHOWN]:
                console.print(f"{number}: {line}", style="red", highlight=False, markup=False)

    def document(self) -> dict[str, Any]:
        return {
            "invariants": {
                number: {"checked": found.checked, "violations": found.violations}
                for number, found in self.findings.items()
            },
            "figures": dict(self.figures),
            "slowest": self.slowest,
            "outages": self.outages,
            "notes": self.notes,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole:
    """One report of all modes that were played, in their order."""

    seed: int
    parts: Mapping[str, Report]

    @property
    def violations(self) -> list[str]:
        return [
            f"{mode} {line}".strip()
            for mode, part in self.parts.items()
            for line in part.violations
        ]

    def print(self, console: Console) -> None:
        """Print one table with the violations of each mode, then the figures of each mode."""
        columns = [f"violations {mode}".strip() for mode in self.parts]
        table = Table("", "invariant", "checked", *columns, title=f"chaos, seed {self.seed}")
        for number, name, _ in INVARIANTS:
            found = [part.findings[number] for part in self.parts.values()]
            bad = [str(len(each.violations)) for each in found]
            checked = sum(each.checked for each in found)
            is_broken = any(each.violations for each in found)
            table.add_row(number, name, f"{checked:,}", *bad, style="red" if is_broken else None)
        console.print(table)
        for mode, part in self.parts.items():
            if mode:
                console.print(f"{mode}:", highlight=False, markup=False)
            part.print_figures(console)

    def write(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        modes = {mode: part.document() for mode, part in self.parts.items()}
        path.write_text(json.dumps({"seed": self.seed, "modes": modes}, indent=2) + "\n")


def _shown(figure: Any) -> str:
    if not isinstance(figure, dict):
        return f"{figure:,}"
    if "count" not in figure:
        return "; ".join(f"{number:,} {name}" for name, number in figure.items())
    if not figure["count"]:
        return "none measured"
    return "p50 {p50} s, p99 {p99} s, max {max} s ({count:,})".format(**figure)
