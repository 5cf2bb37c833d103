"""One chaos run from the first process to the report."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import psycopg

from chaos.checker import check
from chaos.faults import plan_faults
from chaos.figures import figures, outages, slowest
from chaos.nemesis import Nemesis
from chaos.observer import Observer
from chaos.reading import read_facts
from chaos.report import Report
from chaos.site import Site, site_in
from chaos.sizes import CLIENTS, Sizes

TICK_S = 0.1
CLIENT_S = 120.0
"""Time for clients to submit the rest of their share after the last fault."""


class _Stage:
    """Opens the gate of the clients as the plan proceeds."""

    def __init__(self, site: Site, tell: Callable[[str], None]) -> None:
        self._site = site
        self._share = -(-site.sizes.jobs // CLIENTS)
        self.tell = tell

    def go_on(self, share: float) -> None:
        self._site.open_gate(round(self._share * share))


def play(sizes: Sizes, seed: int, folder: Path, tell: Callable[[str], None]) -> Report:
    """Start everything, disturb it, let it end, and check the remains."""
    with site_in(folder, sizes, seed) as site:
        observer = Observer(site)
        nemesis = Nemesis(site)
        stage = _Stage(site, tell)
        site.start()
        began_s = time.monotonic()
        observer.start()
        nemesis.run(plan_faults(seed, sizes), stage)
        tell("the faults are over")
        stage.go_on(1.0)
        _await(lambda: _are_done(site, nemesis), CLIENT_S)
        calm_s = time.monotonic()
        limit_s = 2 * sizes.lease_ms / 1000 + sizes.drain_s
        _await(lambda: not _live(site), limit_s)
        ended_s = time.monotonic()
        observer.stop()
        notes = site.end_workers()
        facts = read_facts(
            site,
            observer,
            drain_ms=round((ended_s - calm_s) * 1000),
            drain_limit_ms=round(limit_s * 1000),
        )
    again = nemesis.deeds.restarts.total()
    notes += [f"{again} processes ended by themselves and were started again"] if again else []
    return Report(
        seed=seed,
        findings=check(facts),
        figures=figures(facts, nemesis.deeds, took_s=ended_s - began_s),
        slowest=slowest(facts, nemesis.deeds),
        outages=outages(facts, nemesis.deeds),
        notes=tuple(notes),
    )


def _await(is_so: Callable[[], bool], limit_s: float) -> None:
    """Wait until the condition holds; if it never does, the checker reports it."""
    end_s = time.monotonic() + limit_s
    while time.monotonic() < end_s and not is_so():
        time.sleep(TICK_S)


def _are_done(site: Site, nemesis: Nemesis) -> bool:
    nemesis.keep()
    return all(seat.has_ended for seat in site.clients)


def _live(site: Site) -> bool:
    try:
        return bool(site.ask("select 1 from rota.run limit 1"))
    except psycopg.Error:
        return True
