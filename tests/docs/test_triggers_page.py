"""The schedules of docs/triggers.md are read, and told in the words of the page."""

from __future__ import annotations

import re
from typing import get_args

import pytest
import yaml

from rota.model.schedules.definitions import BlackoutKind, Calendar, Roll
from rota.rules.schedules.options import read_schedule
from rota.rules.schedules.sentence import describe
from tests.docs.pages import Block, code_in, page, table_under

PAGE = page("docs/triggers.md")
EXAMPLES = [block for block in PAGE.blocks() if block.language == "yaml"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda block: block.place)
def test_an_example_is_told_as_the_page_says(example: Block) -> None:
    told = re.search(r"^# -> (.+)$", example.text, re.MULTILINE)

    assert told is not None
    assert describe(read_schedule(yaml.safe_load(example.text))) == told[1]


@pytest.mark.parametrize(
    ("section", "first", "words"),
    [
        ("Calendars", "field", Calendar.__struct_fields__),
        ("Days off", "`roll`", get_args(Roll)),
        ("Maintenance windows", "`kind`", get_args(BlackoutKind)),
    ],
)
def test_a_table_has_every_word_of_the_model(
    section: str, first: str, words: tuple[str, ...]
) -> None:
    rows = table_under(PAGE.section(section), first=first)

    assert [word for row in rows for word in code_in(row[0])] == list(words)
