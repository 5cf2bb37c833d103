"""One round of one peer: a fresh store, a driver, two worker processes, every measure once."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.peers.catalogue import Peer
from bench.peers.driver import driving
from bench.peers.measures import LATENCY_SUBMITS, SINGLE_SUBMITS
from bench.peers.processes import Place, resident_mb, running
from bench.peers.stores import Stores

SCRIPTS = Path(__file__).parent / "scripts"
STEPS = 5
"""The steps of a round that the progress bar shows."""


def play_round(
    peer: Peer, *, commands: Path, stores: Stores, jobs: int, tell: Callable[[str], None]
) -> dict[str, float]:
    """Measure a peer once; `tell` gets the name of each step as it begins."""
    with tempfile.TemporaryDirectory(prefix=f"bench-{peer.name}-") as name:
        folder = Path(name)
        url = stores.fresh(peer.backend, folder)
        place = Place(folder=folder, env=_environment(folder, url))
        script = SCRIPTS / f"{peer.script}_driver.py"
        with driving([str(commands / "python"), str(script)], place=place) as driver:
            tell("submit one by one")
            measured = driver.ask("submit", SINGLE_SUBMITS)
            tell("submit in bulk")
            measured |= driver.ask("fill", jobs)
            worker = [str(commands / peer.worker[0]), *peer.worker[1:]]
            command = [word.replace("{url}", url) for word in worker]
            with running(command, place=place, count=peer.commands) as workers:
                tell("drain")
                measured |= driver.ask("drain", 0, workers=workers)
                tell("end to end")
                measured |= driver.ask("end_to_end", jobs, workers=workers)
                tell("latency")
                measured |= driver.ask("latency", LATENCY_SUBMITS, workers=workers)
                measured["idle_rss_mb"] = resident_mb(workers)
    return measured


def _environment(folder: Path, url: str) -> dict[str, str]:
    """Return an environment with the scripts and their store, without the caller's settings."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("ROTA_")}
    return {
        **kept,
        "PEER_URL": url,
        "PEER_FOLDER": str(folder),
        "PYTHONPATH": str(SCRIPTS),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
