"""The backend of an App: each operation is one transaction of its store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Self, TypeVar

from rota.engine.identity.audit_log import Actor
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.identity.credentials import Credential
from rota.operations.caller import Caller
from rota.operations.operation import Operation, parameters
from rota.operations.tools import Tools
from rota.store.base import Store, Tx
from rota.store.settled import settled_write

P = ParamSpec("P")
T = TypeVar("T")


class StoreBackend:
    """Carries operations out in a store; a program that has the store may do everything."""

    def __init__(
        self, store: Callable[[], Store], namespace: str, tools: Tools, *, who: str | None = None
    ) -> None:
        self._store = store
        self._tools = tools
        self._who = who
        self.namespace = namespace
        self.batch = None

    def call(self, operation: Operation[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry out an operation; a change is on disk when this returns."""
        caller = self.caller()
        while operation.prepare is not None and self._store().write(operation.prepare):
            pass
        perform: Any = operation
        arguments: Any = {**dict(zip(parameters(operation.function), args, strict=False)), **kwargs}
        if operation.parse is not None:
            arguments = operation.parse(self._store().read, caller, arguments)

        def work(tx: Tx) -> T:
            answer: T = perform(tx, caller, **arguments)
            return answer

        if operation.is_read(*args, **kwargs):
            return self._store().read(work)
        if operation.is_repeatable:
            return settled_write(lambda _: self._store().write(work))
        return self._store().write(work)

    def acting_as(self, who: str | None) -> Self:
        """Return a backend whose changes the audit records under `who`."""
        return (
            self if who is None else type(self)(self._store, self.namespace, self._tools, who=who)
        )

    def caller(self) -> Caller:
        """Return this process as caller, with all permissions and an audit entry of its own."""
        who = self._who or whoami()
        local = Credential(
            id="", who=who, namespace=self.namespace, roles=("admin", "exec", "audit")
        )
        actor = Actor(act_id=new_id(), who=who)
        return Caller(credential=local, actor=actor, tools=self._tools)
