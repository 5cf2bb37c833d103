"""The holds as tables, from the one list in the code: for users, and for people who change Rota.

`python -m tests.docs.holds` writes them into docs/failures.md and docs/architecture.md.
"""

from __future__ import annotations

import re
from pathlib import Path

from rota.engine.admission.hold import Hold
from rota.engine.admission.mechanisms import HOLDS
from tests.support.source import ROOT

FAILURES = ROOT / "docs" / "failures.md"
ARCHITECTURE = ROOT / "docs" / "architecture.md"
START, END = "<!-- holds:start -->\n", "<!-- holds:end -->\n"


def for_users() -> str:
    """What is kept back, until when, and the kind of the reason that `rota why` gives."""
    rows = ["| hold | it keeps back | until | kind |", "|---|---|---|---|"]
    rows += [f"| {hold.name} | {hold.keeps} | {hold.until} | `{hold.reason}` |" for hold in HOLDS]
    return "\n".join(rows) + "\n"


def for_developers() -> str:
    """What a run is while it is held, who asks and who releases."""
    rows = ["| hold | the run is | asked by | released by |", "|---|---|---|---|"]
    rows += [
        f"| {hold.name} | {_state(hold)} | {_names(hold.asked)} | {_names(hold.released_by)} |"
        for hold in HOLDS
    ]
    return "\n".join(rows) + "\n"


def _state(hold: Hold) -> str:
    states = [
        "`pending`" if hold.why is not None else "",
        "`queued`" if hold.active is not None or hold.narrow is not None else "",
    ]
    return " or ".join(state for state in states if state)


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def updated(page: str, table: str) -> str:
    """The page with the part between the marks made anew."""
    part = f"{START}\n{table}\n{END}"
    return re.sub(f"{START}.*?{END}", lambda _: part, page, flags=re.DOTALL)


def tables() -> dict[Path, str]:
    """Each page with the table that belongs on it."""
    return {FAILURES: for_users(), ARCHITECTURE: for_developers()}


def main() -> None:
    for path, table in tables().items():
        path.write_text(updated(path.read_text(), table))


if __name__ == "__main__":
    main()
