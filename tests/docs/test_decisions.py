"""Decision records: one shape, and a list of all of them."""

from __future__ import annotations

import re

import pytest

from tests.support.source import ROOT

RECORDS = ROOT / "docs" / "adr"
PARTS = ["Context", "Decision", "Consequences"]
FILES = sorted(path for path in RECORDS.glob("0*.md"))


@pytest.mark.parametrize("name", [path.name for path in FILES])
def test_a_record_has_context_decision_and_consequences(name: str) -> None:
    text = (RECORDS / name).read_text()

    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == PARTS
    assert text.startswith(f"# {name[:4]}: ")


def test_the_list_has_each_record_once_with_its_title() -> None:
    readme = (RECORDS / "README.md").read_text()
    listed = re.findall(r"^- \[\d{4}\]\((.+?)\) (.+)$", readme, re.MULTILINE)
    titles = {path.name: path.read_text().partition("\n")[0][len("# 0000: ") :] for path in FILES}
    del titles["0000-template.md"]

    assert len(listed) == len(titles)
    assert dict(listed) == titles
