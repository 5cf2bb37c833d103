"""The circumstances of a measurement, without which its figures mean nothing."""

from __future__ import annotations

import os
import platform
import time
from pathlib import Path
from statistics import median

import apsw
import psutil

from bench.sizes import Sizes

FSYNCS = 100
BUSY_LOAD = 1.0


def conditions(folder: Path, sizes: Sizes) -> dict[str, float | str]:
    """Return the circumstances; call this before measuring, so that the load is foreign."""
    return {
        "cores": os.cpu_count() or 0,
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "sqlite": apsw.sqlite_lib_version(),
        "fsync_ms": round(_fsync_ms(folder / "fsync"), 3),
        "load_1": round(os.getloadavg()[0], 2),
        "jobs": sizes.jobs,
        "rounds": sizes.rounds,
        "backlog": sizes.backlog,
    }


def lines(facts: dict[str, float | str]) -> list[str]:
    """Return lines for people: what was measured where, and a warning about foreign load."""
    server = f", {facts['postgres']}" if "postgres" in facts else ""
    machine = (
        f"{facts['cores']} cores, {facts['memory_gb']} GB, {facts['system']}, "
        f"Python {facts['python']}, SQLite {facts['sqlite']} (WAL, synchronous=FULL){server}; "
        f"4 KB reach the disk in {facts['fsync_ms']} ms."
    )
    work = (
        f"{facts['jobs']:,} no-op runs a burst, median of {facts['rounds']} rounds, raw limit and "
        f"Rota in turn; full tables: {facts['backlog']:,} future and as many finished runs."
    )
    told = [machine, work]
    if float(facts["load_1"]) > BUSY_LOAD:
        told.append(
            f"Load at the start was {facts['load_1']}: others were at work, "
            "so read the ratios and not the figures."
        )
    return told


def _fsync_ms(path: Path) -> float:
    """Return the median time of a small append that reaches the disk."""
    times: list[float] = []
    with path.open("wb", buffering=0) as file:
        for _ in range(FSYNCS):
            begin = time.perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - begin)
    path.unlink()
    return median(times) * 1000
