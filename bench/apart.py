"""Run a benchmark in a separate process, so that earlier measurements cannot slow its threads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from bench.measures import Figures, StoreName
from bench.sizes import FULL, LEAST, SMALL


def measure_apart(
    module: str, folder: Path, *, jobs: int, only: StoreName | None
) -> dict[StoreName, Figures]:
    """Return the figures of `python -m MODULE`, by store; `jobs` sets the size of its bursts."""
    path = folder / f"{module}.json"
    words = ["--quick"] * (jobs < FULL.jobs) + (["--only", only] if only else [])
    command = [sys.executable, "-m", module, *words, "--json", str(path)]
    env = os.environ | ({LEAST: "1"} if jobs < SMALL else {})
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL)
    figures: dict[StoreName, Figures] = json.loads(path.read_text())
    return figures


def tell(store: str, figures: Figures) -> None:
    print(store)
    for name, value in figures.items():
        print(f"  {name:<24}{value:>16,.2f}", flush=True)
