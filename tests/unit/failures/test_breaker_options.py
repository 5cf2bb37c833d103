"""The option breaker=: both forms, and what is refused."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from rota.errors import BadDuration, BadOption
from rota.model.jobs.spec import Breaker, JobSpec, PythonTarget
from rota.rules.failures.breaker_options import breaker_text, parse_breaker
from rota.rules.jobs.options import job_options

GOOD = Breaker(share=0.5, least=20, window="1m", cool="30s", cool_cap="10m")


@pytest.mark.parametrize("text", ["50% of 20 in 1m", " 50 %  of 20 in 60s", "50.0% of 20 in 60"])
def test_the_short_form_says_share_least_and_window(text: str) -> None:
    assert parse_breaker(text) == GOOD


def test_durations_are_kept_in_one_spelling() -> None:
    window: Any = timedelta(minutes=1)

    rule = parse_breaker(Breaker(share=1, least=20, window=window, cool=0.5, cool_cap="1h30m"))

    assert rule == Breaker(share=1.0, least=20, window="1m", cool="500 ms", cool_cap="1h 30m")


@pytest.mark.parametrize("text", ["50% of 20 in 1m", "12.5% of 1 in 1h 30m", "100% of 3 in 1d"])
def test_the_short_form_is_read_back(text: str) -> None:
    rule = parse_breaker(text)

    assert rule is not None
    assert breaker_text(rule) == text


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("often", "cannot be read; write"),
        ("50% of 20", "cannot be read"),
        (0.5, "is not a breaker"),
        ("0% of 20 in 1m", "share=0.0 must be more than 0"),
        ("101% of 20 in 1m", "share=1.01"),
        ("50% of 0 in 1m", "least=0"),
        ("50% of 20 in 10ms", "window='10ms' is not between 1s and 1d"),
        ("50% of 20 in 2d", "is not between"),
        (Breaker(share=float("nan"), least=1), "share=nan"),
        (Breaker(share=True, least=1), "share=True"),
        (Breaker(share=0.5, least=True), "least=True"),
        (Breaker(share=0.5, least=1, cool="1ms"), "less than 100ms"),
        (Breaker(share=0.5, least=1, cool="1h"), "cool_cap is shorter than cool"),
        (Breaker(share=0.5, least=1, pauses="no"), "pauses='no'"),  # type: ignore[arg-type]
    ],
)
def test_a_bad_breaker_option_is_refused(given: Any, said: str) -> None:
    with pytest.raises(BadOption) as refused:
        job_options("j", {"breaker": given})

    assert said in str(refused.value)


def test_a_bad_duration_names_its_field() -> None:
    with pytest.raises(BadDuration, match="breaker: window: 'soon' is not a duration"):
        parse_breaker("50% of 20 in soon")


def test_a_spec_with_a_breaker_survives_json() -> None:
    spec = JobSpec(name="j", target=PythonTarget(ref="m:j"), breaker=GOOD)

    assert msgspec.json.decode(msgspec.json.encode(spec), type=JobSpec) == spec
    assert job_options("j", {}).breaker is None
