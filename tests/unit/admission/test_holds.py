"""The list of holds is whole: who is named in it exists, and whoever holds runs back is in it."""

from __future__ import annotations

import importlib
from typing import get_args

import pytest

from rota.engine.admission.hold import Hold, Wanted
from rota.engine.admission.mechanisms import HOLDS
from rota.model.runs.reason import Kind
from rota.rules.jobs.claim_facts import ClaimFacts
from rota.store.sqlite.dialect import DIALECT
from rota.store.statements import load
from tests.support.source import modules

STATEMENTS = load(DIALECT)
RELEASES = {"unblock_runs", "let_next"}
HOLDS_BACK = {"defer_run", "hold_runs"}


def named(name: str) -> object:
    """A statement, or what `module.name` within the engine stands for."""
    if name in STATEMENTS:
        return STATEMENTS[name]
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(f"rota.engine.{module}"), attribute)


@pytest.mark.parametrize("hold", HOLDS, ids=lambda hold: hold.name)
def test_functions_that_a_hold_names_exist(hold: Hold) -> None:
    assert hold.asked
    assert all(named(each) for each in (*hold.asked, *hold.released_by))


@pytest.mark.parametrize("hold", HOLDS, ids=lambda hold: hold.name)
def test_a_hold_has_words_for_the_runs_that_it_keeps(hold: Hold) -> None:
    assert hold.reason in get_args(Kind)
    assert hold.active is not None or hold.why is not None


@pytest.mark.parametrize("hold", HOLDS, ids=lambda hold: hold.name)
def test_a_hold_that_claims_meet_says_what_they_need_to_know(hold: Hold) -> None:
    meets_claims = hold.narrow is not None or hold.hold_back is not None

    assert (hold.needs is not None) == meets_claims
    if hold.narrow is not None:
        assert hold.needs in Wanted.__struct_fields__
    if hold.hold_back is not None:
        assert hold.needs in ClaimFacts._fields


def test_each_hold_has_a_name_of_its_own() -> None:
    names = [hold.name for hold in HOLDS]

    assert len(set(names)) == len(names)


@pytest.mark.parametrize("hold", HOLDS, ids=lambda hold: hold.name)
def test_a_hold_that_frees_runs_at_the_end_of_others_says_of_which(hold: Hold) -> None:
    assert (hold.free is None) == (hold.is_freed_by is None)


def test_runs_wait_and_are_let_go_only_by_those_whom_the_list_names() -> None:
    names = {f"rota.engine.{name}" for hold in HOLDS for name in (*hold.asked, *hold.released_by)}
    known = {name.rpartition(".")[0] for name in names} | {"rota.engine.admission.release"}

    users = {
        module.name
        for module in modules()
        if any(f'"{statement}"' in module.text for statement in RELEASES | HOLDS_BACK)
    }

    assert users
    assert users <= known
