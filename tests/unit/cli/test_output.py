"""Tables on a terminal: whatever its width, ids can be copied."""

from __future__ import annotations

import pytest

from rota.cli import output
from rota.cli.output import Cell, print_table

RUN = "01a1ec4b-195b-73cc-bc34-4cc642bc76f0"


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "is_fancy", lambda: True)
    monkeypatch.setenv("COLUMNS", "60")


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("shown", [RUN, RUN[-12:], "948d734cb3f9"])
def test_an_id_is_never_broken_over_two_lines(
    capsys: pytest.CaptureFixture[str], shown: str
) -> None:
    error = "ValueError: there is no such order, and there was none yesterday"
    rows = [(Cell(shown, "bold"), "charge_and_tell_everybody", "", error)]

    print_table(("id", "job", "worker", "error"), rows, empty="")

    out = capsys.readouterr().out
    assert shown in out
    assert max(map(len, out.splitlines())) <= 60


@pytest.mark.usefixtures("terminal")
def test_a_narrow_terminal_leaves_out_empty_and_spare_columns(
    capsys: pytest.CaptureFixture[str],
) -> None:
    error = "ValueError: there is no such order in the books"
    rows = [("1c1eebfaae1b", "charge", "", "default", "failed", "3 s", error)]
    columns = ("id", "job", "key", "queue", "state", "took", "about")

    print_table(columns, rows, empty="", spare=("queue", "took"))

    out = capsys.readouterr().out
    assert out.split()[:4] == ["id", "job", "state", "about"]
    assert "failed" in out
    assert len(out.splitlines()) <= 6


@pytest.mark.usefixtures("terminal")
def test_words_are_still_folded(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("a", "b"), [("word " * 20, "more " * 20)], empty="")

    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60
