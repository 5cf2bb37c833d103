"""The chaos run in its short form: thousands of jobs, dozens of deaths, and every promise kept."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest
from rich.console import Console

from chaos.play import play
from chaos.sizes import SHORT

pytestmark = [pytest.mark.chaos, pytest.mark.slow, pytest.mark.postgres]


# 80 s on two busy cores; it may take several times as long and must stay correct.
@pytest.mark.timeout(600)
def test_nothing_is_lost_and_nothing_counts_twice(postgres_binaries: Path, tmp_path: Path) -> None:
    seed = int(os.environ.get("ROTA_CHAOS_SEED", secrets.randbelow(10**9)))
    report = play(SHORT, seed, tmp_path, lambda _: None)
    report.print(Console(width=110))

    assert report.violations == [], f"again with ROTA_CHAOS_SEED={seed}"
    assert all(found.checked for found in report.findings.values())
    figures = report.figures
    assert figures["jobs"] >= 5_000
    assert figures["kills"] + figures["stops"] >= 40
    assert figures["PostgreSQL crashes"] >= 3
    assert figures["success"] > 0.75 * figures["jobs"]


# 35 s on two busy cores, nearly all of it waiting.
@pytest.mark.timeout(600)
@pytest.mark.usefixtures("pgbouncer_program")
def test_behind_a_pooler_that_dies_as_well_the_same_holds(
    postgres_binaries: Path, tmp_path: Path
) -> None:
    seed = int(os.environ.get("ROTA_CHAOS_SEED", secrets.randbelow(10**9)))
    report = play(SHORT.behind_pooler().scaled(600), seed, tmp_path, lambda _: None)
    report.print(Console(width=110))

    assert report.violations == [], f"again with ROTA_CHAOS_SEED={seed}"
    figures = report.figures
    assert figures["jobs"] >= 600
    assert figures["PgBouncer crashes"] >= 1
    assert figures["success"] > 0.7 * figures["jobs"]


# 40 s on two idle cores, nearly all of it waiting.
@pytest.mark.timeout(600)
def test_with_a_standby_that_takes_over_again_and_again_the_same_holds(
    postgres_binaries: Path, tmp_path: Path
) -> None:
    seed = int(os.environ.get("ROTA_CHAOS_SEED", secrets.randbelow(10**9)))
    report = play(SHORT.scaled(600).with_standby(), seed, tmp_path, lambda _: None)
    report.print(Console(width=110))

    assert report.violations == [], f"again with ROTA_CHAOS_SEED={seed}"
    assert report.findings["L2"].checked
    figures = report.figures
    assert figures["jobs"] >= 600
    assert figures["failovers"] >= 3
    assert figures["silences of the standby"] >= 2
    assert figures["success"] > 0.7 * figures["jobs"]
