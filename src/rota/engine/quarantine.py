"""Quarantine: a run whose own processes keep dying is ended, instead of killing for ever.

Counted are the attempts on record that ended with a process in which the run was alone; workers
that died with it, for whatever reason, are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.run import Verdict
from rota.rules.retry import quarantine
from rota.store.base import Tx


def quarantined(tx: Tx, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts, with a final failure for each run that has crashed too often.

    Called when these attempts are on record. A verdict that is sent again finds the same count.
    """
    crashed = sorted(verdict.run_id for verdict in verdicts if verdict.max_crashes)
    rows = tx.all("count_crashes", ids=msgspec.json.encode(crashed).decode())
    counts = {str(row["run_id"]): row["crashes"] for row in rows}
    return [_judged(verdict, counts.get(verdict.run_id, 0)) for verdict in verdicts]


def _judged(verdict: Verdict, crashes: int) -> Verdict:
    if not verdict.max_crashes:
        return verdict
    ends = quarantine(
        verdict.reason or "its process died", crashes=crashes, limit=verdict.max_crashes
    )
    if ends is None:
        return msgspec.structs.replace(verdict, reason=None, max_crashes=0)
    return msgspec.structs.replace(verdict, verb="fail", reason=ends.reason, max_crashes=0)
