"""`python -m chaos`: which modes are played, how the work is shared, and their one report."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

import chaos.__main__ as command
from chaos.checker import INVARIANTS
from chaos.invariants.finding import Finding
from chaos.report import Report
from chaos.sizes import LONG, MODES, SHORT, Sizes


class Stage:
    """Plays nothing, and remembers what it was to play."""

    def __init__(self, broken: str = "") -> None:
        self.played: list[Sizes] = []
        self._broken = broken

    def play(self, sizes: Sizes, seed: int, _folder: Path, _tell: Any) -> Report:
        self.played.append(sizes)
        mode = MODES[sizes.has_pooler + 2 * sizes.has_standby]
        bad = Finding(checked=7, violations=("run 17",) if mode == self._broken else ())
        return Report(
            seed=seed,
            findings={each.number: bad for each in INVARIANTS},
            figures={"jobs": sizes.jobs},
            slowest=[],
            outages=[],
        )


def run(stage: Stage, monkeypatch: pytest.MonkeyPatch, path: Path, *words: str) -> Result:
    monkeypatch.setattr(command, "play", stage.play)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    return CliRunner().invoke(command.main, ["--json", str(path), "--seed", "42", *words])


def test_half_an_hour_is_shared_by_the_three_modes_with_one_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage, path = Stage(), tmp_path / "chaos.json"

    said = run(stage, monkeypatch, path)

    written = json.loads(path.read_text())
    assert said.exit_code == 0, said.output
    assert [(each.has_pooler, each.has_standby) for each in stage.played] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert {each.jobs for each in stage.played} == {round(LONG.jobs / 3)}
    for kind, count in LONG.faults.items():
        assert sum(each.faults[kind] for each in stage.played) == pytest.approx(count, abs=3)
    assert said.output.count("chaos, seed 42") == 1
    assert list(written["modes"]) == list(MODES)
    assert written["modes"]["pooler"]["invariants"]["S1"] == {"checked": 7, "violations": []}


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_that_is_chosen_has_all_the_time(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, mode: str
) -> None:
    stage = Stage()

    run(stage, monkeypatch, tmp_path / "chaos.json", f"--{mode}")

    assert stage.played == [LONG.in_mode(mode)]


def test_the_short_form_is_the_plain_one_unless_another_is_chosen() -> None:
    assert command.acts(is_short=True, mode=None) == {"plain": SHORT}
    assert command.acts(is_short=True, mode="pooler") == {"pooler": SHORT.behind_pooler()}
    assert command.acts(is_short=False, mode="plain", jobs=500) == {"plain": LONG.scaled(500)}
    assert [each.jobs for each in command.acts(is_short=False, mode=None, jobs=900).values()] == [
        300
    ] * 3


def test_a_promise_that_broke_in_one_mode_is_told_and_the_others_are_played_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    stage = Stage(broken="pooler")

    said = run(stage, monkeypatch, tmp_path / "chaos.json")

    assert said.exit_code == 1
    assert len(stage.played) == 3
    assert f"{len(INVARIANTS)} violations; again with: --seed 42" in said.output
    assert "S1: run 17" in said.output


def test_a_report_by_itself_names_no_mode() -> None:
    report, console = Stage().play(SHORT, 42, Path(), None), Console(width=110, record=True)

    report.print(console)

    said = console.export_text()
    assert "violations" in said
    assert "plain" not in said
    assert "5,000" in said
