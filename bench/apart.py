"""A benchmark in a process of its own: what was measured before must not slow its threads."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from bench.measures import Figures, StoreName


def measure_apart(
    module: str, folder: Path, *, quick: bool, only: StoreName | None
) -> dict[StoreName, Figures]:
    """The figures of `python -m MODULE`, by store."""
    path = folder / f"{module}.json"
    words = ["--quick"] * quick + (["--only", only] if only else [])
    command = [sys.executable, "-m", module, *words, "--json", str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    figures: dict[StoreName, Figures] = json.loads(path.read_text())
    return figures


def tell(store: str, figures: Figures) -> None:
    print(store)
    for name, value in figures.items():
        print(f"  {name:<24}{value:>16,.2f}", flush=True)
