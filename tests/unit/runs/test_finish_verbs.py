"""A finish knows each verb that a verdict may have, and refuses all others."""

from __future__ import annotations

from collections import Counter
from typing import Any, get_args

import pytest

from rota.engine.runs.finish import _ENDS_RUN, _RETRIES, _RETURNS, finish
from rota.model.runs.run import FinishVerb, Verdict
from rota.model.states import FINAL, TRANSITIONS, State

NOT_BY_VERDICT = {"heartbeat", "suspend", "defer"}
"""Verbs on a running run that are statements of their own."""


class NoStore:
    """A transaction in which any statement is an error."""

    is_careful = False


def test_each_verb_of_a_verdict_is_in_one_group() -> None:
    groups = Counter([*_ENDS_RUN, *_RETRIES, *_RETURNS])

    assert groups == Counter(get_args(FinishVerb))


def test_the_groups_cover_what_the_state_table_allows_a_running_run() -> None:
    from_running = {verb for verb, each in TRANSITIONS.items() if State.RUNNING in each.allowed}
    to_final = {verb for verb, each in TRANSITIONS.items() if each.to in FINAL}

    assert from_running | to_final == _ENDS_RUN | _RETRIES | _RETURNS | NOT_BY_VERDICT
    assert {TRANSITIONS[verb].to for verb in _RETRIES} == {State.SCHEDULED}
    assert {TRANSITIONS[verb].to for verb in _RETURNS} == {State.QUEUED}


@pytest.mark.parametrize("verb", sorted(NOT_BY_VERDICT))
def test_a_verb_of_no_group_is_refused_and_not_dropped(verb: Any) -> None:
    tx: Any = NoStore()

    with pytest.raises(ValueError, match=f"not finished by '{verb}'"):
        finish(tx, [Verdict(run_id="1", fence=1, verb=verb)], namespace="default")
