"""The backend of an App: each operation is one transaction of its store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, Self, TypeVar

from rota.engine.identity.audit_log import Actor
from rota.handles.actor import whoami
from rota.ids import new_id
from rota.model.identity import Credential
from rota.operations.caller import Caller
from rota.operations.operation import Operation, parameters
from rota.store.base import Store

P = ParamSpec("P")
T = TypeVar("T")


class StoreBackend:
    """Carries operations out in a store; whoever has the store may do everything."""

    def __init__(
        self, store: Callable[[], Store], namespace: str, *, who: str | None = None
    ) -> None:
        self._store = store
        self._who = who
        self.namespace = namespace
        self.batch = None

    def call(self, operation: Operation[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry out an operation; a change is on disk when this returns."""
        caller = self.caller()
        while operation.prepare is not None and self._store().write(operation.prepare):
            pass
        transact = self._store().read if operation.verb is None else self._store().write
        if operation.parse is None:
            return transact(lambda tx: operation(tx, caller, *args, **kwargs))
        names = parameters(operation.function)
        named = {**dict(zip(names, args, strict=False)), **kwargs}
        parsed = operation.parse(self._store().read, caller, named)
        perform: Any = operation
        answer: T = transact(lambda tx: perform(tx, caller, **parsed))
        return answer

    def acting_as(self, who: str | None) -> Self:
        """The same for somebody else, whom the audit names."""
        return self if who is None else type(self)(self._store, self.namespace, who=who)

    def caller(self) -> Caller:
        """This process, with all rights and an audit entry of its own."""
        who = self._who or whoami()
        local = Credential(
            id="", who=who, namespace=self.namespace, roles=("admin", "exec", "audit")
        )
        return Caller(credential=local, actor=Actor(act_id=new_id(), who=who))
