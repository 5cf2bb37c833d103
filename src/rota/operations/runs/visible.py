"""The runs that exist for a caller."""

from __future__ import annotations

from rota.engine.runs.find import find
from rota.errors import UnknownRun
from rota.model.runs.run import RunView
from rota.operations.caller import Caller
from rota.store.base import Tx


def visible_run(tx: Tx, caller: Caller, run_id: str) -> RunView:
    """The run, if it is in the caller's namespace and in a queue that the caller sees."""
    run = find(tx, run_id, namespace=caller.namespace)
    if not caller.sees(run.queue):
        raise UnknownRun(run_id)
    return run
