"""`rota up` as a whole: the time to the first job, and the idle load."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from bench.measures import Figures
from bench.probe import POLL_S, BenchFailed, Probe, now_ms
from bench.programs import rota
from bench.shop import make_app
from bench.sizes import Sizes

START_S = 60.0
IDLE_S = 1.0
MEGABYTE = 1_000_000
MODULE = Path(__file__).with_name("cold.py")


def measure_up(url: str, sizes: Sizes, *, folder: Path) -> Figures:
    """Start on a store that does not exist yet, run some jobs, let it rest, measure its memory."""
    stamp = folder / "stamp"
    begin_ns = time.monotonic_ns()
    env = {"ROTA_URL": url, "BENCH_STAMP": str(stamp)}
    with rota(["up", str(MODULE)], folder=folder, env=env) as program:
        started_ns = _await_stamp(stamp)
        _run_some(url, sizes.idle_runs)
        time.sleep(IDLE_S)
        weight = _weigh(program.pid)
    return {"cold_start_s": (started_ns - begin_ns) / 1e9, **weight}


def _await_stamp(path: Path) -> int:
    deadline = time.monotonic() + START_S
    while not path.exists() or not (text := path.read_text()):
        if time.monotonic() > deadline:
            raise BenchFailed(f"rota up has run no job within {START_S:.0f} s")
        time.sleep(POLL_S)
    return int(text)


def _run_some(url: str, count: int) -> None:
    probe = Probe(url)
    begin_ms = now_ms()
    with make_app(url) as app:
        last = app.jobs["noop"].submit_many([()] * count)[-1].id
        probe.await_done(count, since_ms=begin_ms, last=last)
    probe.close()


def _weigh(pid: int) -> Figures:
    """Measure all processes of the program; PSS counts shared memory only once."""
    parent = psutil.Process(pid)
    infos = [each.memory_full_info() for each in (parent, *parent.children(recursive=True))]
    return {
        "memory_rss_mb": sum(info.rss for info in infos) / MEGABYTE,
        "memory_pss_mb": sum(info.pss for info in infos) / MEGABYTE,
    }
