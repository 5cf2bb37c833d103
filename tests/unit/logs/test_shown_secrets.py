"""Secrets in what commands show to people: results on a terminal, pages of runs, notices."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from rota import notices
from rota.cli.pages.results import print_result
from rota.cli.pages.run import print_page
from rota.cli.serve import log_lines as logs
from rota.clock import moment
from rota.model.runs.run import RunView
from rota.model.states import State
from rota.model.view import JsonText

SECRET = "hunter2-of-the-shop"  # made up
RESULT = f'{{"key":"{SECRET}","url":"https://ann:wonderland@example.org","rows":3}}'


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_TOKEN", SECRET)


class Terminal(io.StringIO):
    """A stream that people look at."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What a process that tells its notices writes."""
    stream = io.StringIO()
    listeners = list(notices._listeners)
    monkeypatch.setattr(logs, "_writers", [])
    monkeypatch.setattr(sys, "stderr", stream)
    logs.tell_notices("text")
    yield stream
    for listener in set(notices._listeners) - set(listeners):
        notices.unsubscribe(listener)


def run_with(result: str) -> RunView:
    numbers: dict[str, Any] = dict.fromkeys(("version", "attempt", "failures", "crashes"), 1)
    times: dict[str, Any] = dict.fromkeys(("created_at", "due_at", "ready_at"), moment(1))
    return RunView(
        id="r",
        namespace="default",
        job="buy",
        queue="default",
        priority=0,
        status=State.SUCCESS,
        state=State.SUCCESS,
        args=JsonText("{}"),
        result=JsonText(result),
        **numbers,
        **times,
    )


def test_the_page_of_a_run_masks_its_result(capsys: pytest.CaptureFixture[str]) -> None:
    print_page(run_with(RESULT), [], 0)

    page = capsys.readouterr().out
    assert '{"key":"***","url":"https://ann:***@example.org","rows":3}' in page
    assert SECRET not in page


def test_a_result_is_masked_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)

    print_result(RESULT)
    print_result(None)

    shown = '{"key":"***","url":"https://ann:***@example.org","rows":3}'
    assert terminal.getvalue() == f"{shown}\nnull\n"


def test_a_program_gets_a_result_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    print_result(RESULT)

    assert capsys.readouterr().out == f"{RESULT}\n"


@pytest.mark.parametrize(
    "fact",
    [
        f"refused with {SECRET}",
        ValueError(f"refused with {SECRET}"),
        [f"refused with {SECRET}", "password=wonderland"],
        {"header": f"Bearer {SECRET}"},
    ],
)
def test_notices_are_masked(told: io.StringIO, fact: object) -> None:
    notices.emit("service.failed", service="alerts", error=fact)

    line = told.getvalue()
    assert "service=alerts" in line
    assert "***" in line
    assert SECRET not in line
    assert "wonderland" not in line
