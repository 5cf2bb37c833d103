"""The changelog: versions with dates, three kinds of changes, one line for each of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tests.support.source import ROOT

LONGEST = 160
KINDS = {"Added", "Changed", "Fixed"}
VERSION = re.compile(r"\[Unreleased\]|\[\d+\.\d+\.\d+\] - \d{4}-\d{2}-\d{2}")


def faults(text: str) -> Iterator[str]:
    """What is wrong with a changelog, without its introduction."""
    for line in text.splitlines():
        title = line.lstrip("# ")
        if line.startswith("## "):
            if not VERSION.fullmatch(title):
                yield f"{title}: neither [Unreleased] nor a version with its date"
        elif line.startswith("### "):
            if title not in KINDS:
                yield f"{title}: none of {', '.join(sorted(KINDS))}"
        elif line.startswith("- "):
            if len(line) > LONGEST:
                yield f"{len(line)} characters, at most {LONGEST}: {line}"
        elif line and line != "The first release.":
            yield f"an entry is one line: {line}"


def test_each_entry_is_one_short_line_of_a_version() -> None:
    _, mark, entries = (ROOT / "CHANGELOG.md").read_text().partition("## ")

    assert list(faults(mark + entries)) == []


def test_what_does_not_belong_is_noticed() -> None:
    wrong = ["## Soon", "### Security", "- " + LONGEST * "a", "  and more of it"]

    assert len(list(faults("\n".join(wrong)))) == len(wrong)
