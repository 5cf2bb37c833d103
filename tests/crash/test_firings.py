"""Schedulers that are killed while their clock jumps: no instant is doubled, none is missing."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

import pytest

from tests.firings.play import SHORT, play, told

pytestmark = [pytest.mark.chaos, pytest.mark.slow]


# 15 s on two cores; it may take several times as long and must stay correct.
@pytest.mark.timeout(400)
def test_each_instant_fires_once_despite_kills_and_clock_jumps(
    store_url: str, tmp_path: Path
) -> None:
    seed = int(os.environ.get("ROTA_FIRINGS_SEED", secrets.randbelow(10**9)))
    report = play(store_url, SHORT, seed, tmp_path, lambda _: None)

    checked = report.checked
    assert checked.is_good, f"again with ROTA_FIRINGS_SEED={seed}: {told(report)}"
    assert checked.instants >= 3_000
    assert report.kills == SHORT.kills
    assert report.jumps_back
    assert report.jumps_ahead
