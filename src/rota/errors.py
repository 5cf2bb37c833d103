"""Every error Rota raises, in one small tree.

The docstring of a class is its default message; it says what happened and what to do.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Iterable


class RotaError(Exception):
    """Something went wrong in Rota."""

    exit_code = 1

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or inspect.cleandoc(self.__doc__ or ""))


class BadInput(RotaError):
    """The caller asked for something that makes no sense; nothing was changed."""

    exit_code = 2


class BadOption(BadInput):
    """An option is unknown or has a value it cannot have."""


class BadGraph(BadInput):
    """A graph makes no sense; the message names the node."""

    def __init__(self, message: str | None = None, *, path: tuple[str | int, ...] = ()) -> None:
        self.path = path
        """Where it stands in what was read, for those who can point to it."""
        super().__init__(message)


class BadExpression(BadInput):
    """An expression cannot be read, names what is not there, or gave no value."""


class BadFile(BadInput):
    """A file cannot be read as what it should be; the message tells line and column."""


class BadDuration(BadInput):
    """A duration is written like 500ms, 90s, 10m, 1h30m or 7d."""


class BadZone(BadInput):
    """A time zone is an IANA name such as Europe/Paris or UTC."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        self.name = name
        folded = {one.casefold(): one for one in sorted(known)}
        close = difflib.get_close_matches(name.casefold()[:64], folded, n=1)
        hint = f"did you mean {folded[close[0]]!r}?" if close else "write Europe/Paris or UTC"
        super().__init__(f"no time zone is named {name!r:.64}; {hint}")


class BadCron(BadInput):
    """A cron line has 5 fields, or 6 with seconds first, or 7 with the year last."""


class BadUrl(BadInput):
    """A store address is sqlite:///path/to/file.db or postgresql://user@host/database."""


class BadArguments(BadInput):
    """The arguments do not fit the job's signature."""


class BadResult(BadInput):
    """The handler returned something that is not JSON."""


class PayloadTooLarge(BadInput):
    """Arguments or a result are larger than the limit; pass a reference instead."""


class UnknownJob(BadInput):
    """No job of that name is registered; import the module that defines it."""

    def __init__(self, name: str, known: Iterable[str] = ()) -> None:
        self.name = name
        close = difflib.get_close_matches(name, list(known), n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"no job named {name!r} is registered.{hint}")


class UnknownRun(BadInput):
    """No run has that id; it may have been pruned."""

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        super().__init__(f"no run has the id {run_id!r}; it may have been pruned by retention")


class UnknownSchedule(BadInput):
    """No schedule has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no schedule is named {name!r}")


class UnknownBackfill(BadInput):
    """No backfill has that id; it may have been pruned."""

    def __init__(self, backfill_id: str) -> None:
        self.backfill_id = backfill_id
        super().__init__(f"no backfill has the id {backfill_id!r}; it may have been pruned")


class UnknownName(BadInput):
    """Nothing of this kind has that name."""

    kind = ""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"no {self.kind} is named {name!r:.140}")


class UnknownTemplate(UnknownName):
    """No template has that name."""

    kind = "template"


class UnknownCalendar(UnknownName):
    """No calendar has that name."""

    kind = "calendar"


class UnknownBlackout(UnknownName):
    """No maintenance window has that name."""

    kind = "maintenance window"


class UnknownVersion(BadInput):
    """The job has no such version."""

    def __init__(self, name: str, version: int) -> None:
        self.name = name
        self.version = version
        super().__init__(f"job {name!r:.140} has no version {version}")


class UnknownToken(BadInput):
    """No token has that id."""

    def __init__(self, token_id: str) -> None:
        self.token_id = token_id
        super().__init__(f"no token of this namespace has the id {token_id!r:.64}")


class UnknownNamespace(BadInput):
    """No namespace has that name; make it with `rota namespaces create`."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"there is no namespace {name!r:.140}; make it with "
            f"`rota namespaces create {name:.140}`"
        )


