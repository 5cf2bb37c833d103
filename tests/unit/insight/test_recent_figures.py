"""Figures that may be a little old are looked up once in a while, for each key."""

from __future__ import annotations

import pytest

from rota.operations import recent
from rota.operations.recent import RecentFigures


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(recent, "elapsed_s", lambda: now[0])
    return now


def test_a_figure_is_looked_up_again_when_it_is_too_old(clock: list[float]) -> None:
    figures, looks = RecentFigures(), iter(range(10))

    found = [figures.read("a", lambda: next(looks)) for _ in range(2)]
    other = figures.read("b", lambda: next(looks))
    clock[0] += recent.GOOD_S
    later = figures.read("a", lambda: next(looks))

    assert (found, other, later) == ([0, 0], 1, 2)


def test_only_so_many_figures_are_kept(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "MOST", 2)
    figures = RecentFigures()

    for key in range(5):
        figures.read(key, lambda: clock[0])

    assert len(figures._known) <= 2
