"""Submits in a transaction of the caller's own, on the caller's connection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from rota.app.run import Run
from rota.engine.jobs.definitions import introduce
from rota.engine.runs.submit import submit
from rota.errors import DuplicateKey, WrongConnection
from rota.model.jobs.spec import JobSpec
from rota.rules.jobs.options import SubmitOptions
from rota.store.base import Store
from rota.store.foreign.async_connections import async_foreign
from rota.store.foreign.connections import ForeignConnection, foreign, is_async, name_of
from rota.store.foreign.tx import ForeignTx
from rota.store.open import dialect_of, file_of

if TYPE_CHECKING:
    from rota.app.app import App
    from rota.app.jobs.job import Job

P = ParamSpec("P")
R = TypeVar("R")

CHUNK = 1000

_identities: WeakKeyDictionary[Store, str] = WeakKeyDictionary()


class Within(Generic[P, R]):
    """A job bound to the caller's transaction, which Rota neither commits nor rolls back."""

    def __init__(self, job: Job[P, R], options: SubmitOptions, connection: Any) -> None:
        self._job = job
        self._options = options
        self._connection = connection
        self._tx = None if is_async(connection) else _opened(foreign(connection), job.app)

    def submit(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Ask for one run; it exists once the transaction is committed."""
        return self._submit(self._here(), [self._job.signature.bind(args, kwargs)])[0]

    def submit_many(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Ask for many runs; the items are those of `Job.submit_many`."""
        return self._submit(self._here(), [self._job.bind(call) for call in calls])

    async def submit_async(self, *args: P.args, **kwargs: P.kwargs) -> Run[R]:
        """Ask for one run on a connection of an event loop; see `submit`."""
        return (await self._submit_async([self._job.signature.bind(args, kwargs)]))[0]

    async def submit_many_async(self, calls: Iterable[Any]) -> list[Run[R]]:
        """Ask for many runs on a connection of an event loop; see `submit_many`."""
        return await self._submit_async([self._job.bind(call) for call in calls])

    async def _submit_async(self, bound: Sequence[str]) -> list[Run[R]]:
        if self._tx is not None:
            raise WrongConnection(
                f"{name_of(self._connection)} is synchronous: call submit() on it"
            )
        # Imported by those who have an event loop; others need not wait for asyncio.
        from rota.store.foreign.loop_bridge import in_thread  # noqa: PLC0415

        app = self._job.app
        connection = await async_foreign(self._connection)
        return await in_thread(connection, lambda here: self._submit(_opened(here, app), bound))

    def _submit(self, tx: ForeignTx, bound: Sequence[str]) -> list[Run[R]]:
        app = self._job.app

        def define(spec: JobSpec) -> int:
            return introduce(tx, spec, namespace=app.namespace, app=app.name)

        runs = [self._job.new_run(self._options, args, define) for args in bound]
        answers = []
        for at in range(0, len(runs), CHUNK):
            answers += submit(tx, runs[at : at + CHUNK], namespace=app.namespace)
        for run, answer in zip(runs, answers, strict=True):
            if answer.refused:
                raise DuplicateKey(run.key or "", answer.id)
        return [Run(app, answer.id, self._job) for answer in answers]

    def _here(self) -> ForeignTx:
        if self._tx is None:
            raise WrongConnection(
                f"{name_of(self._connection)} is asynchronous: await submit_async() on it"
            )
        return self._tx


def _opened(connection: ForeignConnection, app: App) -> ForeignTx:
    """Return the transaction of a connection that has been found to be to the app's database."""
    tx = ForeignTx(connection)
    if tx.dialect == "postgres":
        _ = app.store  # opened now, so that the tables are there
    _check_database(tx, app)
    return tx


def _check_database(tx: ForeignTx, app: App) -> None:
    """Check the database of the caller: a run must not get lost where no worker looks."""
    dialect = dialect_of(app.url)
    if tx.dialect != dialect:
        raise WrongConnection(f"the connection is to {tx.dialect}, the app is on {dialect}")
    row = tx.one("identity")
    theirs = row["identity"] if row else None
    if not theirs:
        raise WrongConnection(
            "the connection is to a database without the tables of Rota; is it that of the app? "
            "A worker or `rota db migrate` makes them"
        )
    if not _is_ours(theirs, app):
        raise WrongConnection("the connection is to another database than that of the app")


def _is_ours(theirs: str, app: App) -> bool:
    path = file_of(app.url)
    if path is not None:
        # Compare the names alone: opening the store beside a connection of sqlite3 would do harm.
        return path.exists() and path.samefile(theirs)
    return theirs in (_identities.get(app.store), _identity(app.store))


def _identity(store: Store) -> str | None:
    """Return the identity of the store, read again: the server may have been restarted."""
    row = store.read(lambda tx: tx.one("identity"))
    identity: str | None = row["identity"] if row else None
    if identity:
        _identities[store] = identity
    return identity
