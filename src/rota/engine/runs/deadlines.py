"""Deadlines of runs: computed when somebody looks, from the definition that a run is pinned to."""

from __future__ import annotations

from contextlib import suppress

from msgspec.structs import replace

from rota.clock import moment
from rota.engine.graphs.graph_run import find_spec
from rota.engine.runs.find import now_ms
from rota.engine.values.stored_text import UNREADABLE
from rota.errors import BadInput
from rota.model.runs.run import RunView
from rota.model.view import plain_text
from rota.store.base import Tx


def deadline_of(tx: Tx, run: RunView) -> int | None:
    """Return when a run has to have ended; None without a deadline, or if it cannot be read."""
    with suppress(BadInput, *UNREADABLE):
        spec = find_spec(tx, run.job, run.version, namespace=run.namespace)
        of_job = None if spec is None else spec.deadline or None
        if of_job is None and '"deadline"' not in (plain_text(run.origin) or ""):
            return None
        # Late: zones cost 30 ms, which programs without deadlines need not pay.
        from rota.rules.runs.deadlines import run_deadline  # noqa: PLC0415

        return run_deadline(run, of_job)
    return None


def with_deadline(tx: Tx, run: RunView) -> RunView:
    """Return the run with its deadline, and whether it was missed; itself if it has none."""
    at = deadline_of(tx, run)
    if at is None:
        return run
    ended_at = now_ms(tx) if run.finished_at is None else run.finished_at.ms
    return replace(run, deadline=moment(at), deadline_missed=ended_at > at)
