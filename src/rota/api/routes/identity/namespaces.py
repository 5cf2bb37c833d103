"""Namespaces and their quotas, for those who run the whole.

Admins of the namespace `default` see and change all of them; an admin of another one sees its own.
"""

from __future__ import annotations

import msgspec
from litestar import delete, get, post, put
from litestar.params import FromPath, JSONBody

from rota.api.identity.actions import offered
from rota.api.identity.authorization import needs
from rota.api.server.documents import Body, Document, Moment, Page, when
from rota.api.server.edge import named
from rota.api.server.request import ApiRequest
from rota.engine.identity.audit_log import Actor
from rota.engine.identity.namespaces import (
    HOME,
    find_namespace,
    namespaces,
    put_namespace,
    remove_namespace,
)
from rota.errors import BadOption, NotAllowed, NotPermitted, UnknownNamespace
from rota.ids import new_id
from rota.model.identity import Namespace, Quotas
from rota.rules.text.names import check_name
from rota.store.base import Tx


class QuotasBody(Body):
    """What a namespace may use; null or left out: no limit of its own."""

    queued: int | None = None
    running: int | None = None
    rate: float | None = None
    """Submits a second, at each server."""
    payload: int | None = None
    """Bytes of the arguments of one run."""


class ChangeBody(Body):
    """What a namespace is to be."""

    note: str = ""
    quotas: QuotasBody = msgspec.field(default_factory=QuotasBody)


class NamespaceBody(ChangeBody, kw_only=True):
    """A namespace to be made."""

    name: str


class NamespaceDocument(Document):
    """A tenant: what is in it cannot be seen from another one."""

    name: str
    note: str
    quotas: Quotas
    created_at: Moment | None
    verbs: list[str]


class NamespaceGone(Document):
    """It was taken off the record."""

    name: str


@get("/namespaces", **needs("admin", whole=True))
async def list_namespaces(request: ApiRequest) -> Page[NamespaceDocument]:
    """All on record, by name; from another namespace than `default` only that one."""

    def look(tx: Tx) -> list[Namespace]:
        if not _is_whole(request):
            return [find_namespace(tx, request.namespace)]
        listed = namespaces(tx)
        known = {each.name for each in listed}
        return listed if HOME in known else [find_namespace(tx, HOME), *listed]

    return Page(items=[_document(each, request) for each in await request.read(look)])


@post("/namespaces", **needs("admin", changes=True, whole=True))
async def create_namespace(request: ApiRequest, data: JSONBody[NamespaceBody]) -> NamespaceDocument:
    """Make one; it needs tokens of its own, which `rota tokens create --namespace` gives out."""
    return await _put(request, check_name("namespace", data.name), data, is_new=True)


@put("/namespaces/{namespace:str}", **needs("admin", changes=True, whole=True))
async def change_namespace(
    request: ApiRequest, namespace: FromPath[str], data: JSONBody[ChangeBody]
) -> NamespaceDocument:
    """Give it another note and other quotas; they count at all servers within two seconds."""
    return await _put(request, named(namespace), data, is_new=False)


@delete("/namespaces/{namespace:str}", **needs("admin", changes=True, whole=True), status_code=200)
async def delete_namespace(request: ApiRequest, namespace: FromPath[str]) -> NamespaceGone:
    """Only one that holds no jobs, schedules, live runs or tokens."""
    name = named(namespace)
    _check_home(request)

    def take_away(tx: Tx, by: Actor) -> NamespaceGone:
        remove_namespace(tx, name, by=_also(by))
        return NamespaceGone(name=name)

    return await request.change("remove namespace", name, take_away, answers=NamespaceGone)


async def _put(
    request: ApiRequest, name: str, data: ChangeBody, *, is_new: bool
) -> NamespaceDocument:
    _check_home(request)
    quotas = _quotas(data.quotas)

    def put_it(tx: Tx, by: Actor) -> NamespaceDocument:
        if is_new and _is_known(tx, name):
            raise NotAllowed(f"there is a namespace {name} already; change that one")
        if not is_new:
            find_namespace(tx, name)
        made = put_namespace(tx, name, quotas, by=_also(by), note=data.note)
        return _document(made, request)

    verb = "create namespace" if is_new else "change namespace"
    detail = msgspec.to_builtins(quotas)
    return await request.change(verb, name, put_it, answers=NamespaceDocument, detail=detail)


def _also(by: Actor) -> Actor:
    """The namespace has the act in its own chain, beside the one in that of who asked."""
    return msgspec.structs.replace(by, act_id=new_id())


def _is_known(tx: Tx, name: str) -> bool:
    try:
        return find_namespace(tx, name).created_at is not None
    except UnknownNamespace:
        return False


def _quotas(body: QuotasBody) -> Quotas:
    quotas = Quotas(**msgspec.structs.asdict(body))
    for name, value in msgspec.structs.asdict(quotas).items():
        if value is not None and value <= 0:
            raise BadOption(f"quotas.{name}: {value} allows nothing; leave it out for no limit")
    return quotas


def _is_whole(request: ApiRequest) -> bool:
    """Whether it is about everything: not for some queues of the home namespace."""
    return request.namespace == HOME and request.credential.queues is None


def _check_home(request: ApiRequest) -> None:
    if not _is_whole(request):
        raise NotPermitted(
            f"only admins of the namespace {HOME}, whose token is for all queues, change namespaces"
        )


def _document(namespace: Namespace, request: ApiRequest) -> NamespaceDocument:
    verbs = ("change",) if namespace.name == HOME else ("change", "remove")
    may = _is_whole(request)
    return NamespaceDocument(
        name=namespace.name,
        note=namespace.note,
        quotas=namespace.quotas,
        created_at=when(namespace.created_at),
        verbs=offered(request.credential, *verbs, role="admin") if may else [],
    )


ROUTES = (list_namespaces, create_namespace, change_namespace, delete_namespace)
