"""Quarantine: a run whose own processes keep dying is ended, instead of killing for ever.

It counts the attempts on record that ended with a process in which the run was alone. Workers that
died with it count, to a limit of their own, only where it was the one run under suspicion.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rota.model.runs.run import Verdict
from rota.rules.failures.retry import quarantine, quarantine_lost
from rota.store.base import Tx

LONE_LOSS = "WorkerLostAlone"
"""The error type of an attempt that counts as a lone loss."""


def quarantined(tx: Tx, verdicts: Sequence[Verdict]) -> list[Verdict]:
    """Return the verdicts, with a final failure for each run that has crashed too often.

    Call it when these attempts are on record. A verdict that is sent again finds the same count.
    """
    counted = [verdict for verdict in verdicts if verdict.max_crashes]
    lost = [verdict.run_id for verdict in counted if verdict.kind == "lost"]
    crashed = [verdict.run_id for verdict in counted if verdict.kind != "lost"]
    rows = list(tx.all("count_crashes", ids=_batch(crashed))) if crashed else []
    if lost:
        mark = f'%"type":"{LONE_LOSS}"%'
        rows += tx.all("count_lone_losses", ids=_batch(lost), mark=mark)
    counts = {str(row["run_id"]): row["crashes"] for row in rows}
    return [_judge(verdict, counts.get(verdict.run_id, 0)) for verdict in verdicts]


def _batch(run_ids: Sequence[str]) -> str:
    return msgspec.json.encode(sorted(run_ids)).decode()


def _judge(verdict: Verdict, crashes: int) -> Verdict:
    if not verdict.max_crashes:
        return verdict
    if verdict.kind == "lost":
        ends = quarantine_lost(losses=crashes, limit=verdict.max_crashes)
    else:
        how = verdict.reason or "its process died"
        ends = quarantine(how, crashes=crashes, limit=verdict.max_crashes)
    if ends is None:
        return msgspec.structs.replace(verdict, reason=None, max_crashes=0)
    return msgspec.structs.replace(verdict, verb="fail", reason=ends.reason, max_crashes=0)
