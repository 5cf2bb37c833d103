"""The benchmark still runs and writes all its figures; how fast is not asked here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.measures import MEASURES, STEPS, Target
from bench.table import Results

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_a_small_benchmark_writes_every_figure_of_rota_and_of_the_raw_limit(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"

    ended = subprocess.run(
        [
            *(sys.executable, "-m", "bench", "--quick", "--only", "sqlite"),
            *("--jobs", "200", "--json", str(path)),
        ],
        cwd=ROOT,
        env=os.environ | {"TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )

    assert ended.returncode == 0, ended.stderr
    written = json.loads(path.read_text())
    limits = {*STEPS, "latency_p50_ms", "latency_p99_ms"} - {"latency"}
    assert set(written["sqlite"]) >= {each.name for each in MEASURES if "sqlite" in each.stores}
    assert set(written["limit"]["sqlite"]) == limits
    assert {name: value for name, value in written["sqlite"].items() if not value > 0} == {}
    assert all(value > 0 for value in written["limit"]["sqlite"].values())
    assert "end to end/s" in ended.stdout


def test_only_promises_that_hold_on_any_machine_are_checked() -> None:
    results = Results()
    slow_but_near_the_limit = {"end_to_end": 1_000.0, "submit_bulk": 10.0, "claim_ratio": 0.95}
    far_from_the_limit = {"end_to_end": 20_000.0, "claim_ratio": 0.5}
    results.add("sqlite", ours=slow_but_near_the_limit, limits={"end_to_end": 2_000.0})
    results.add("postgres", ours=far_from_the_limit, limits={"end_to_end": 50_000.0})

    missed = results.missed_ratios()

    assert missed == ["PostgreSQL: end to end/s", "PostgreSQL: full / empty"]


def test_a_target_is_met_only_when_all_its_parts_are() -> None:
    target = Target(at_least=100, of_limit=0.5)

    assert target.is_met(120, 200)
    assert not target.is_met(90, 100)
    assert not target.is_met(120, 300)
