"""Tables of the documentation that are made from tables in the code.

`python -m tests.docs.tables` writes them into the pages; a test says when one is out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from rota.rules.jobs.option_table import OPTIONS as JOB
from rota.rules.schedules.option_table import OPTIONS as SCHEDULE
from rota.rules.text.option import Option
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


def options() -> str:
    """The options of jobs and submits."""
    return _table(
        ("option", "job", "submit", "default", "meaning"),
        [
            (
                f"`{each.name}`",
                "yes" if "job" in each.where else "",
                "yes" if "submit" in each.where else "",
                each.default,
                each.meaning,
            )
            for each in JOB
        ],
    )


def schedules() -> str:
    """The options of a schedule; those without a meaning of their own stand with the one before."""
    told = [each for each in SCHEDULE if each.name != "name"]
    starts = [at for at, each in enumerate(told) if each.meaning]
    groups = [told[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
    first = "[a cron line](cron.md), [any other trigger](triggers.md), or a list of them"
    return _table(
        ("option", "default", "meaning"),
        [("`schedule`", "", first), *(_schedule_row(group) for group in groups)],
    )


def _schedule_row(group: list[Option]) -> tuple[str, ...]:
    names = [name for each in group for name in (each.name, each.synonym) if name]
    defaults = [each.default for each in group if each.default]
    shown = defaults[:1] if len(set(defaults)) == 1 else defaults
    return ", ".join(f"`{name}`" for name in names), ", ".join(shown), group[0].meaning


TABLES: dict[str, tuple[str, Callable[[], str]]] = {
    "settings": ("docs/cli.md", settings),
    "options": ("docs/policies.md", options),
    "schedules": ("docs/schedules.md", schedules),
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
