"""Write the measured table into the README: `python -m bench.readme`, after `make bench`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

from bench.measures import MEASURES, STORES, Measure
from bench.table import number

BLOCK = re.compile(r"(<!-- bench:start -->\n).*?(<!-- bench:end -->)", re.DOTALL)
HEAD = (
    "| measure | SQLite | of the raw limit | PostgreSQL | of the raw limit |\n"
    "|---|---:|---:|---:|---:|\n"
)


def main(figures: Path = Path("build/bench.json"), readme: Path = Path("README.md")) -> int:
    """Replace the block between the marks; exit code 1 when there is nothing to write."""
    if not figures.exists():
        print(f"{figures} is not there; run `make bench` first", file=sys.stderr)
        return 1
    rows = table(json.loads(figures.read_text()))
    readme.write_text(BLOCK.sub(lambda marks: marks[1] + rows + marks[2], readme.read_text()))
    return 0


def table(content: dict[str, Any]) -> str:
    """Return the rows of all measures that were taken, and the conditions below them."""
    measured = [each for each in MEASURES if any(each.name in content[store] for store in STORES)]
    return HEAD + "".join(_row(each, content) for each in measured)


def _row(measure: Measure, content: dict[str, Any]) -> str:
    cells = [measure.title]
    for store in STORES:
        value = content[store].get(measure.name)
        limit = content["limit"].get(store, {}).get(measure.name)
        cells.append("-" if value is None else number(value))
        cells.append(f"{value / limit:.2f}" if value is not None and limit else "")
    return f"| {' | '.join(cells)} |\n"


if __name__ == "__main__":
    sys.exit(main())
