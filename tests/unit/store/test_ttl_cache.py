"""Answers that may be a little old are looked up once in a while, for each key."""

from __future__ import annotations

import pytest

from rota import ttl_cache
from rota.ttl_cache import TtlCache


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(ttl_cache, "elapsed_s", lambda: now[0])
    return now


def test_a_figure_is_looked_up_again_when_it_is_too_old(clock: list[float]) -> None:
    figures, looks = TtlCache[float](), iter(range(10))

    found = [figures.read("a", lambda: next(looks)) for _ in range(2)]
    other = figures.read("b", lambda: next(looks))
    clock[0] += ttl_cache.GOOD_S
    later = figures.read("a", lambda: next(looks))

    assert (found, other, later) == ([0, 0], 1, 2)


def test_only_so_many_figures_are_kept(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ttl_cache, "MOST", 2)
    figures = TtlCache[float]()

    for key in range(5):
        figures.read(key, lambda: clock[0])

    assert len(figures._known) <= 2


def test_a_dropped_answer_is_looked_up_again(clock: list[float]) -> None:
    answers = TtlCache[float]()

    answers.put("a", 1)
    answers.drop("a")
    answers.drop("b")

    assert answers.get("a") is None
