"""Errors from the state of the system, and exceptions in runs and handlers."""

from __future__ import annotations

from rota.errors.base import RotaError


class NotAllowed(RotaError):
    """The state of the run does not allow this operation."""

    exit_code = 3


class Outdated(NotAllowed):
    """It was changed after it was read; this change was not made."""


class NotSignedIn(RotaError):
    """The credential is missing, unknown, revoked or expired."""

    exit_code = 8


class NotPermitted(RotaError):
    """The credential is valid, but does not have this permission."""

    exit_code = 8


class TooMany(RotaError):
    """Too many requests in this time; wait a while and try again."""

    exit_code = 9

    def __init__(self, message: str | None = None, *, retry_after_s: float = 1.0) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class QuotaExceeded(TooMany):
    """The namespace has reached its quota."""


class LeaseLost(RotaError):
    """Another worker owns this run now; stop working on it and drop the result."""


class InDoubt(RotaError):
    """An earlier attempt began an external call, and nobody knows whether it took place."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"in doubt: {name!r} was begun by an earlier attempt and may have taken place; "
            "say what became of it (rota effects settle), then redrive"
        )


class StoreUnavailable(RotaError):
    """The database cannot be reached."""

    exit_code = 4


class StoreRefused(StoreUnavailable):
    """The database is there and refuses the login; waiting does not help."""


class StoreLost(StoreUnavailable):
    """The open file or connection is no longer the database; start a new process."""


class CommitUnknown(StoreUnavailable):
    """The connection broke during the commit: the change was made, or it was not.

    Rota first asks the database again; this is raised if no answer came in time.
    """


class ServerUnavailable(StoreUnavailable):
    """The server cannot be reached or does not answer."""


class SchemaMismatch(RotaError):
    """The database schema does not fit this version of Rota."""

    exit_code = 5


class RoomsRefused(RotaError):
    """Row-level security cannot be enabled: the login lacks a permission."""

    exit_code = 5


class RightMissing(RotaError):
    """The database login lacks a permission."""

    exit_code = 5


class RunNotFinished(RotaError):
    """The run did not end within the timeout."""

    exit_code = 6


class RunFailed(RotaError):
    """The run ended without a result."""

    exit_code = 7

    def __init__(self, run_id: str, state: str, reason: str) -> None:
        self.run_id = run_id
        self.state = state
        self.reason = reason
        super().__init__(f"run {run_id} ended as {state}: {reason}")


class BackfillFailed(RunFailed):
    """A backfill has ended, and some of its runs ended without a result."""

    def __init__(self, backfill_id: str, state: str, *, failed: int, started: int) -> None:
        reason = f"{failed:,} of its {started:,} runs failed"
        super().__init__(backfill_id, state, reason)
        again = "the same range with --reprocess failed runs those again"
        self.args = (f"backfill {backfill_id} is {state}: {reason}; {again}",)


class Retry(RotaError):
    """Raise it in a handler to request another attempt, now or `after` a while."""

    def __init__(self, message: str | None = None, *, after: str | float | None = None) -> None:
        self.after = after
        super().__init__(message)


class Cancelled(BaseException):
    """Raised inside a handler whose run was cancelled; let it pass.

    A BaseException, so that `except Exception` in user code does not swallow it.
    """


class TimedOut(BaseException):
    """Raised inside a handler that ran longer than its timeout; let it pass."""
