"""`python -m bench.cron`: next times of cron lines per second, beside croniter and cronsim.

There are two kinds of use. Kept: one object per line returns one firing after the other. Mixed:
many schedules share few lines, and each needs the first firing after an instant of its own. There
the peers must be built anew for each instant, while Rota looks up the line that it has parsed
before. A third figure, cold, is Rota alone without a cache: parsing a line and its first answer.
Time is processor time of one thread.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import islice
from random import Random
from statistics import median
from zoneinfo import ZoneInfo

from croniter import croniter  # type: ignore[import-untyped]  # it has no types
from cronsim import CronSim
from rich.console import Console
from rich.table import Table

from bench.measures import Figures
from bench.probe import BenchFailed
from rota.model.schedules.definitions import Cron
from rota.rules.schedules.cron import compile_cron, parse
from rota.rules.schedules.cron import line as line_of
from rota.rules.schedules.cron import timetable as tables
from rota.rules.schedules.cron.days import calendar_of
from rota.rules.schedules.timetable import firings
from rota.rules.schedules.zones import zone

LINES = (
    "* * * * *",
    "*/5 * * * *",
    "*/15 9-17 * * 1-5",
    "0 * * * *",
    "30 */2 * * *",
    "0 6 * * *",
    "0 6 * * mon-fri",
    "15 10,22 * * *",
    "0 4 1 * *",
    "0 4 1,15 * *",
    "30 5 * * sun",
    "0 12 1 1 *",
)
ZONES = ("UTC", "Europe/Paris", "America/New_York", "Asia/Kolkata")
NEXTS = 10_000
ROUNDS = 5
PEERS = ("cronsim", "croniter")
WANTED = 5.0
"""The promised speed in multiples of the faster peer, in either kind of use."""

REMEMBERED = (
    tables._compile,  # noqa: SLF001 - to forget is the subject, here and below
    tables._timetable,  # noqa: SLF001
    parse._parse,  # noqa: SLF001
    line_of._times_of_day,  # noqa: SLF001
    calendar_of,
)
START = datetime(2026, 1, 1, tzinfo=UTC)
Pair = tuple[str, str]
Ask = tuple[str, str, int]
PAIRS: tuple[Pair, ...] = tuple((line, name) for line in LINES for name in ZONES)
EACH = NEXTS // len(PAIRS)


def measure(rounds: int = ROUNDS) -> Figures:
    """Return next times per second: `cron_<use>`, the same of the peers, and the ratio."""
    asks = _asks()
    _agree(asks)
    works: dict[str, tuple[Callable[[], None], int]] = {
        "cron_kept": (lambda: _kept(PAIRS), EACH * len(PAIRS)),
        "cronsim_kept": (lambda: _cronsim_kept(PAIRS), EACH * len(PAIRS)),
        "croniter_kept": (lambda: _croniter_kept(PAIRS), EACH * len(PAIRS)),
        "cron_mixed": (lambda: _mixed(asks), len(asks)),
        "cronsim_mixed": (lambda: _cronsim_mixed(asks), len(asks)),
        "croniter_mixed": (lambda: _croniter_mixed(asks), len(asks)),
        "cron_cold": (lambda: _cold(PAIRS), len(PAIRS)),
    }
    figures = {name: _rate(work, count, rounds) for name, (work, count) in works.items()}
    for use in ("kept", "mixed"):
        fastest = max(figures[f"{peer}_{use}"] for peer in PEERS)
        figures[f"cron_{use}_ratio"] = figures[f"cron_{use}"] / fastest
    return figures


def _rate(work: Callable[[], None], count: int, rounds: int) -> float:
    took = []
    for _ in range(rounds):
        started = time.process_time()
        work()
        took.append(time.process_time() - started)
    return count / median(took)


def _asks() -> list[Ask]:
    """Return instants in the coming month; a scheduler has many at about the same time."""
    chance = Random(1)
    first = int(START.timestamp()) * 1_000
    month = 30 * 86_400_000
    return [(*chance.choice(PAIRS), first + chance.randrange(month)) for _ in range(NEXTS)]


def _kept(pairs: Sequence[Pair]) -> None:
    for line, name in pairs:
        timetable = compile_cron(Cron(line), zone=zone(name))
        at: int | None = int(START.timestamp()) * 1_000
        for _ in range(EACH):
            at = timetable.after(at) if at is not None else None


def _cronsim_kept(pairs: Sequence[Pair]) -> None:
    for line, name in pairs:
        for _ in islice(CronSim(line, START.astimezone(ZoneInfo(name))), EACH):
            pass


def _croniter_kept(pairs: Sequence[Pair]) -> None:
    for line, name in pairs:
        lines = croniter(line, START.astimezone(ZoneInfo(name)))
        for _ in range(EACH):
            lines.get_next(float)


def _mixed(asks: Sequence[Ask]) -> None:
    for line, name, instant in asks:
        compile_cron(Cron(line), zone=zone(name)).after(instant)


def _cronsim_mixed(asks: Sequence[Ask]) -> None:
    for line, name, instant in asks:
        next(CronSim(line, datetime.fromtimestamp(instant / 1_000, ZoneInfo(name))))


def _croniter_mixed(asks: Sequence[Ask]) -> None:
    for line, name, instant in asks:
        start = datetime.fromtimestamp(instant / 1_000, ZoneInfo(name))
        croniter(line, start).get_next(float)


def _cold(pairs: Sequence[Pair]) -> None:
    instant = int(START.timestamp()) * 1_000
    for line, name in pairs:
        for cached in REMEMBERED:
            cached.cache_clear()
        compile_cron(Cron(line), zone=zone(name)).after(instant)


def _agree(asks: Sequence[Ask]) -> None:
    """Check that all three give equal answers here: a fast wrong answer is worth nothing."""
    for line, name, instant in asks[:500]:
        mine = compile_cron(Cron(line), zone=zone(name)).after(instant)
        start = datetime.fromtimestamp(instant / 1_000, ZoneInfo(name))
        others = {next(CronSim(line, start)).timestamp(), croniter(line, start).get_next(float)}
        if {mine} != {int(one) * 1_000 for one in others}:
            raise BenchFailed(f"{line} in {name} after {start}: {mine} and {others}")
    for line, name in PAIRS:
        start_ms = int(START.timestamp()) * 1_000
        timetable = compile_cron(Cron(line), zone=zone(name))
        if len(list(islice(firings(timetable, start_ms, 10**14), EACH))) < min(EACH, 150):
            raise BenchFailed(f"{line} in {name} ends too soon to be measured")


def missed(figures: Figures) -> list[str]:
    """Return the kinds of use in which Rota is not fast enough beside the peers."""
    return [use for use in ("cron_kept", "cron_mixed") if figures[f"{use}_ratio"] < WANTED]


def show(figures: Figures, console: Console) -> None:
    table = Table(title="cron: next times per second")
    for column in ("", "Rota", *PEERS, "times the faster"):
        table.add_column(column, justify="right" if column else "left")
    for use in ("kept", "mixed"):
        cells = [f"{figures[f'{who}_{use}']:,.0f}" for who in ("cron", *PEERS)]
        table.add_row(use, *cells, f"{figures[f'cron_{use}_ratio']:.1f} (>= {WANTED:g})")
    table.add_row("cold", f"{figures['cron_cold']:,.0f}", "", "", "")
    console.print(table)


def main() -> int:
    figures = measure()
    if "--json" in sys.argv[1:]:
        print(json.dumps(figures, indent=2))
    else:
        show(figures, Console())
    return int(bool(missed(figures)))


if __name__ == "__main__":
    sys.exit(main())
