"""The states of a run as a table and a picture, from the one table in the code.

`python -m tests.docs.states` writes them into docs/architecture.md.
"""

from __future__ import annotations

import re
from pathlib import Path

from rota.model.states import FINAL, TRANSITIONS, State
from tests.support.source import ROOT

PAGE = ROOT / "docs" / "architecture.md"
START, END = "<!-- states:start -->\n", "<!-- states:end -->\n"


def table() -> str:
    """Verb, where it may start, where it leads."""
    rows = ["| verb | from | to |", "|---|---|---|"]
    for verb, change in TRANSITIONS.items():
        rows.append(f"| {verb} | {_names(change.allowed)} | `{change.to}` |")
    return "\n".join(rows) + "\n"


def _names(states: frozenset[State]) -> str:
    return ", ".join(f"`{state}`" for state in State if state in states)


def picture() -> str:
    """A Mermaid diagram; verbs between the same two states share an arrow."""
    arrows: dict[tuple[State, State], list[str]] = {}
    for verb, change in TRANSITIONS.items():
        for state in (each for each in State if each in change.allowed):
            arrows.setdefault((state, change.to), []).append(verb)
    lines = ["stateDiagram-v2"]
    lines += [f"    [*] --> {state}: submit" for state in (State.QUEUED, State.SCHEDULED)]
    lines += [f"    {old} --> {new}: {', '.join(verbs)}" for (old, new), verbs in arrows.items()]
    lines += [f"    {state} --> [*]" for state in State if state in FINAL]
    return "```mermaid\n" + "\n".join(lines) + "\n```\n"


def updated(page: str) -> str:
    """The page with the part between the marks made anew."""
    part = f"{START}\n{picture()}\n{table()}\n{END}"
    return re.sub(f"{START}.*?{END}", lambda _: part, page, flags=re.DOTALL)


def main(path: Path = PAGE) -> None:
    path.write_text(updated(path.read_text()))


if __name__ == "__main__":
    main()
