"""Tables of the documentation that are made from tables in the code.

`python -m tests.docs.tables` writes them into the pages; a test says when one is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rota.settings.table import SETTINGS
from tests.support.source import ROOT


def settings() -> str:
    """All settings, those of a section of rota.toml together."""
    sections = list(dict.fromkeys(setting.section for setting in SETTINGS.values()))
    rows = sorted(SETTINGS.values(), key=lambda setting: sections.index(setting.section))
    return _table(
        ("setting", "variable", "section of `rota.toml`", "meaning"),
        [
            (f"`{each.name}`", f"`{each.variable}`", f"`[{each.section}]`", each.meaning)
            for each in rows
        ],
    )


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("docs/cli.md", settings),
}
"""By the name in the marks: the page, and what makes the table."""


def updated(name: str) -> str:
    """The page with the table between its marks made anew."""
    path, make = TABLES[name]
    start, end = f"<!-- {name}:start -->\n", f"<!-- {name}:end -->\n"
    part = f"{start}\n{make()}\n{end}"
    return re.sub(f"{start}.*?{end}", lambda _: part, (ROOT / path).read_text(), flags=re.DOTALL)


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [heads, *rows]
    text = ["| " + " | ".join(line) + " |" for line in lines]
    text.insert(1, "|---" * len(heads) + "|")
    return "\n".join(re.sub(r"\|  (?=\|)", "| ", line) for line in text) + "\n"


def main() -> None:
    for name, (path, _) in TABLES.items():
        (ROOT / path).write_text(updated(name))


if __name__ == "__main__":
    main()
