"""How an operation is described, and the one place that carries it out with its audit entry."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from functools import cache
from inspect import Parameter, signature
from typing import Any, Concatenate, Generic, Literal, ParamSpec, TypeVar

import msgspec

from rota.engine.identity.audit_log import new_act, record_all
from rota.model.identity.credentials import Role
from rota.model.view import Body, encode
from rota.operations.caller import Caller
from rota.store.base import Tx

P = ParamSpec("P")
T = TypeVar("T")
Method = Literal["GET", "POST", "PUT", "DELETE"]
Function = Callable[Concatenate[Tx, Caller, P], T]
Read = Callable[[Callable[[Tx], Any]], Any]
"""Reads from the store in a transaction of its own, and returns the result."""


class Operation(msgspec.Struct, Generic[P, T], frozen=True, kw_only=True):
    """A public verb: its function, its place in the API, and its name in the audit."""

    function: Callable[Concatenate[Tx, Caller, P], T]
    method: Method
    path: str
    """In the API; `{name}` is the parameter of that name."""
    role: Role
    also: tuple[Role, ...] = ()
    """Roles that some uses need besides."""
    verb: str | None = None
    """In the audit; None for an operation that only reads."""
    subject: str = ""
    """The parameter that names what the audit entry is about; if empty, the function tells it."""
    before: Callable[..., object] | None = None
    """Reads the state before the change, for its digest; takes the function's arguments."""
    status: int = 200
    only_reads: Callable[..., bool] | None = None
    """Whether a call changes nothing, so that a transaction that reads will do; takes what the
    operation takes."""
    kept: Callable[[T], T] | None = None
    """The answer without its secret, which is shown once and stored nowhere."""
    prepare: Callable[[Tx], int] | None = None
    """Done before it, in transactions of its own, for as long as there is something to do."""
    parse: Callable[[Read, Caller, Mapping[str, Any]], Mapping[str, Any]] | None = None
    """Work on the arguments that takes seconds of a core, done before the transaction."""
    all_namespaces: bool = False
    """It is about all namespaces, for callers of the home namespace."""
    drops_credentials: bool = False
    """Afterwards a server looks up anew which credentials are good."""
    is_repeatable: bool = False
    """Carried out again for the same caller it changes nothing more and answers the same, so that
    a program on the store may ask again what became of a commit that broke."""
    etag: Callable[[T], str] | None = None
    """The tag of what it answers, for callers that want to change just that."""
    tag: Callable[[Tx, Caller, T], str] | None = None
    """Like `etag`, where the answer alone does not tell the tag."""
    may_be_old: bool = False
    """Callers of a server who see the same queues share an answer, which may be two seconds old."""

    @property
    def name(self) -> str:
        return self.function.__name__

    def is_read(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Whether this call changes nothing, whatever it finds."""
        return self.verb is None or (
            self.only_reads is not None and self.only_reads(*args, **kwargs)
        )

    def __call__(self, tx: Tx, caller: Caller, *args: P.args, **kwargs: P.kwargs) -> T:
        """Carry it out in this transaction, with one audit entry if it changes something."""
        if self.verb is None:
            return self.function(tx, caller, *args, **kwargs)
        caller = caller.because(_reason(args, kwargs))
        old = None if self.before is None else self.before(tx, caller, *args, **kwargs)
        draft = {"subject": self._subject(args, kwargs)}
        tx.drafts[caller.actor.act_id] = draft
        answer = self.function(tx, caller, *args, **kwargs)
        if tx.drafts.pop(caller.actor.act_id, None) is not None:
            entry = new_act(
                caller.actor,
                namespace=caller.namespace,
                verb=self.verb,
                subject=draft.pop("subject"),
                detail=draft,
                before_digest=None if old is None else digest(encode(old)),
                after_digest=digest(encode(self.to_keep(answer))),
            )
            record_all(tx, [entry])
        return answer

    def tagged(
        self, tx: Tx, caller: Caller, *args: P.args, **kwargs: P.kwargs
    ) -> tuple[T, str | None]:
        """Carry it out and return the answer with its ETag, if it has one."""
        answer = self(tx, caller, *args, **kwargs)
        if self.etag is not None:
            return answer, self.etag(answer)
        return answer, None if self.tag is None else self.tag(tx, caller, answer)

    def to_keep(self, answer: T) -> T:
        """The answer as it may be stored."""
        return answer if self.kept is None else self.kept(answer)

    def _subject(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        names = [*parameters(self.function)]
        return str({**dict(zip(names, args, strict=False)), **kwargs}.get(self.subject, ""))


def _reason(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
    """Return the reason that the caller gives, as an argument or in a body."""
    bodies = [each for each in (*args, *kwargs.values()) if isinstance(each, Body)]
    said = [kwargs.get("reason"), *(getattr(each, "reason", None) for each in bodies)]
    return next((each for each in said if each), "")


@cache
def parameters(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of an operation besides the transaction and the caller."""
    _tx, _caller, *rest = signature(function).parameters.items()
    return dict(rest)


def reads(
    path: str, *, role: Role = "viewer", method: Method = "GET", **facts: Any
) -> Callable[[Function[P, T]], Operation[P, T]]:
    """Describe an operation that only reads; `facts` are further fields of an Operation."""

    def describe(function: Function[P, T]) -> Operation[P, T]:
        return Operation(function=function, method=method, path=path, role=role, **facts)

    return describe


def changes(
    method: Method, path: str, *, verb: str, role: Role = "operator", **facts: Any
) -> Callable[[Function[P, T]], Operation[P, T]]:
    """Describe an operation that changes something, which the audit records as `verb`.

    The audit entry is about the parameter `subject`, called `name` unless `facts` say otherwise;
    `facts` are further fields of an Operation.
    """

    def describe(function: Function[P, T]) -> Operation[P, T]:
        said = {"subject": "name", **facts}
        return Operation(function=function, method=method, path=path, role=role, verb=verb, **said)

    return describe


def tell(tx: Tx, caller: Caller, **detail: Any) -> None:
    """Add details to the audit entry of the change that is going on; `subject` renames it."""
    said = {name: value for name, value in detail.items() if value is not None}
    tx.drafts[caller.actor.act_id].update(said)


def tell_all(tx: Tx, caller: Caller, detail: Mapping[str, Any]) -> None:
    """Add these details to the audit entry of the change that is going on, also those of None."""
    tx.drafts[caller.actor.act_id].update(detail)


def nothing_changed(tx: Tx, caller: Caller) -> None:
    """Leave no audit entry: what was asked for was so already. Call it last."""
    del tx.drafts[caller.actor.act_id]


def digest(text: bytes) -> str:
    """A short stand-in for what was there, or for what was answered."""
    return hashlib.sha256(text).hexdigest()
