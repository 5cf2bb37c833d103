"""Rota: a distributed job scheduler for Python. This is the public surface; the rest may change.

Names are fetched at first use, so that `rota --help` does not wait for what only a worker needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rota.app import App, Job, Run
    from rota.app.graphs.refs import this_run
    from rota.app.graphs.trace import expr, group
    from rota.client import Client
    from rota.engine.prune import Retention
    from rota.errors import (
        BadArguments,
        BadGraph,
        BadInput,
        Cancelled,
        DuplicateKey,
        InDoubt,
        LeaseLost,
        Retry,
        RotaError,
        RunFailed,
        RunNotFinished,
        StoreUnavailable,
        TimedOut,
        WrongConnection,
    )
    from rota.model.failures.failure import Failure
    from rota.model.jobs.spec import Breaker, RetryPolicy
    from rota.model.schedules.definitions import (
        AnyOf,
        At,
        Blackout,
        BusinessDay,
        Calendar,
        CalendarEvery,
        Cron,
        Every,
        OnEvent,
        Rrule,
        Schedule,
        Unless,
    )
    from rota.model.states import State
    from rota.receipts import once_in
    from rota.runtime.attempts.context import RunContext, current_run, progress
    from rota.runtime.attempts.handler_state import checkpoint, last_checkpoint
    from rota.runtime.attempts.transaction import Transaction

    __version__: str

__all__ = [
    "AnyOf",
    "App",
    "At",
    "BadArguments",
    "BadGraph",
    "BadInput",
    "Blackout",
    "Breaker",
    "BusinessDay",
    "Calendar",
    "CalendarEvery",
    "Cancelled",
    "Client",
    "Cron",
    "DuplicateKey",
    "Every",
    "Failure",
    "InDoubt",
    "Job",
    "LeaseLost",
    "OnEvent",
    "Retention",
    "Retry",
    "RetryPolicy",
    "RotaError",
    "Rrule",
    "Run",
    "RunContext",
    "RunFailed",
    "RunNotFinished",
    "Schedule",
    "State",
    "StoreUnavailable",
    "TimedOut",
    "Transaction",
    "Unless",
    "WrongConnection",
    "checkpoint",
    "current_run",
    "expr",
    "group",
    "last_checkpoint",
    "once_in",
    "progress",
    "this_run",
]

_ELSEWHERE = {
    "App": "rota.app",
    "Client": "rota.client",
    "Job": "rota.app",
    "Run": "rota.app",
    "Retention": "rota.engine.prune",
    "Failure": "rota.model.failures.failure",
    "Breaker": "rota.model.jobs.spec",
    "RetryPolicy": "rota.model.jobs.spec",
    "State": "rota.model.states",
    "RunContext": "rota.runtime.attempts.context",
    "Transaction": "rota.runtime.attempts.transaction",
    "checkpoint": "rota.runtime.attempts.handler_state",
    "last_checkpoint": "rota.runtime.attempts.handler_state",
    "once_in": "rota.receipts",
    "current_run": "rota.runtime.attempts.context",
    "expr": "rota.app.graphs.trace",
    "group": "rota.app.graphs.trace",
    "progress": "rota.runtime.attempts.context",
    "this_run": "rota.app.graphs.refs",
    "AnyOf": "rota.model.schedules.definitions",
    "At": "rota.model.schedules.definitions",
    "Blackout": "rota.model.schedules.definitions",
    "BusinessDay": "rota.model.schedules.definitions",
    "Calendar": "rota.model.schedules.definitions",
    "CalendarEvery": "rota.model.schedules.definitions",
    "Cron": "rota.model.schedules.definitions",
    "Every": "rota.model.schedules.definitions",
    "OnEvent": "rota.model.schedules.definitions",
    "Rrule": "rota.model.schedules.definitions",
    "Schedule": "rota.model.schedules.definitions",
    "Unless": "rota.model.schedules.definitions",
}
"""Where a public name lives, unless it is an error."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        value = getattr(import_module(_ELSEWHERE.get(name, "rota.errors")), name)
    elif name == "__version__":
        value = import_module("rota.version").version()
    else:
        raise AttributeError(f"module 'rota' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
