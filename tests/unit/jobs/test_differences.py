"""What changed between two definitions, field by field."""

from __future__ import annotations

import msgspec

from rota.rules.jobs.differences import differences


class Program(msgspec.Struct):
    argv: list[str]
    env: dict[str, str] = {}


def test_what_was_nothing_is_told_by_what_came() -> None:
    old, new = Program(["a"]), Program(["a"], {"MODE": "full", "TARGET": "s3"})

    came = {each.field: (each.old, each.new) for each in differences(old, new)}
    went = {each.field: (each.old, each.new) for each in differences(new, old)}

    assert came == {"env.MODE": (None, "full"), "env.TARGET": (None, "s3")}
    assert went == {"env.MODE": ("full", None), "env.TARGET": ("s3", None)}


def test_a_definition_that_is_new_tells_all_of_itself() -> None:
    assert {each.field for each in differences(None, Program(["a"]))} == {"argv", "env"}
