"""The loop of a service: after a failure of its own it rests, whoever wakes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from rota.cli.serve.log_lines import MESSAGES, level_of
from rota.clock import elapsed_s
from rota.notices import emit_rarely, subscribe, tell_again, unsubscribe
from rota.runtime.service import Service

REST_S = 0.05


@pytest.fixture
def told() -> Iterator[list[tuple[str, dict[str, Any]]]]:
    notices: list[tuple[str, dict[str, Any]]] = []

    def listen(name: str, facts: dict[str, Any]) -> None:
        notices.append((name, facts))

    subscribe(listen)
    yield notices
    unsubscribe(listen)


class Failing(Service):
    """Fails five times, woken again in each."""

    def __init__(self) -> None:
        super().__init__()
        self.name = f"rota-{uuid4().hex}"
        self.ticks = 0

    def tick(self) -> bool:
        self.ticks += 1
        self.wake()
        if self.ticks > 5:
            self._stopping = True
            return False
        raise ValueError("again")

    def _rest_s(self) -> float:
        return REST_S if self.failures else 0.0


def test_a_service_that_fails_rests_however_often_it_is_woken(
    told: list[tuple[str, dict[str, Any]]],
) -> None:
    service = Failing()
    began_s = elapsed_s()

    service.run()

    assert elapsed_s() - began_s >= 5 * REST_S
    mine = [name for name, facts in told if facts.get("service") == service.name]
    assert mine == ["service.failed", "service.recovered"], "not one notice for each failure"


def test_a_rare_notice_says_how_often_it_happened(
    told: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    now_s = [0.0]
    monkeypatch.setattr("rota.notices.elapsed_s", lambda: now_s[0])
    subject = uuid4().hex

    for at_s in (1.0, 2.0, 60.0, 61.0, 62.0):
        now_s[0] = at_s
        emit_rarely("item.set_aside", subject, what=subject)
    tell_again("item.set_aside", subject)
    emit_rarely("item.set_aside", subject, what=subject)

    mine = [facts.get("times", 1) for _, facts in told if facts.get("what") == subject]
    assert mine == [1, 3, 1]


@pytest.mark.parametrize(
    "notice",
    ["batch.split", "item.set_aside", "finish.refused", "work.unavailable", "schedule.broken"],
)
def test_a_notice_of_a_set_aside_item_is_a_warning_in_plain_words(notice: str) -> None:
    assert level_of(notice) == "warning"
    assert MESSAGES[notice] != notice
