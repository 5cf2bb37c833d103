"""What the tables say about every instant, past all of our code."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from tests.contract.builders import run_sql

RUNS = """
select s.name, r.id, r.origin
  from (
        select id, schedule_id, origin from rota.run
         union all
        select id, schedule_id, origin from rota.run_history
       ) as r
  left join rota.schedule as s
    on s.id = r.schedule_id
"""
FIRINGS = """
select s.name, f.instant, f.run_id
  from rota.firing as f
  left join rota.schedule as s
    on s.id = f.schedule_id
"""

Instant = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    instants: int
    runs: int
    doubled: list[Instant]
    missing: list[Instant]
    strange: list[str]
    """Runs and firings that should not be there, or do not belong together."""

    @property
    def is_good(self) -> bool:
        return not (self.doubled or self.missing or self.strange)


def check(url: str, spans: Mapping[str, int], *, after: int, until: int) -> Checked:
    """Each instant in (after, until] of each schedule has one run, and one firing that names it."""
    expected = {
        (name, at)
        for name, span in spans.items()
        for at in range((after // span + 1) * span, until + 1, span)
    }
    # By what each run was told, not by what firings say of it.
    told = [(str(run), (name, _instant(origin))) for name, run, origin in run_sql(url, RUNS)]
    runs, by_run = Counter(at for _, at in told), dict(told)
    firings = run_sql(url, FIRINGS)
    fired = Counter((name, instant) for name, instant, _ in firings)
    strange = [f"a run or firing at {at} that nobody expects" for at in {*runs, *fired} - expected]
    strange += [
        f"the firing of {name} at {instant} does not name its run"
        for name, instant, run in firings
        if by_run.get(str(run)) != (name, instant)
    ]
    return Checked(
        instants=len(expected),
        runs=runs.total(),
        doubled=[at for at in expected if runs[at] > 1 or fired[at] > 1],
        missing=[at for at in expected if not runs[at] or not fired[at]],
        strange=strange,
    )


def _instant(origin: str) -> int:
    return int(json.loads(origin)["scheduledFor"])