class UnknownQueue(BadInput):
    """No queue has that name."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"there is no queue {name!r:.140}; `rota queues` lists them")


class UnknownWorker(BadInput):
    """No worker of this id is on record."""

    def __init__(self, worker_id: str) -> None:
        self.worker_id = worker_id
        super().__init__(
            f"there is no worker {worker_id!r:.64}; `rota workers` lists those on record"
        )


class AppNotFound(BadInput):
    """The module could not be imported, or it holds no App."""


class DuplicateKey(BadInput):
    """The idempotency key was used before with other arguments; nothing was submitted."""

    def __init__(self, key: str, run_id: str, *, what: str = "run", has: str = "arguments") -> None:
        self.key = key
        self.run_id = run_id
        super().__init__(
            f"idempotency key {key!r} belongs to {what} {run_id} which has other {has}; "
            f"use another key, or the same {has}"
        )


class KeyReused(BadInput):
    """The Idempotency-Key was sent before with another request; nothing was changed."""


class WrongConnection(BadInput):
    """The connection is of no kind Rota knows, of another database, or in autocommit mode."""


class ArtifactLost(BadInput):
    """A large value that was kept apart is not there any more, or is not what it was."""

    def __init__(self, digest: str, found: str, *, whose: str = "") -> None:
        self.digest = digest
        self.found = found
        of = f"{whose} (sha256 {digest})" if whose else f"the value with sha256 {digest}"
        super().__init__(f"{of} {found}; rerun what made it")

    def of(self, whose: str) -> ArtifactLost:
        """The same, naming what it is."""
        return ArtifactLost(self.digest, self.found, whose=whose)


class NotAllowed(RotaError):
    """The state of the run does not allow this verb."""

    exit_code = 3


class Outdated(NotAllowed):
    """It was changed since it was read; nothing was changed now."""


class NotSignedIn(RotaError):
    """No credential, or one that is unknown, revoked or past its time."""

    exit_code = 8


class NotPermitted(RotaError):
    """The credential is good, and does not allow this."""

    exit_code = 8


class TooMany(RotaError):
    """More than is allowed in this time; wait a while and ask again."""

    exit_code = 9

    def __init__(self, message: str | None = None, *, retry_after_s: float = 1.0) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(message)


class QuotaExceeded(TooMany):
    """The namespace uses all that its quota allows."""


class LeaseLost(RotaError):
    """Another worker owns this run now; stop working on it and drop the result."""


class InDoubt(RotaError):
    """A call outside was begun by an earlier attempt, and nobody knows whether it took place."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"in doubt: {name!r} was begun by an earlier attempt and may have taken place"
        )


class StoreUnavailable(RotaError):
    """The database cannot be reached."""

    exit_code = 4


class CommitUnknown(StoreUnavailable):
    """The connection broke during the commit: the change was made, or it was not.

    Rota asks the database again by itself; this is raised when that was not possible in time.
    """


class ServerUnavailable(StoreUnavailable):
    """The server cannot be reached, or has no answer."""


class SchemaMismatch(RotaError):
    """The database schema does not fit this version of Rota."""

    exit_code = 5


class RoomsRefused(RotaError):
    """Row-level security cannot be switched on: the login lacks a right."""

    exit_code = 5


class RunNotFinished(RotaError):
    """The run did not end within the time given."""

    exit_code = 6


class RunFailed(RotaError):
    """The run ended without a result."""

    exit_code = 7

    def __init__(self, run_id: str, state: str, reason: str) -> None:
        self.run_id = run_id
        self.state = state
        self.reason = reason
        super().__init__(f"run {run_id} ended as {state}: {reason}")


class Retry(RotaError):
    """Raise it in a handler to ask for another attempt, now or `after` a while."""

    def __init__(self, message: str | None = None, *, after: str | float | None = None) -> None:
        self.after = after
        super().__init__(message)


class Cancelled(BaseException):
    """Raised inside a handler whose run was cancelled; let it pass.

    A BaseException, so that `except Exception` in user code does not swallow it.
    """


class TimedOut(BaseException):
    """Raised inside a handler that ran longer than its timeout; let it pass."""
