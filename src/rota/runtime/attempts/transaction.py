"""The transaction that a handler's `apply` receives: the store's, narrowed to what it may do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from rota.clock import elapsed_s
from rota.engine.jobs.definitions import introduce
from rota.engine.runs.submit import submit
from rota.errors import DuplicateKey, NotAllowed
from rota.model.jobs.spec import JobSpec
from rota.model.runs.run import NewRun
from rota.store.base import Row, Tx
from rota.store.foreign.allowed_statements import check_statement


class Submittable(Protocol):
    """A job or a graph, possibly with other options."""

    def draft(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], define: Callable[[JobSpec], int]
    ) -> NewRun:
        """Return the run that a submit with these arguments creates."""
        ...


class Transaction:
    """Statements and submits that take effect if and only if the run ends as a success.

    It cannot be committed, rolled back or kept: it ends with the function that received it.
    """

    def __init__(self, tx: Tx, *, namespace: str, limit_s: float) -> None:
        self._tx = tx
        self._namespace = namespace
        self._limit_s = limit_s
        self._end_s: float | None = elapsed_s() + limit_s

    def execute(self, sql: str, params: Any = None) -> list[Row]:
        """Execute one statement; return rows by name. Marks and errors are those of the driver."""
        self.check()
        return self._tx.raw(check_statement(sql), params)

    def submit(self, job: Submittable, *args: Any, **kwargs: Any) -> str:
        """Submit a run of the job or graph; return its id."""
        self.check()
        new = job.draft(args, kwargs, self._define)
        (answer,) = submit(self._tx, [new], namespace=self._namespace)
        if answer.refused:
            raise DuplicateKey(new.key or "", answer.id)
        return answer.id

    def check(self) -> None:
        """Raise NotAllowed when the time limit or the transaction is over."""
        if self._end_s is None:
            raise NotAllowed("this transaction has ended; use it only inside the function")
        if elapsed_s() > self._end_s:
            raise NotAllowed(
                f"the transaction took longer than {self._limit_s:g} s and is rolled back; "
                "do the slow part before commit()"
            )

    def close(self) -> None:
        """Close the transaction; nothing can be done with it any more."""
        self._end_s = None

    def _define(self, spec: JobSpec) -> int:
        return introduce(self._tx, spec, namespace=self._namespace)
