"""Operations on namespaces and their quotas.

Callers of the home namespace see and change all of them; others see their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from rota.engine.identity import namespaces as engine
from rota.engine.identity.audit_log import record
from rota.engine.identity.namespaces import HOME
from rota.engine.locks import lock_name
from rota.errors import BadOption, NotAllowed, NotPermitted, UnknownNamespace
from rota.ids import new_id
from rota.model.identity.credentials import Namespace, Quotas
from rota.model.view import Body, Page, View
from rota.operations.caller import Caller
from rota.operations.operation import changes, nothing_changed, reads, tell, tell_all
from rota.rules.text.names import check_name
from rota.store.base import Tx


class QuotasBody(Body):
    """The limits of a namespace; null or left out means no limit of its own."""

    queued: int | None = None
    running: int | None = None
    rate: float | None = None
    """Submits a second, at each server."""
    payload: int | None = None
    """Bytes of the arguments of one run."""


class NamespaceGone(View, frozen=True):
    """A namespace that is no longer there."""

    name: str


@reads("/namespaces", role="admin", all_namespaces=True)
def list_namespaces(tx: Tx, caller: Caller) -> Page[Namespace]:
    """All namespaces, by name; from another namespace than `default` only that one."""
    if not _sees_all(caller):
        return Page(items=[_offered(engine.find_namespace(tx, caller.namespace), caller)])
    found = engine.namespaces(tx)
    if HOME not in {each.name for each in found}:
        found = [engine.find_namespace(tx, HOME), *found]
    return Page(items=[_offered(each, caller) for each in found])


@changes(
    "POST",
    "/namespaces",
    verb="create namespace",
    role="admin",
    status=201,
    all_namespaces=True,
)
def create_namespace(
    tx: Tx, caller: Caller, name: str, *, note: str = "", quotas: QuotasBody | None = None
) -> Namespace:
    """Make a namespace; `rota tokens create --namespace` gives out tokens for it."""
    check_name("namespace", name)
    _check_home(caller)
    if _is_known(tx, name):
        raise NotAllowed(f"there is a namespace {name} already; change that one")
    return _put(tx, caller, name, note, quotas)


@changes(
    "PUT",
    "/namespaces/{namespace}",
    verb="change namespace",
    role="admin",
    subject="namespace",
    all_namespaces=True,
)
def change_namespace(
    tx: Tx, caller: Caller, namespace: str, *, note: str = "", quotas: QuotasBody | None = None
) -> Namespace:
    """Give a namespace another note and other quotas; all servers obey them within two seconds."""
    _check_home(caller)
    engine.find_namespace(tx, namespace)
    return _put(tx, caller, namespace, note, quotas)


@changes(
    "DELETE",
    "/namespaces/{namespace}",
    verb="remove namespace",
    role="admin",
    subject="namespace",
    all_namespaces=True,
)
def remove_namespace(tx: Tx, caller: Caller, namespace: str) -> NamespaceGone:
    """Remove a namespace that holds no jobs, schedules, live runs or tokens."""
    _check_home(caller)
    engine.remove_namespace(tx, namespace)
    _record_in(tx, namespace, caller, "remove namespace", {})
    return NamespaceGone(name=namespace)


def _put(tx: Tx, caller: Caller, name: str, note: str, body: QuotasBody | None) -> Namespace:
    quotas = Quotas() if body is None else Quotas(**msgspec.structs.asdict(body))
    for field, value in msgspec.structs.asdict(quotas).items():
        if value is not None and value <= 0:
            raise BadOption(f"quotas.{field}: {value} allows nothing; leave it out for no limit")
    lock_name(tx, "namespace", name, namespace=name)
    old = engine.find_namespace(tx, name) if _is_known(tx, name) else None
    made = engine.put_namespace(tx, name, quotas, note=note)
    if made == old:
        nothing_changed(tx, caller)
        return _offered(made, caller)
    detail = msgspec.to_builtins(quotas)
    if name == caller.namespace:
        tell_all(tx, caller, detail)
    else:
        tell(tx, caller, **detail)
        verb = "create namespace" if old is None else "change namespace"
        _record_in(tx, name, caller, verb, detail)
    return _offered(made, caller)


def _record_in(
    tx: Tx, namespace: str, caller: Caller, verb: str, detail: Mapping[str, Any]
) -> None:
    """Write an entry in the chain of another namespace, beside the one in the caller's own."""
    if namespace != caller.namespace:
        by = msgspec.structs.replace(caller.actor, act_id=new_id())
        record(tx, by, namespace=namespace, verb=verb, subject=namespace, detail=detail)


def _is_known(tx: Tx, name: str) -> bool:
    try:
        return engine.find_namespace(tx, name).created_at is not None
    except UnknownNamespace:
        return False


def _sees_all(caller: Caller) -> bool:
    return caller.namespace == HOME and caller.sees_all_queues


def _check_home(caller: Caller) -> None:
    if not _sees_all(caller):
        raise NotPermitted(
            f"only admins of the namespace {HOME}, whose token is for all queues, change namespaces"
        )


def _offered(namespace: Namespace, caller: Caller) -> Namespace:
    verbs = ("change",) if namespace.name == HOME else ("change", "remove")
    may = caller.may(*verbs, role="admin") if _sees_all(caller) else ()
    return msgspec.structs.replace(namespace, verbs=may)
