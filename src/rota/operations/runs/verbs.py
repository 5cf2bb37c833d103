"""What a caller may do to a run."""

from __future__ import annotations

from rota.model.run import RunView
from rota.model.states import FINAL, State
from rota.operations.caller import Caller


def run_verbs(run: RunView, caller: Caller, *, is_paused: bool | None = None) -> tuple[str, ...]:
    """What the caller may do; `is_paused` says whether a graph is held, where that is known."""
    if run.state in FINAL:
        return caller.may("rerun") if run.parent_id is None else ()
    knows_pause = is_paused is not None and run.state is State.SUSPENDED
    if run.state is State.SUSPENDED and run.cancel_requested:
        return caller.may("force_cancel", *(("mark",) if knows_pause else ()))
    stop = () if run.cancel_requested else ("cancel",)
    hold = ("mark", "resume" if is_paused else "pause") if knows_pause else ()
    return caller.may(*stop, *hold)
