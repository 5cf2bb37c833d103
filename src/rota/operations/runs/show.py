"""The operation on a single run; its route is written by hand, because it gathers reads."""

from __future__ import annotations

from rota.model.runs.run import RunView
from rota.operations.caller import Caller
from rota.operations.operation import reads
from rota.operations.runs.views import completed
from rota.operations.runs.visible import visible_run
from rota.store.base import Tx


@reads("/runs/{run_id}")
def show_run(tx: Tx, caller: Caller, run_id: str) -> RunView:
    """A run as it is now."""
    return completed(tx, caller, visible_run(tx, caller, run_id))
