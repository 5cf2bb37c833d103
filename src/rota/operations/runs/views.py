"""The actions on a run that a caller may take, and the facts of a single run beside its row."""

from __future__ import annotations

import msgspec

from rota.engine.admission.active_holds import ActiveHolds
from rota.engine.failures.on_failure import told_run
from rota.engine.graphs.views.nodes import is_paused
from rota.engine.runs.deadlines import with_deadline
from rota.engine.runs.find import tally
from rota.engine.runs.search.labels import labels_of
from rota.model.runs.run import RunView
from rota.model.states import FINAL, State
from rota.operations.caller import Caller
from rota.store.base import Tx


def offered(run: RunView, caller: Caller) -> RunView:
    """The run with what the caller may do to it."""
    verbs = run_verbs(run, caller)
    return msgspec.structs.replace(run, verbs=verbs) if verbs else run


def listed(run: RunView, caller: Caller, *, holds: ActiveHolds | None, paused: bool) -> RunView:
    """A run in a list, with what keeps it; without `holds` nothing does."""
    return msgspec.structs.replace(
        run,
        verbs=run_verbs(run, caller),
        held=holds is not None and holds.is_held(run),
        obstacle=None if holds is None else _obstacle(run, holds),
        paused=paused,
    )


def has_more(run: RunView) -> bool:
    """Whether there may be more to tell of this run than its row and its verbs."""
    return run.state in (State.SUSPENDED, State.FAILED) or _has_attempts(run)


def completed(tx: Tx, caller: Caller, run: RunView) -> RunView:
    """All about a single run; asks the store only for what few runs have."""
    paused = is_paused(tx, run.id) if run.state is State.SUSPENDED else None
    told = told_run(tx, run) if run.state is State.FAILED else None
    return msgspec.structs.replace(
        with_deadline(tx, run),
        verbs=run_verbs(run, caller, is_paused=paused),
        tally=tally(tx, run.id, namespace=run.namespace) if _has_attempts(run) else {},
        on_failure_run=told.id if told and caller.sees(told.queue) else None,
        paused=bool(paused),
        labels=labels_of(tx, [run.id], namespace=run.namespace).get(run.id, {}),
    )


def run_verbs(run: RunView, caller: Caller, *, is_paused: bool | None = None) -> tuple[str, ...]:
    """Return the verbs of the caller; `is_paused` says whether a graph is paused, if known."""
    if run.state in FINAL:
        return caller.may("rerun") if run.parent_id is None else ()
    knows_pause = is_paused is not None and run.state is State.SUSPENDED
    if run.state is State.SUSPENDED and run.cancel_requested:
        return caller.may("force_cancel", *(("mark",) if knows_pause else ()))
    stop = () if run.cancel_requested else ("cancel",)
    hold = ("mark", "resume" if is_paused else "pause") if knows_pause else ()
    return caller.may(*stop, *hold)


def _has_attempts(run: RunView) -> bool:
    return run.attempt > 1 or bool(run.failures or run.crashes) or run.error is not None


def _obstacle(run: RunView, holds: ActiveHolds) -> str | None:
    if run.state is not State.QUEUED:
        return None
    found = holds.reasons(job=run.job, queue=run.queue)
    return found[0].says if found else None
